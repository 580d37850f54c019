"""Fills a request from the description of a book and a library's copies of it. Pure.

An article is requested as a copy from the journal that contains it, a journal as a copy, everything else as a loan; the
borrower may change that.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from aggregator.libraries.holdings import Copy
from aggregator.loans.material import may_leave
from aggregator.loans.request import LoanRequest, Party, bounded
from aggregator.loans.states import Kind
from metadata.citations.facts import Citation, cite, one_line
from metadata.citations.kinds import ARTICLE, CHAPTER, JOURNAL, NEWS, NEWSPAPER, PAPER
from metadata.record import BibliographicRecord, Item

_PARTS = frozenset((ARTICLE, CHAPTER, NEWS, PAPER))  # of a publication
_SERIALS = frozenset((JOURNAL, NEWSPAPER))
_MOST_AUTHORS = 3
_BIB_ID, _SUB_ID = "somokuBibID", "somokuSubID"  # 総合目録ネットワーク: the library's ids of the book and of the copy


class Libraries(NamedTuple):
    """The two libraries of a request."""

    borrower: Party = Party()
    lender: Party = Party()


NOT_CHOSEN = Libraries()


def filled(
    record: BibliographicRecord, copies: Sequence[Copy], source: str, libraries: Libraries = NOT_CHOSEN
) -> LoanRequest:
    """Return a request for a book. copies: those of the lender. source: the permanent address of the book here."""
    citation = cite(record)
    item = _chosen(copies)
    request = structs.replace(
        _of_part(record, citation) if _is_part(citation) else _of_whole(record, citation),
        publisher=citation.publisher,
        place=citation.place,
        year=citation.year,
        issn=next(iter(citation.issn), "").replace("-", ""),
        jpno=next(iter(record.values("JPNO")), ""),
        ncid=next(iter((*record.values("NIIBibID"), *record.values("NCID"))), ""),
        record_id=_record_id(record, item),
        somoku_bib_id=_number(item, _BIB_ID),
        somoku_sub_id=_number(item, _SUB_ID),
        call_number=item.call_number or item.local_call_number,
        location=item.location,
        holdings=" ; ".join(dict.fromkeys(copy.item.holding_issues for copy in copies if copy.item.holding_issues)),
        source=source,
        borrower=libraries.borrower,
        lender=libraries.lender,
    )
    return bounded(request)


def _is_part(citation: Citation) -> bool:
    return citation.kind in _PARTS and bool(citation.container)


def _of_whole(record: BibliographicRecord, citation: Citation) -> LoanRequest:
    return LoanRequest(
        kind=Kind.COPY if citation.kind in _SERIALS else Kind.LOAN,
        title=citation.title,
        reading=citation.title_reading,
        volume=one_line(record.volume),
        edition=citation.edition,
        series=" ; ".join(filter(None, (citation.series, citation.series_number))),
        author=_authors(record),
        isbns=tuple(dict.fromkeys((*record.values("ISBN"), *record.values("SetISBN")))),
    )


def _of_part(record: BibliographicRecord, citation: Citation) -> LoanRequest:
    host = record.host
    return LoanRequest(
        kind=Kind.COPY,
        title=citation.container,
        article=citation.title,
        article_author=_authors(record),
        article_volume=one_line(host.volume),
        issue=citation.issue,
        pages=one_line(host.pages),
        isbns=tuple(number.value for number in host.identifiers if number.scheme == "ISBN"),
    )


def _authors(record: BibliographicRecord) -> str:
    """The first creators as they are written, else the statement of responsibility."""
    names = [one_line(creator.name) for creator in record.creators if creator.name]
    if not names:
        return one_line(next(iter(record.responsibility), ""))
    return " ; ".join(names[:_MOST_AUTHORS]) + (" ほか" if len(names) > _MOST_AUTHORS else "")


def _chosen(copies: Sequence[Copy]) -> Item:
    """The copy to name: if possible one that may leave the library, of these if possible one with a call number."""
    items = [copy.item for copy in copies] or [Item()]
    return max(items, key=lambda item: (may_leave(item), bool(item.call_number or item.local_call_number)))


def _number(item: Item, scheme: str) -> str:
    return next((number.value for number in item.identifiers if number.scheme == scheme), "")


def _record_id(record: BibliographicRecord, item: Item) -> str:
    """The lender's number of the record: the one in the copy, else the one in the record if it has only one."""
    own = _number(item, _BIB_ID) or _number(item, "NDLBibID") or _number(item, "")
    numbers = {number.value for number in record.source_identifiers if not number.scheme}
    return own or (numbers.pop() if len(numbers) == 1 else "")
