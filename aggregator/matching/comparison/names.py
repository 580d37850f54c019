"""How the persons and the publishers of two feature rows agree. Independent of the weights."""

import re

from rapidfuzz.fuzz import ratio

from aggregator.matching.comparison.romaji import kana_of, plain_vowels
from aggregator.matching.features.names import sells_for
from aggregator.matching.features.row import Features


def author_outcome(a: Features, b: Features) -> str:
    if not a.persons or not b.persons:
        return ""
    if a.persons == b.persons or not set(a.persons).isdisjoint(b.persons):
        return "same"
    latin = [name for name in a.persons if name.isascii()], [name for name in b.persons if name.isascii()]
    if {name.partition(" ")[0] for name in latin[0]} & {name.partition(" ")[0] for name in latin[1]}:
        return "family_name"
    if len(latin[0]) < len(a.persons) and len(latin[1]) < len(b.persons):
        return "similar" if _similar_names(a.persons, b.persons) else "different"
    if latin[0] and latin[1]:
        return "different"
    return "romanised" if _romanised(a.persons, b.persons) or _romanised(b.persons, a.persons) else ""


_NAME_LENGTH, _NAME_LIKENESS = 4, 80.0  # characters; per cent: one character of five may differ


def _similar_names(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two Japanese names differ in one character: 石ノ森章太郎, 石森章太郎."""
    return any(
        min(len(first), len(second)) >= _NAME_LENGTH
        and not (first.isascii() or second.isascii())
        and ratio(first, second) >= _NAME_LIKENESS
        for first in one
        for second in other
    )


def _romanised(latin: tuple[str, ...], readings: tuple[str, ...]) -> bool:
    """Whether a name in Latin letters is the reading of one in kana: "utsumi k" or "utsumikenju", ウツミケンジユ."""
    forms = [plain_vowels(name) for name in readings if _KANA(name)]
    if not forms:
        return False
    for name in latin:
        family, _, initial = name.partition(" ")
        kana = kana_of(family)
        if kana and any(
            form == kana if not initial else form.startswith(kana) and len(form) > len(kana) for form in forms
        ):
            return True
    return False


_KANA = re.compile(r"[ァ-ヺ]+\Z").match


def publisher_outcome(a: Features, b: Features) -> str:
    if not a.publishers or not b.publishers:
        return ""
    if a.publishers == b.publishers:
        return "same"
    pairs = [(first, second) for first in a.publishers for second in b.publishers]
    for first, second in pairs:
        if _one_in_other(first, second):
            return "same"
    if any(sells_for(first, second) for first, second in pairs):
        return ""
    for first, second in pairs:
        if ratio(first, second) >= _SIMILAR:
            return "similar"
    return "different"


_INITIALS = 4  # characters; a shorter name in Latin letters may be contained in any other by chance
_SIMILAR = 80.0  # per cent; a firm's name changes slightly over time


def _one_in_other(first: str, second: str) -> bool:
    if len(first) > len(second):
        first, second = second, first
    return first == second if len(first) < _INITIALS and first.isascii() else first in second
