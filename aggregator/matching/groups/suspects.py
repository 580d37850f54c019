"""Which ISBNs count less than others, because different volumes bear them. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import repeat

from aggregator.matching.comparison.compare import OF_VOLUME
from aggregator.matching.features.row import Features

DESCRIPTIONS_AT_MOST = 1000  # different descriptions of one book; an ISBN on more is a placeholder of some program
_LONGEST_VOLUME = 15  # characters of a volume in a reason "of …", which must fit its column (`MatchAlarm.reason`)
MISTAKE = 0.05  # share of the records that bear an ISBN; what a smaller share says is taken for their mistake


def suspect_isbns(rows: Iterable[Features], records: Iterable[int] = repeat(1)) -> dict[str, str]:
    """ISBN -> why it counts less than others.

    "suspect": different volumes bear it, some records have it as the ISBN of a set, or more than DESCRIPTIONS_AT_MOST
    rows bear it. "listed": one volume and a set bear it. "of …": it is that volume's, and a few records of other
    volumes bear it by mistake. records: how many records each row stands for. Statements of less than `MISTAKE` of the
    records that bear the ISBN (as ISBN or set ISBN) do not count; how many records bear it is never a reason. The
    result depends on all rows that bear the ISBN, and on no others.
    """
    shares: defaultdict[str, _Bearers] = defaultdict(_Bearers)
    for row, count in zip(rows, records, strict=False):
        for isbn in row.set_isbns:
            shares[isbn].add(count, of_set=count)
        for isbn in row.isbns:
            shares[isbn].add(count, volume="" if row.parts else row.volume, whole=count if row.is_set else 0)
    reasons = {isbn: bearers.reason() for isbn, bearers in shares.items()}
    return {isbn: reason for isbn, reason in reasons.items() if reason}


class _Bearers:
    """How many records bear one ISBN, and what they say about themselves."""

    def __init__(self) -> None:
        self.rows = self.records = self.of_set = self.whole = self.own = 0
        self.volumes: defaultdict[str, int] = defaultdict(int)

    def add(self, count: int, *, volume: str = "", whole: int = 0, of_set: int = 0) -> None:
        self.rows += 1
        self.records += count
        self.of_set += of_set
        self.whole += whole
        self.own += 0 if of_set else count
        if volume:
            self.volumes[volume] += count

    def reason(self) -> str:
        least = MISTAKE * self.records
        volumes = [volume for volume, count in self.volumes.items() if count >= least]
        if self.rows > DESCRIPTIONS_AT_MOST:
            return "suspect"
        if self.own and (self.of_set and self.of_set >= least or len(volumes) > 1):
            return "suspect"
        if volumes and self.whole and self.whole >= least:
            return "listed"
        by_mistake = len(self.volumes) > len(volumes) == 1 and len(volumes[0]) <= _LONGEST_VOLUME
        return OF_VOLUME + volumes[0] if by_mistake else ""
