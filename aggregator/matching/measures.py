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


def measure(found: Mapping[str, str], truth: Mapping[str, str]) -> Score:
    """found, truth: record → cluster, over the same records. Linear in their number."""
    sizes, right_sizes = Counter(found.values()), Counter(truth[each] for each in found)
    both = Counter((found[each], truth[each]) for each in found)
    joined, belong, common = _pairs(sizes.values()), _pairs(right_sizes.values()), _pairs(both.values())
    precision, recall = _share(common, joined), _share(common, belong)
    total = len(found) or 1
    b3_precision = sum(count * count / sizes[cluster] for (cluster, _true), count in both.items()) / total
    b3_recall = sum(count * count / right_sizes[true] for (_cluster, true), count in both.items()) / total
    return Score(
        precision=precision,
        recall=recall,
        f1=harmonic(precision, recall),
        b3_precision=b3_precision,
        b3_recall=b3_recall,
        b3_f1=harmonic(b3_precision, b3_recall),
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


def harmonic(precision: float, recall: float) -> float:
    """F1 of the two."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
