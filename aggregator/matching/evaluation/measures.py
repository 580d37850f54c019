"""How good a partition is against the truth: pairs, B³, and how often look-alikes were joined. Pure.

B³: Bagga and Baldwin 1998, the mean over the records of the precision and recall of the record's own cluster.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """Shares from 0 to 1; 1 where there was nothing to find. largest: records of the largest cluster found."""

    precision: float
    recall: float
    f1: float
    b3_precision: float
    b3_recall: float
    b3_f1: float
    largest: int


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What `Score` is made of; tallies of disjoint record sets add up. Pairs are counted from both of their ends."""

    records: int = 0
    joined: int = 0
    belong: int = 0
    common: int = 0
    b3_precision: float = 0.0
    b3_recall: float = 0.0
    largest: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        sums = {name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        return Tally(**{**sums, "largest": max(self.largest, other.largest)})

    def score(self) -> Score:
        precision, recall = _share(self.common, self.joined), _share(self.common, self.belong)
        b3_precision, b3_recall = (each / (self.records or 1) for each in (self.b3_precision, self.b3_recall))
        return Score(
            precision=precision,
            recall=recall,
            f1=harmonic(precision, recall),
            b3_precision=b3_precision,
            b3_recall=b3_recall,
            b3_f1=harmonic(b3_precision, b3_recall),
            largest=self.largest,
        )


def measure(found: Mapping[str, str], truth: Mapping[str, str]) -> Score:
    """found, truth: record → cluster, over the same records. Linear in their number."""
    return tally(found, truth, found).score()


def tally(found: Mapping[str, str], truth: Mapping[str, str], records: Iterable[str]) -> Tally:
    """The counts for some of the records, each with all the members of its cluster."""
    sizes, right_sizes = Counter(found.values()), Counter(truth[each] for each in found)
    both = Counter((found[each], truth[each]) for each in found)
    cells = Counter((found[each], truth[each]) for each in records)
    return Tally(
        records=cells.total(),
        joined=sum(count * (sizes[cluster] - 1) for (cluster, _), count in cells.items()),
        belong=sum(count * (right_sizes[right] - 1) for (_, right), count in cells.items()),
        common=sum(count * (both[cell] - 1) for cell, count in cells.items()),
        b3_precision=sum(count * both[cell] / sizes[cell[0]] for cell, count in cells.items()),
        b3_recall=sum(count * both[cell] / right_sizes[cell[1]] for cell, count in cells.items()),
        largest=max(sizes.values(), default=0),
    )


def recall_by_tag(
    found: Mapping[str, str], truth: Mapping[str, str], tags: Mapping[str, Iterable[str]]
) -> dict[str, tuple[int, int]]:
    """tag → (pairs found, pairs in truth) of the true pairs of which one or both records bear the tag."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    for each in found:
        members[truth[each]].append(each)
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for records in members.values():
        for place, one in enumerate(records):
            for other in records[place + 1 :]:
                for tag in {*tags.get(one, ()), *tags.get(other, ())} or {"clean"}:
                    every[tag] += 1
                    right[tag] += found[one] == found[other]
    return {tag: (right[tag], every[tag]) for tag in sorted(every)}


def joined_by_reason(found: Mapping[str, str], pairs: Iterable[tuple[str, str, str]]) -> dict[str, tuple[int, int]]:
    """reason → (joined, all) of pairs (record, record, reason) that look alike and are not the same."""
    joined: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for first, second, reason in pairs:
        if first in found and second in found:
            every[reason] += 1
            joined[reason] += found[first] == found[second]
    return {reason: (joined[reason], every[reason]) for reason in sorted(every)}


def pairs_of(clusters: Iterable[str]) -> int:
    """How many pairs of records are in the same cluster; clusters: that of each record."""
    return sum(size * (size - 1) // 2 for size in Counter(clusters).values())


def harmonic(precision: float, recall: float) -> float:
    """F1 of the two."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
