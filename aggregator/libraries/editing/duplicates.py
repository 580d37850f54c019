"""Finds libraries that are probably one, by their names, places and codes. Pure.

Two libraries with the same folded name are probably one if they are in the same municipality, or if the place of one is
not known. They are two if both have a code of the same kind: whoever gives such codes tells them apart.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from metadata.text.folding import fold_tight

SAME_PLACE, SAME_PREFECTURE, UNKNOWN_PLACE = "place", "prefecture", "unknown"
MOST_OF_A_NAME = 5  # libraries; if more have the same name, it only counts together with the place
_MOST_COMPARED = 50  # libraries of the same name that are compared
# Names that libraries everywhere have, in folded form.
_COMMON = re.compile(
    "(?:[市町村区県府都]立|附属|付属|大学)*(?:中央|東|西|南|北|本|分|総合)?"
    "(?:図書(?:館|室|センタ)|本館|分館|学術情報センタ)|(?:the)?(?:central|main|university|public|city|municipal)?library"
)


@dataclass(frozen=True, slots=True)
class Described:
    """A library as it is compared. codes: scheme and value, of the schemes that tell libraries apart."""

    pk: int
    name: str
    prefecture: str = ""
    municipality: str = ""
    codes: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """The keys of two libraries that are probably one, the lower first. reason: SAME_PLACE and so on."""

    first: int
    second: int
    reason: str


def probable_duplicates(libraries: Iterable[Described], answered: Collection[tuple[int, int]] = ()) -> list[Pair]:
    """Return the pairs to ask about. answered: pairs that staff have declared to be two, the lower key first."""
    named: defaultdict[str, list[Described]] = defaultdict(list)
    for library in libraries:
        if name := fold_tight(library.name):
            named[name].append(library)
    pairs = (pair for name, rows in named.items() if len(rows) > 1 for pair in _pairs(name, rows))
    return sorted(pair for pair in pairs if (pair.first, pair.second) not in answered)


def _pairs(name: str, rows: Sequence[Described]) -> Iterator[Pair]:
    is_common = len(rows) > MOST_OF_A_NAME or bool(_COMMON.fullmatch(name))
    ordered = sorted(rows[:_MOST_COMPARED], key=lambda library: library.pk)
    for first, second in combinations(ordered, 2):
        reason = _reason(first, second)
        if reason == SAME_PLACE or (reason and not is_common):
            yield Pair(first.pk, second.pk, reason)


def _reason(first: Described, second: Described) -> str:
    """Why two libraries of one name are probably one; "" if they are not."""
    if {scheme for scheme, _value in first.codes} & {scheme for scheme, _value in second.codes}:
        return ""
    if first.municipality and first.municipality == second.municipality:
        return SAME_PLACE
    if not first.prefecture or not second.prefecture:
        return UNKNOWN_PLACE
    if first.prefecture == second.prefecture and not (first.municipality and second.municipality):
        return SAME_PREFECTURE
    return ""
