"""How the volumes of two feature rows agree: volumes, sets and numbers in a series. Independent of the weights."""

import re

from aggregator.matching.features.row import Features


def volume_outcome(a: Features, b: Features, isbn: str) -> str:
    """How two volume statements agree. isbn: the outcome for the ISBNs."""
    if a.is_set or b.is_set:
        return _sets(a, b, isbn)
    if a.volume == b.volume:
        if a.volume and bool(a.volumes) != bool(b.volumes):
            return "same_of_set"  # one of the two may describe the set: its title may contain a volume of its own
        return "same_bare" if a.bare and b.bare else "same" if a.volume else ""
    if a.volume and b.volume:
        return "unclear" if _perhaps_equal(a.volume, b.volume) else "different"
    return _stated_once(a, b, isbn) if a.volume else _stated_once(b, a, isbn)


def _stated_once(stated: Features, without: Features, isbn: str) -> str:
    if stated.parts and not set(stated.parts).isdisjoint(without.parts):
        return "one_side_titled"
    if len(without.isbns) > 1 and isbn != "list":
        return "perhaps_set"  # a record that lists its volumes' ISBNs
    if isbn in _ONE_SIDE:
        return _ONE_SIDE[isbn]
    if not stated.bare:
        return "one_side"
    number = f"#{stated.volume}"
    return "one_side_series" if any(entry.endswith(number) for entry in stated.series[:-1]) else "one_side_bare"


# A suspect ISBN says nothing about the volume.
_ONE_SIDE = {
    "same": "one_side_isbn",
    "one_of": "one_side_isbn",
    "list": "one_side_isbn",
    "listed": "one_side_listed",
    "listed_one_of": "one_side_listed",
}


def _sets(a: Features, b: Features, isbn: str) -> str:
    if a.is_set and b.is_set:
        return _compare_counts(a, b)
    if a.volume or b.volume:
        whole, part = (a, b) if a.is_set else (b, a)
        if part.volumes and part.volumes == whole.volumes:
            return "set_unclear"  # the record of a volume states the extent of the set
        return "set_against_bare" if part.bare else "set_against_volume"
    if isbn == "list":
        return "set_listed"
    whole, other = (a, b) if a.is_set else (b, a)
    return (
        "one_of_set" if isbn not in ("", "different_volume") and len(other.isbns) < len(whole.isbns) else "set_unclear"
    )


def _compare_counts(a: Features, b: Features) -> str:
    if not a.volumes or not b.volumes:
        return "set"
    return "set_counted" if a.volumes == b.volumes else "set_miscounted"


def volume_of_part(a: Features, b: Features) -> str:
    """Compare volumes where one record is entered under its series or set, with its number there, and one under its
    own title.
    """
    if b.is_set or a.is_set:
        return "part_set" if a.is_set and b.is_set or not (a.pages or b.pages) else "part_against_set"
    whole, own = (a, b) if a.parts else (b, a)
    numbers = {entry.rpartition("#")[2] for entry in own.series if entry.rpartition("#")[0] == whole.title} - {""}
    further = own.volume not in ("", whole.part_volume)  # a volume that `whole` does not state
    if numbers and whole.volume:
        same = "part_same_one_side" if further else "part_same"
        return same if whole.volume in numbers else "part_different"
    if own.volume and own.volume in (whole.volume, whole.part_volume):
        return "same"
    if further and whole.part_volume and own.title == whole.parts[0]:
        return "different"
    return "part_one_side" if further or whole.part_volume and own.title == whole.parts[0] else "part"


def _perhaps_equal(first: str, second: str) -> bool:
    """Whether two statements may mean one volume: 上 may be called 1, 中 2, and 下 2 or 3; a name may stand for a
    number.
    """
    if second in _PART_NUMBERS.get(first, ()) or first in _PART_NUMBERS.get(second, ()):
        return True
    number, name = (first, second) if first.isdecimal() else (second, first)
    return number.isdecimal() and len(name) > 1 and not _NUMBERED(name)


_NUMBERED = re.compile("[0-9]").search
_PART_NUMBERS = {"上": ("1", "前"), "中": ("2",), "下": ("2", "3", "後"), "前": ("1", "上"), "後": ("2", "下")}
