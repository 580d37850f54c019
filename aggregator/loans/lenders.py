"""Whom to ask for a book: the order of the libraries that hold it, and why some cannot be asked. Pure.

The order follows the practice of public libraries: first the own municipality, then the prefecture, the region, the
rest of the country, and the National Diet Library as the last resort. Within a rank, the library that was asked least
lately comes first, so that the work is shared.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import IntEnum, StrEnum

from aggregator.libraries.regions import region_of
from aggregator.loans.states import JAPAN, Kind, words_of


class Rank(IntEnum):
    """How near a library is to the borrower; the nearest first."""

    MUNICIPALITY = 0
    PREFECTURE = 1
    REGION = 2
    ELSEWHERE = 3
    NATIONAL = 4


class Exclusion(StrEnum):
    """Why a library cannot be asked. If there are several reasons, the first of this list is given."""

    OWN = "own"
    CLOSED = "closed"
    ONLINE = "online"
    DOES_NOT_LEND = "does_not_lend"
    NO_COPIES = "no_copies"
    MATERIAL = "material"
    NEW = "new"
    FULL = "full"


EXCLUSIONS = words_of("exclusion", Exclusion)
RANKS = words_of("rank", Rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the borrowing library is. library: its key. Codes as in `libraries.regions`, "" if not known."""

    library: int
    prefecture: str = ""
    municipality: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A library that holds the book. library: its key; name decides among equals.

    lends, copies: None if the library has not said so. national: the last resort. asked: when it was last asked by any
    library, None: never. closed_on: the day on which it closed for good. online, excluded, new: see `material`.
    full: the borrower has as many of its items, requested or borrowed, as it lends at a time.
    """

    library: int
    name: str = ""
    prefecture: str = ""
    municipality: str = ""
    lends: bool | None = None
    copies: bool | None = None
    national: bool = False
    asked: datetime | None = None
    closed_on: date | None = None
    online: bool = False
    excluded: bool = False
    new: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class Lender:
    """A library in the order of asking."""

    candidate: Candidate
    rank: Rank


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom to ask. lenders: in the order of asking; excluded: the others, each with the reason, in the order given."""

    lenders: tuple[Lender, ...] = ()
    excluded: tuple[tuple[Candidate, Exclusion], ...] = ()


def choose(candidates: Iterable[Candidate], borrower: Place, kind: Kind, today: date) -> Choice:
    """Return whom to ask for a loan or a copy, and who cannot be asked."""
    lenders, excluded = [], []
    for candidate in candidates:
        reason = exclusion(candidate, borrower, kind, today)
        if reason:
            excluded.append((candidate, reason))
        else:
            lenders.append(Lender(candidate, rank(candidate, borrower)))
    return Choice(tuple(sorted(lenders, key=_order)), tuple(excluded))


def exclusion(candidate: Candidate, borrower: Place, kind: Kind, today: date) -> Exclusion | None:
    """Return why a library cannot be asked, None if it can. What a library has not said does not exclude it.

    A copy can be made of what may not leave the library, and by a library that does not lend.
    """
    loan = kind is Kind.LOAN
    reasons = (
        (Exclusion.OWN, candidate.library == borrower.library),
        (Exclusion.CLOSED, candidate.closed_on is not None and candidate.closed_on <= today),
        (Exclusion.ONLINE, candidate.online),
        (Exclusion.DOES_NOT_LEND, loan and candidate.lends is False),
        (Exclusion.NO_COPIES, not loan and _makes_no_copies(candidate)),
        (Exclusion.MATERIAL, loan and candidate.excluded),
        (Exclusion.NEW, loan and candidate.new),
        (Exclusion.FULL, loan and candidate.full),
    )
    return next((reason for reason, holds in reasons if holds), None)


def rank(candidate: Candidate, borrower: Place) -> Rank:
    """Return how near a library is to the borrower. A place that is not known is elsewhere."""
    if candidate.national:
        return Rank.NATIONAL
    if borrower.municipality and candidate.municipality == borrower.municipality:
        return Rank.MUNICIPALITY
    prefecture, own = _prefecture(candidate), _prefecture(borrower)
    if own and prefecture == own:
        return Rank.PREFECTURE
    region = region_of(own)
    return Rank.REGION if region is not None and region_of(prefecture) == region else Rank.ELSEWHERE


def _makes_no_copies(candidate: Candidate) -> bool:
    """A library that has not said whether it supplies copies is asked, unless it does not lend either."""
    return candidate.copies is False or (candidate.copies is None and candidate.lends is False)


def _prefecture(place: Candidate | Place) -> str:
    return place.prefecture or place.municipality[:2]


def _order(lender: Lender) -> tuple[Rank, datetime, str, int]:
    candidate = lender.candidate
    return lender.rank, candidate.asked or _NEVER, candidate.name, candidate.library


_NEVER = datetime.min.replace(tzinfo=JAPAN)
