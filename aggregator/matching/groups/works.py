"""Works: groups with the same core title (or reading) and a person in common.

Works are made from finished groups: every title and name of any member counts for the whole group, so that a
romanised author meets the same author in kanji. Original and uniform titles bring translations together.

The upper bits of a key depend on its title alone: the keys of a title with several persons are neighbours, on one page
of the database's table. Keys of different titles are equal as rarely as whole hashes, because all 64 bits would have to
be; the 40 lower bits tell the persons or publishers of one title apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from aggregator.matching.blocking_keys import hash_texts
from aggregator.matching.features.row import Features
from aggregator.matching.groups.components import components

# A title and person under which more than FORMS_AT_MOST different full titles stand is not a work but a common title,
# such as 全集 or Proceedings. The number of editions is no reason: a classic has hundreds.
FORMS_AT_MOST = 200
BOOKS_AT_MOST = 5000  # no work has so many; an upper bound for what is read at once
_OWN_BITS = (1 << 40) - 1  # hash of the whole key; so 16 million places for titles
_LONG, _LATIN_LONG = 7, 14  # characters of a title that with its publisher is enough where no person is named


class WorkKeys(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The keys of a group, as signed 64-bit hashes, and its form: a hash of its full title."""

    keys: frozenset[int] = frozenset()
    form: int = 0


NO_WORK_KEYS = WorkKeys()


def find_works(groups: Sequence[Sequence[str]], rows: Mapping[str, Features]) -> list[list[int]]:
    """The positions of the groups of each work; each group is in exactly one. Independent of order.

    Two groups belong to one work if they have some title and some person in common, or a long title and the publisher
    if neither names a person. Other groups that name no person stay alone: their title may be generic.
    """
    holders: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for place, members in enumerate(groups):
        own = work_keys([rows[name] for name in members])
        for key in own.keys:
            holders[key][place] = own.form
    pairs = [
        (min(forms), other) for forms in holders.values() if not is_common_title(forms) for other in sorted(forms)[1:]
    ]
    return components(range(len(groups)), pairs)


def is_common_title(forms: Mapping[int, int]) -> bool:
    """Whether a key makes no work. forms: group -> its form, of all groups that have the key."""
    if len(forms) <= FORMS_AT_MOST:  # most keys have one holder or two
        return False
    return len(forms) > BOOKS_AT_MOST or len(set(forms.values())) > FORMS_AT_MOST


def work_keys(members: Iterable[Features]) -> WorkKeys:
    """The keys of a group: each title with each person, or each long title with each publisher."""
    rows = list(members)
    titles = {form for row in rows for form in (*(row.parts[:1] or (row.title, row.yomi)), *row.originals) if form}
    persons = {person for row in rows for person in row.persons}
    names = persons
    if not persons:
        names = {publisher for row in rows for publisher in row.publishers}
        titles = {title for title in titles if _is_long(title)}
    letter = "w" if persons else "wp"
    full = min([row.full for row in rows], default="")
    form, *keys = hash_texts((f"wf {full}", *[f"{letter} {title} {name}" for title in titles for name in names]))
    locations = [location & ~_OWN_BITS for location in hash_texts(titles) for _name in names]
    own = [key & _OWN_BITS | location for key, location in zip(keys, locations, strict=True)]
    return WorkKeys(keys=frozenset(own), form=form)


def _is_long(title: str) -> bool:
    return len(title) >= (_LATIN_LONG if title.isascii() else _LONG)
