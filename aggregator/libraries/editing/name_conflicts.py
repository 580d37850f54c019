"""Decides whether the names that records give one code are clearly those of different libraries. Pure.

Names are compared in their folded form. A name that contains another is not different from it: short and full names, a
library and its branch.
"""

from collections.abc import Collection
from itertools import combinations

from metadata.text.folding import fold_tight

MOST_NAMES = 60  # names of one library that are compared


def conflicting(
    names: Collection[str], accepted: Collection[str] = (), related: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the names about which staff have to be asked; () if there is no need to.

    accepted: the folded names of an earlier answer. related: names of the library's parent, of its branches and of
    libraries that were merged into it; records may use them, too.
    """
    known_others = {fold_tight(name) for name in related} - {""}
    own = dict.fromkeys(sorted(names)[:MOST_NAMES])
    folded = {name: fold_tight(name) for name in own}
    asked = {
        name: text
        for name, text in folded.items()
        if text and text not in accepted and not any(_alike(text, other) for other in known_others)
    }
    if accepted:
        asked = {name: text for name, text in asked.items() if not any(_alike(text, other) for other in accepted)}
        return tuple(asked)
    different = any(not _alike(first, second) for first, second in combinations(set(asked.values()), 2))
    return tuple(asked) if different else ()


def _alike(first: str, second: str) -> bool:
    """Whether one folded name contains the other."""
    return first in second or second in first
