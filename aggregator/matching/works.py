"""Groups of one work: the same core title (or reading) and a person in common. Pure; knows features and groups only.

Works come after manifestations and feed on them: every form of title and name that any member of a group bears counts
for the whole group, so that a romanised author meets the same author in kanji.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from aggregator.matching.features import Features
from aggregator.matching.partition import components

GROUPS_AT_MOST = 80  # that one title and person may bring together; more is no work but a habit of naming


def works(groups: Sequence[Sequence[str]], rows: Mapping[str, Features]) -> list[list[int]]:
    """Places of the groups that are of one work, each in exactly one; independent of order.

    Two groups are of one work if some title of theirs is the same and some person too. A group that names no
    person stays alone: its title may be generic (全集, Proceedings).
    """
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, members in enumerate(groups):
        for key in _keys([rows[each] for each in members]):
            holders[key].append(place)
    pairs = [
        (str(each[0]), str(other)) for each in holders.values() if len(each) <= GROUPS_AT_MOST for other in each[1:]
    ]
    found = components(map(str, range(len(groups))), pairs)
    return sorted([sorted(map(int, each)) for each in found])


def _keys(members: Iterable[Features]) -> set[str]:
    titles: set[str] = set()
    persons: set[str] = set()
    for each in members:
        own = (each.part,) if each.part else (each.title, each.yomi)
        titles.update(form for form in own if form)
        persons.update(each.persons)
    return {f"{title} {person}" for title in titles for person in persons}
