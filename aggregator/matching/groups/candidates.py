"""Which cores are compared: those that share a blocking key. Pure.

A key that many cores share (a crowded key: the ISBN or title of a very popular book, or a title such as 全集) would
make too many pairs. Of its cores, only the fullest (those with most fields filled) are compared with all others, so
that no core is left out. Two sorts of crowded keys are not used at all: those made of parts of a title, and those that
more than COMPARED_AT_MOST cores share.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from aggregator.matching.blocking_keys import CROWD, is_weak

type Rank = tuple[int, int]  # minus the fullness of a core, and its number: the fullest come first


COMPARED_AT_MOST = 20_000  # cores with one key; a title that more cores share (索引, Proceedings) says nothing


def fullest(key: int, ranks: Iterable[Rank], cores: int) -> tuple[Rank, ...]:
    """Choose the cores of a crowded key that are compared with all its others, the fullest first; () = none.

    ranks: of cores that share the key. cores: how many share it.
    """
    return () if is_weak(key) or cores > COMPARED_AT_MOST else tuple(sorted(ranks)[:CROWD])


def candidate_pairs(keys: Mapping[int, Collection[int]], fullness: Mapping[int, int]) -> list[tuple[int, int]]:
    """The pairs of cores that are compared, in order. keys: of each core. fullness: see `cores.fullness`."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for core in sorted(keys):
        for key in keys[core]:
            holders[key].append(core)
    pairs: set[tuple[int, int]] = set()
    for key, cores in holders.items():
        if len(cores) <= CROWD:
            pairs.update(combinations(cores, 2))
            continue
        for _rank, one in fullest(key, [(-fullness[core], core) for core in cores], len(cores)):
            pairs.update([(one, other) if one < other else (other, one) for other in cores if other != one])
    return sorted(pairs)
