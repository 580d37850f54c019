"""Works: groups with the same core title (or reading) and a person in common.

Works are made from finished groups: every title and name of any member counts for the whole group, so that a
romanised author meets the same author in kanji.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from aggregator.matching.blocking_keys import hash_texts
from aggregator.matching.features.row import Features
from aggregator.matching.groups.partition import components

GROUPS_AT_MOST = 80  # that one title and person may bring together; more are not a work but a common title


def find_works(groups: Sequence[Sequence[str]], rows: Mapping[str, Features]) -> list[list[int]]:
    """The positions of the groups of each work; each group is in exactly one. Independent of order.

    Two groups belong to one work if they have some title and some person in common. A group that names no person
    stays alone: its title may be generic (全集, Proceedings).
    """
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for place, members in enumerate(groups):
        for key in work_keys([rows[name] for name in members]):
            holders[key].append(place)
    pairs = [(places[0], other) for places in holders.values() if len(places) <= GROUPS_AT_MOST for other in places[1:]]
    return components(range(len(groups)), pairs)


def work_keys(members: Iterable[Features]) -> frozenset[int]:
    """Each title with each person of a group, as signed 64-bit hashes; none where it names no person."""
    titles: set[str] = set()
    persons: set[str] = set()
    for features in members:
        own = features.parts[:1] or (features.title, features.yomi)
        titles.update(form for form in own if form)
        persons.update(features.persons)
    return frozenset(hash_texts([f"w {title} {person}" for title in titles for person in persons]))
