"""Of which libraries a book can be requested, in the order of asking; and the request for it, filled in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Max
from msgspec import structs

from aggregator.catalogue.books import Book, Erased, Gone, find_book
from aggregator.libraries.holdings import Copy, unpack_copies
from aggregator.loan_desk.packing import request_of
from aggregator.loans.fill import filled
from aggregator.loans.lenders import Candidate, Choice, Exclusion, Place, choose, exclusion
from aggregator.loans.material import excluded, is_new, is_online
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import Kind, State
from aggregator.models import Holding, Library, Loan, LoanTerms
from harvesting.mail.texts import page_url
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_encoded

ENDED = (State.RETURNED, State.COMPLETED, State.REFUSED, State.CANCELLED, State.LOST)
# Fields of a request that belong to the lender's holding
OF_THE_LENDER = ("record_id", "somoku_bib_id", "somoku_sub_id", "call_number", "location", "holdings")


@dataclass(frozen=True, slots=True)
class Offer:
    """Whether a library can be asked. kind: what for, None if not at all; reason: why no loan is possible."""

    library: int
    kind: Kind | None
    reason: Exclusion | None


def book_of(public_id: str) -> Book | None:
    """Return the book of a permanent id; None if there is none any more."""
    try:
        return find_book(public_id)
    except (Gone, Erased, SourceRecord.DoesNotExist):
        return None


def offers(book: Book, borrower: Library, today: date) -> dict[int, Offer]:
    """Return for every library that holds the book whether it can be asked. Two queries."""
    place = place_of(borrower)
    return {
        candidate.library: _offer(candidate, place, today)
        for candidate in candidates(book, {}, items_of(borrower), today)
    }


def choice(book: Book, borrower: Library, kind: Kind, today: date) -> Choice:
    """Return whom the borrower can ask for the book, in the order of asking. Three queries."""
    holders = Holding.objects.filter(manifestation=book.number).values("library")
    asked = Loan.objects.filter(lender__in=holders).order_by().values_list("lender")
    found = candidates(book, dict(asked.annotate(Max("sent"))), items_of(borrower), today)
    return choose(found, place_of(borrower), kind, today)


def candidates(book: Book, asked: Mapping[int, object], items: Mapping[int, int], today: date) -> list[Candidate]:
    """Return the libraries that hold the book. asked: when each was last asked. items: see `items_of`."""
    holdings = Holding.objects.filter(manifestation=book.number, library__merged_into=None).order_by("pk")
    return [
        _candidate(book, holding, asked, items, today) for holding in holdings.select_related("library__loan_terms")
    ]


def items_of(borrower: Library) -> dict[int, int]:
    """Return lender -> how many of its items a library has requested or borrowed and not given back. One query."""
    current = Loan.objects.filter(borrower=borrower).exclude(state__in=(State.DRAFT, *ENDED))
    return Counter(loan.lender_id for loan in current if request_of(loan).kind is Kind.LOAN)


def is_full(terms: LoanTerms, items: int) -> bool:
    """Return whether a library lends no further item to one that has so many."""
    return 0 < terms.most <= items


def place_of(library: Library) -> Place:
    """Return where a borrowing library is."""
    return Place(library=library.pk, prefecture=library.prefecture, municipality=library.municipality)


def request_for(book: Book, lender: Library) -> LoanRequest:
    """Return the request for a book that a library holds, filled in, without the two libraries."""
    return filled(book.record, copies_of(book, lender), page_url("book", book.public_id))


def with_holding_of(request: LoanRequest, book: Book | None, lender: Library) -> LoanRequest:
    """Return the request with the call number, location … of another lender; without them if the book is gone."""
    own = request_for(book, lender) if book else LoanRequest()
    return structs.replace(request, **{name: getattr(own, name) for name in OF_THE_LENDER})


def copies_of(book: Book, lender: Library) -> Sequence[Copy]:
    """Return the copies that a library holds of a book."""
    holding = Holding.objects.filter(manifestation=book.number, library=lender).first()
    return _copies(holding) if holding else ()


def _copies(holding: Holding) -> Sequence[Copy]:
    return unpack_copies(unpack_encoded(bytes(holding.packed)))


def _candidate(
    book: Book, holding: Holding, asked: Mapping[int, object], items: Mapping[int, int], today: date
) -> Candidate:
    library = holding.library
    terms = getattr(library, "loan_terms", None)
    held = [copy.item for copy in _copies(holding)]
    return Candidate(
        library=library.pk,
        name=library.label,
        prefecture=library.prefecture,
        municipality=library.municipality,
        lends=library.lends,
        copies=terms.copies if terms else None,
        national=library.kind == Library.Kind.NATIONAL,
        asked=asked.get(library.pk),  # type: ignore[arg-type]
        closed_on=library.closed_on,
        online=is_online(book.record, held),
        excluded=excluded(held),
        new=terms is not None and is_new(book.record.issued, terms.new_months, today),
        full=terms is not None and is_full(terms, items.get(library.pk, 0)),
    )


def _offer(candidate: Candidate, place: Place, today: date) -> Offer:
    reasons = {kind: exclusion(candidate, place, kind, today) for kind in Kind}
    possible: Iterable[Kind] = (kind for kind in Kind if reasons[kind] is None)
    return Offer(candidate.library, next(iter(possible), None), reasons[Kind.LOAN])
