"""Which ISBNs count less than others, because different books bear them. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count, repeat

from aggregator.matching.comparison.compare import OF_VOLUME
from aggregator.matching.features.row import Features
from aggregator.matching.groups.candidates import Rank

ASKED_AT_MOST = 1000  # descriptions that bear one ISBN; of more, those that most records have decide
_LONGEST_VOLUME = 15  # characters of a volume in a reason "of …", which must fit its column (`MatchAlarm.reason`)
MISTAKE = 0.05  # share of the records that bear an ISBN; what a smaller share says is taken for their mistake


def suspect_isbns(
    rows: Iterable[Features], records: Iterable[int] = repeat(1), numbers: Iterable[int] | None = None
) -> dict[str, str]:
    """ISBN -> why it counts less than others.

    "suspect": different volumes bear it, some records have it as the ISBN of a set, or no title stands in `MISTAKE` of
    those that bear it, as where a program enters one number for all books. "listed": one volume and a set bear it.
    "of …": it is that volume's, and a few records of other volumes bear it by mistake.

    records: how many records each row stands for. numbers: of the cores of the rows; without them, their positions.
    Statements of less than `MISTAKE` of the records that bear the ISBN (as ISBN or set ISBN) do not count; how many
    records bear it is never a reason. The result depends on the rows that `most_held` chooses of those that bear the
    ISBN, and on no others.
    """
    bearers: defaultdict[str, list[tuple[Rank, Features]]] = defaultdict(list)
    for row, held, number in zip(rows, records, count() if numbers is None else numbers, strict=False):
        for isbn in {*row.isbns, *row.set_isbns}:
            bearers[isbn].append(((-held, number), row))
    reasons = {isbn: _Statements(isbn, _asked(of_isbn)).reason() for isbn, of_isbn in bearers.items()}
    return {isbn: reason for isbn, reason in reasons.items() if reason}


def most_held(ranks: Iterable[Rank]) -> tuple[Rank, ...]:
    """Choose the cores that decide about an ISBN, of all that bear it: those that most records have, the largest first.

    ranks: minus the number of records of a core, and its number. Numbers of cores are hashes, so of equal ones the
    choice is a random sample that does not depend on the order of arrival.
    """
    return tuple(sorted(ranks)[:ASKED_AT_MOST])


def _asked(bearers: list[tuple[Rank, Features]]) -> Iterator[tuple[int, Features]]:
    """The rows that decide about an ISBN, each with its number of records."""
    chosen = None if len(bearers) <= ASKED_AT_MOST else set(most_held(rank for rank, _row in bearers))
    return ((-rank[0], row) for rank, row in bearers if chosen is None or rank in chosen)


class _Statements:
    """What the records that bear one ISBN say about themselves, in numbers of records."""

    def __init__(self, isbn: str, bearers: Iterable[tuple[int, Features]]) -> None:
        self.records = self.of_set = self.whole = self.own = 0
        self.volumes: defaultdict[str, int] = defaultdict(int)
        self.titles: defaultdict[str, int] = defaultdict(int)
        for held, row in bearers:
            if isbn in row.set_isbns:
                self.records += held
                self.of_set += held
            if isbn in row.isbns:
                self.records += held
                self.own += held
                self.whole += held if row.is_set else 0
                if row.title:
                    self.titles[row.title] += held
                if row.volume and not row.parts:  # with parts, the volume is that of the series
                    self.volumes[row.volume] += held

    def reason(self) -> str:
        least = MISTAKE * self.records
        volumes = [volume for volume, held in self.volumes.items() if held >= least]
        if self.titles and max(self.titles.values()) < MISTAKE * self.own:
            return "suspect"
        if self.own and (self.of_set and self.of_set >= least or len(volumes) > 1):
            return "suspect"
        if volumes and self.whole and self.whole >= least:
            return "listed"
        by_mistake = len(self.volumes) > len(volumes) == 1 and len(volumes[0]) <= _LONGEST_VOLUME
        return OF_VOLUME + volumes[0] if by_mistake else ""
