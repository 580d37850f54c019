"""Values of a record in the forms that registration agencies accept. Pure.

From JaLC's table of JPCOAR elements (ver. 1.5, 2025-11) and its specification of research data (2.0).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from metadata.formats.jpcoar.names import is_reading
from metadata.formats.jpcoar.settle import plain_date
from metadata.formats.jpcoar.write.languages import TWO_LETTERS, Form, forms_in, forms_of, guess_language
from metadata.formats.jpcoar.write.record import pages
from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord

UNKNOWN_PUBLISHER = "出版社不明"
NO_PAGE = "none"
MOST_DOI, MOST_URL = 300, 2_000  # characters
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_ISBN = re.compile("[0-9-]{9,16}[0-9X]")
HANDLE_HOST = "hdl.handle.net"
_DATE_TYPES = ("dateGranted", "created", "modified")
_PRIMARY = re.compile("[A-Za-z]{2,3}")


class Moment(NamedTuple):
    """A date of publication. month, day: two digits, "" if unknown."""

    year: str
    month: str = ""
    day: str = ""


UNKNOWN_DATE = Moment("9999", "01", "01")  # what the agency asks for where a record has no date


class PersonName(NamedTuple):
    """A name in one language (ISO 639-1, "" if unknown). family: "" for a body, or if the parts are not told apart."""

    family: str
    given: str
    language: str


def doi_of(record: BibliographicRecord, agency: str) -> str:
    """Return the DOI that the record asks the agency to register, "" if it asks for none."""
    asked = (number for number in record.registrations[:1] if number.scheme == agency)
    return next((normalise("DOI", number.printed or number.value) for number in asked), "")


def address_of(record: BibliographicRecord) -> str:
    """Return the page to which the DOI leads: a handle before all others, "" if the record has no page."""
    found = [page for page in pages(record) if page.startswith(("http://", "https://"))]
    return next((page for page in found if f"://{HANDLE_HOST}/" in page), next(iter(found), ""))


def published(record: BibliographicRecord) -> Moment:
    """Return the date of publication, else that of the degree, of creation or of the last change."""
    others = {date.type: date.value for date in reversed(record.other_dates)}
    for value in (record.issued, *(others.get(name, "") for name in _DATE_TYPES)):
        match = _DATE.match(plain_date(value) or value)
        if match:
            return Moment(match[1], match[2] or "", match[3] or "")
    return UNKNOWN_DATE


def two_letters(language: str) -> str:
    """Return ISO 639-1 of a language tag, "" if there is none for it."""
    match = _PRIMARY.match(language)
    code = match[0].lower() if match else ""
    return code if len(code) == 2 else TWO_LETTERS.get(code, "")


def in_languages(forms: Iterable[Form], record: BibliographicRecord) -> Iterator[Form]:
    """Yield the first text of each language. Readings and romanisations are left out."""
    seen = set()
    for text, stated in forms:
        if not text.strip() or is_reading(stated) or "-" in stated and "Latn" in stated:
            continue
        language = two_letters(stated) or guess_language(text, record)
        if language not in seen:
            seen.add(language)
            yield text, language


def titles_of(record: BibliographicRecord) -> Iterator[Form]:
    """Yield the titles in their languages."""
    parallel = (title for title in record.alternatives if title.kind == "parallel")
    yield from in_languages(forms_in((*record.titles[:1], *parallel)), record)


def person_names(agent: Agent, record: BibliographicRecord) -> Iterator[PersonName]:
    """Yield the names of a person or body in their languages.

    The family name is what stands before a comma, as in "寺田, 寅彦"; a name without one is given as a whole.
    """
    for name, language in in_languages(forms_of(agent), record):
        family, comma, given = (part.strip() for part in re.sub("[,，]", ",", name, count=1).partition(","))
        divided = bool(comma) and not agent.is_body and bool(given)
        yield PersonName(family, given, language) if divided else PersonName("", name.strip(), language)


def publisher_in_english(record: BibliographicRecord) -> str:
    """Return the English name of the first publisher that has one, "" if none has."""
    names = (form for publisher in record.publishers for form in forms_of(publisher))
    return _in_english(names, record)


def host_in_english(record: BibliographicRecord) -> str:
    """Return the English title of the publication that contains the record, "" if it has none."""
    host = record.host
    return _in_english([(host.title, host.language), *forms_in(host.titles)], record)


def _in_english(forms: Iterable[Form], record: BibliographicRecord) -> str:
    return next((text for text, language in in_languages(forms, record) if language == "en"), "")


def isbns_of(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the record's own ISBNs, without repetition."""
    own = (number.value for number in record.identifiers if number.scheme == "ISBN")
    same = (part.number for part in record.relations if (part.scheme, part.term) == ("ISBN", "isIdenticalTo"))
    return tuple(dict.fromkeys(number for number in map(half_width, (*own, *same)) if _ISBN.fullmatch(number)))


def half_width(text: str) -> str:
    """Return a number in the half-width characters that agencies accept."""
    return unicodedata.normalize("NFKC", text).strip()
