"""Fills the pattern and the holdings of stored questions that a release without patterns wrote. Nothing is matched."""

from collections import Counter
from collections.abc import Collection

from aggregator.matching import Evidence
from aggregator.matching.patterns import pattern_of
from aggregator.models import Core, ReviewPair
from core.database.batches import select_in

PORTION = 500  # rows


def fill_missing_patterns() -> int:
    """Fill the rows that lack a pattern, in portions; return how many. One small query if there are none."""
    done = 0
    without = ReviewPair.objects.filter(pattern="")
    while rows := list(without.order_by("pk")[:PORTION]):
        book_of, holdings = _holdings({core for row in rows if row.asked for core in _cores(row)})
        for row in rows:
            row.pattern = pattern_of(Evidence(**item) for item in row.evidence)
            books = {book_of.get(core) for core in _cores(row)} if row.asked else ()
            row.holdings = sum(holdings[book] for book in books)
        without.bulk_update(rows, ["pattern", "holdings"])
        done += len(rows)
    return done


def _cores(row: ReviewPair) -> tuple[int, int]:
    return row.first_core_id, row.second_core_id


def _holdings(cores: Collection[int]) -> tuple[dict[int | None, int], Counter[int | None]]:
    """The book of each of these cores, and how many records each of these books has."""
    book_of = dict(select_in(Core, ("id", "manifestation_id"), "id", cores))
    holdings: Counter[int | None] = Counter()
    for book, records in select_in(Core, ("manifestation_id", "records"), "manifestation_id", set(book_of.values())):
        holdings[book] += records
    return book_of, holdings
