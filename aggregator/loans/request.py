"""A request for an interlibrary loan as one value: what every way out (page, mail, OpenURL, ISO 18626) is made from.

Pure. It contains no reader's name: only the borrowing library's own number for the request. `bounded` cuts every text
to a length that a form, a page and a message can hold, whoever filled it in.
"""

from datetime import date

from msgspec import structs

from aggregator.libraries.identify import FA, ISIL, NDL, Code
from aggregator.loans.states import Kind
from metadata.record import Value
from metadata.xml.parsing import strip_illegal

# The most characters of a text: a number or code, a name or title, a note.
NUMBER, TITLE, NOTE = 100, 500, 2000
MOST_ISBNS = 10
LONGEST_ADDRESS = 1000  # characters of the address of a web page
_NUMBERS = frozenset(
    ("number", "previous", "issn", "jpno", "ncid", "record_id", "somoku_bib_id", "somoku_sub_id", "needed_by", "year")
)
_NOTES = frozenset(("note",))
_AGENCY_SCHEMES = (ISIL, NDL, FA)  # the order in which a code is chosen for a message to another system


class Party(Value, frozen=True, kw_only=True):
    """One of the two libraries. codes: (scheme, value), such as ("ISIL", "JP-1000001"). contact: the person in charge
    at the library, never a reader.
    """

    name: str = ""
    name_en: str = ""
    codes: tuple[tuple[str, str], ...] = ()
    address: str = ""
    postal_code: str = ""
    telephone: str = ""
    fax: str = ""
    mail: str = ""
    contact: str = ""

    def code(self, *schemes: str) -> Code | None:
        """The first code of these schemes. Without a scheme, the best one for a message: ISIL, NDLLibCode, FA, any."""
        wanted = schemes or _AGENCY_SCHEMES
        found = (Code(*code) for scheme in wanted for code in self.codes if code[0] == scheme)
        rest = (Code(*code) for code in (() if schemes else self.codes))
        return next(found, None) or next(rest, None)


class LoanRequest(Value, frozen=True, kw_only=True):
    """A request of one library to another, for a loan or a copy. "" is absent.

    number: the borrowing library's own; previous: that of the request that this one repeats elsewhere.
    title, reading, volume, edition, series, author, publisher, place, year, identifiers: the book or journal. isbns: 13
    digits; issn: 8 characters. record_id: of the record that the lender (or its provider) keeps; somoku_bib_id and
    somoku_sub_id: 総合目録ネットワーク. source: the permanent address of the book on this site.
    article, article_author, issue, pages: of what is to be copied; article_volume: the volume of the journal.
    copyright_declared: 著作権法第31条; fee_agreed: the borrower pays.
    any_edition: another edition serves too. needed_by: ISO 8601 date. in_house_only: the reader uses it in the library.
    copying_allowed: the borrower asks to be allowed to copy from it.
    """

    kind: Kind = Kind.LOAN
    number: str = ""
    previous: str = ""
    title: str = ""
    reading: str = ""
    volume: str = ""
    edition: str = ""
    series: str = ""
    author: str = ""
    publisher: str = ""
    place: str = ""
    year: str = ""
    isbns: tuple[str, ...] = ()
    issn: str = ""
    jpno: str = ""
    ncid: str = ""
    record_id: str = ""
    somoku_bib_id: str = ""
    somoku_sub_id: str = ""
    call_number: str = ""
    location: str = ""
    holdings: str = ""  # 所蔵巻号 of a serial, as the lender states it
    source: str = ""
    article: str = ""
    article_author: str = ""
    article_volume: str = ""
    issue: str = ""
    pages: str = ""
    copyright_declared: bool = False
    fee_agreed: bool = False
    any_edition: bool = False
    needed_by: str = ""
    in_house_only: bool = False
    copying_allowed: bool = False
    note: str = ""
    borrower: Party = Party()
    lender: Party = Party()

    @property
    def needed_by_date(self) -> date | None:
        """The date by which the item is needed; None if there is none or the text is no date."""
        try:
            return date.fromisoformat(self.needed_by)
        except ValueError:
            return None


def bounded(request: LoanRequest) -> LoanRequest:
    """Return the request with control characters removed and every text cut to the length that it may have."""
    changed: dict[str, object] = {
        name: _bounded(name, value)
        for name in request.__struct_fields__
        if isinstance(value := getattr(request, name), str) and not isinstance(value, Kind)
    }
    isbns = tuple(short_text(isbn, NUMBER) for isbn in request.isbns[:MOST_ISBNS])
    parties = {"borrower": _bounded_party(request.borrower), "lender": _bounded_party(request.lender)}
    return structs.replace(request, **changed, isbns=isbns, **parties)


def short_text(text: str, most: int) -> str:
    """Return a text on one line, without characters that XML or a page could not hold, cut at a length.

    The text is not normalised: Unicode's normal forms would replace some kanji of names by their usual forms.
    """
    legal = strip_illegal(text[: most * 4])
    return " ".join("".join(char if char.isprintable() else " " for char in legal).split())[:most].rstrip()


def long_text(text: str) -> str:
    """Return a text of several lines, at most as long as a note, otherwise as `short_text`."""
    lines = text[: NOTE * 4].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(short_text(line, NOTE) for line in lines).strip()[:NOTE].rstrip()


def _bounded(name: str, value: str) -> str:
    if name in _NOTES:
        return long_text(value)
    if name == "source":
        return value if len(value) <= LONGEST_ADDRESS and value.isprintable() else ""  # half an address is no address
    return short_text(value, NUMBER if name in _NUMBERS else TITLE)


def _bounded_party(party: Party) -> Party:
    codes = tuple((short_text(scheme, NUMBER), short_text(value, NUMBER)) for scheme, value in party.codes[:10])
    texts = {name: short_text(getattr(party, name), TITLE) for name in party.__struct_fields__ if name != "codes"}
    return structs.replace(party, codes=codes, **texts)
