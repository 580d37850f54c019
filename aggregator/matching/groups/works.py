"""Groups of one work: the same core title (or reading) and a person in common. Pure; knows features and groups only.

Works come after manifestations and feed on them: every form of title and name that any member of a group bears counts
for the whole group, so that a romanised author meets the same author in kanji.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from aggregator.matching.blocking_keys import all_hashed
from aggregator.matching.features.row import Features
from aggregator.matching.groups.partition import components

GROUPS_AT_MOST = 80  # that one title and person may bring together; more is no work but a habit of naming


def works(groups: Sequence[Sequence[str]], rows: Mapping[str, Features]) -> list[list[int]]:
    """Places of the groups that are of one work, each in exactly one; independent of order.

    Two groups are of one work if some title of theirs is the same and some person too. A group that names no
    person stays alone: its title may be generic (全集, Proceedings).
    """
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for place, members in enumerate(groups):
        for key in work_keys([rows[each] for each in members]):
            holders[key].append(place)
    pairs = [(each[0], other) for each in holders.values() if len(each) <= GROUPS_AT_MOST for other in each[1:]]
    return components(range(len(groups)), pairs)


def work_keys(members: Iterable[Features]) -> frozenset[int]:
    """Each title with each person of a group, as signed 64-bit hashes; none where it names no person."""
    titles: set[str] = set()
    persons: set[str] = set()
    for each in members:
        own = each.parts[:1] or (each.title, each.yomi)
        titles.update(form for form in own if form)
        persons.update(each.persons)
    return frozenset(all_hashed([f"w {title} {person}" for title in titles for person in persons]))
