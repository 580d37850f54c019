"""How well a partition agrees with the truth: pairs, B³, and how often similar but different books were grouped.

B³ (Bagga and Baldwin 1998): the mean over all records of the precision and recall of the record's own cluster.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """Shares from 0 to 1; 1 where there was nothing to find. largest: records in the largest predicted cluster."""

    precision: float
    recall: float
    f1: float
    b3_precision: float
    b3_recall: float
    b3_f1: float
    largest: int


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The counts behind a `Score`; tallies of disjoint record sets can be added.

    joined: pairs in one predicted cluster. belong: pairs in one true cluster. common: pairs in both. Every pair is
    counted twice, once for each of its records. b3_precision, b3_recall: sums over the records.
    """

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
        b3_precision, b3_recall = (total / (self.records or 1) for total in (self.b3_precision, self.b3_recall))
        return Score(
            precision=precision,
            recall=recall,
            f1=harmonic(precision, recall),
            b3_precision=b3_precision,
            b3_recall=b3_recall,
            b3_f1=harmonic(b3_precision, b3_recall),
            largest=self.largest,
        )


def measure(predicted: Mapping[str, str], truth: Mapping[str, str]) -> Score:
    """Score a partition. predicted, truth: record → cluster, over the same records. Linear in their number."""
    return tally(predicted, truth, predicted).score()


def tally(predicted: Mapping[str, str], truth: Mapping[str, str], records: Iterable[str]) -> Tally:
    """The counts for some of the records, each with all members of its cluster."""
    sizes, true_sizes = Counter(predicted.values()), Counter(truth[record] for record in predicted)
    joint_sizes = Counter((predicted[record], truth[record]) for record in predicted)
    cells = Counter((predicted[record], truth[record]) for record in records)
    return Tally(
        records=cells.total(),
        joined=sum(count * (sizes[cluster] - 1) for (cluster, _), count in cells.items()),
        belong=sum(count * (true_sizes[true_cluster] - 1) for (_, true_cluster), count in cells.items()),
        common=sum(count * (joint_sizes[cell] - 1) for cell, count in cells.items()),
        b3_precision=sum(count * joint_sizes[cell] / sizes[cell[0]] for cell, count in cells.items()),
        b3_recall=sum(count * joint_sizes[cell] / true_sizes[cell[1]] for cell, count in cells.items()),
        largest=max(sizes.values(), default=0),
    )


def recall_by_tag(
    predicted: Mapping[str, str], truth: Mapping[str, str], tags: Mapping[str, Iterable[str]]
) -> dict[str, tuple[int, int]]:
    """tag → (pairs found, pairs in truth), for the true pairs in which at least one record has the tag; "clean" for the
    pairs without any tag.
    """
    members: defaultdict[str, list[str]] = defaultdict(list)
    for record in predicted:
        members[truth[record]].append(record)
    correct: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for records in members.values():
        for place, one in enumerate(records):
            for other in records[place + 1 :]:
                for tag in {*tags.get(one, ()), *tags.get(other, ())} or {"clean"}:
                    total[tag] += 1
                    correct[tag] += predicted[one] == predicted[other]
    return {tag: (correct[tag], total[tag]) for tag in sorted(total)}


def joined_by_reason(predicted: Mapping[str, str], pairs: Iterable[tuple[str, str, str]]) -> dict[str, tuple[int, int]]:
    """reason → (joined, all), for pairs (record, record, reason) that look alike but are not the same."""
    joined: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for first, second, reason in pairs:
        if first in predicted and second in predicted:
            total[reason] += 1
            joined[reason] += predicted[first] == predicted[second]
    return {reason: (joined[reason], total[reason]) for reason in sorted(total)}


def pairs_of(clusters: Iterable[str]) -> int:
    """The number of pairs of records in the same cluster. clusters: that of each record."""
    return sum(size * (size - 1) // 2 for size in Counter(clusters).values())


def harmonic(precision: float, recall: float) -> float:
    """F1: the harmonic mean of precision and recall."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
