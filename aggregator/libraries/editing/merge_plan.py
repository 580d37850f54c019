"""Decides what merging a library into another changes, and what undoing that restores. Pure.

The fields of the library that stays may take values of the one that is merged. Fields that belong together (the two
coordinates, prefecture and municipality) go together.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aggregator.libraries.editing.sources import FIELDS, NONE, RANK, source_of
from aggregator.libraries.edits import by_lists, with_list, with_people, without

_TOGETHER = {"prefecture": ("prefecture", "municipality"), "latitude": ("latitude", "longitude")}
_NOT_CHOSEN = ("parent", *(name for names in _TOGETHER.values() for name in names[1:]))
type Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two libraries. values: by field, as JSON can hold them. edited: its marks (`Library.edited`). above:
    the libraries of which it is a branch, directly or through others.
    """

    pk: int
    values: Values
    edited: Collection[str] = ()
    above: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Fields in which the two differ, named by the first of them. takes: whether the value of the merged library is
    the better one.
    """

    name: str
    kept: tuple[Any, ...]
    merged: tuple[Any, ...]
    takes: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """A field of the library that stays, before and after. marks: those of the field before."""

    before: Any
    after: Any
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What changes in the library that stays. edited: its marks afterwards."""

    replaced: Mapping[str, Replaced]
    edited: tuple[str, ...]


def choices(kept: Side, merged: Side) -> tuple[Choice, ...]:
    """Return the fields in which the two differ and the merged library has a value."""
    return tuple(_choices(kept, merged))


def plan(kept: Side, merged: Side, taken: Collection[str]) -> Plan:
    """Return what changes if the values of these fields are taken from the merged library."""
    offered = {choice.name for choice in choices(kept, merged)}
    names = [name for first in offered.intersection(taken) for name in _TOGETHER.get(first, (first,))]
    replaced = {name: _replaced(kept, name, merged.values[name]) for name in sorted(names)}
    lists = by_lists(merged.edited)
    people = [name for name in names if name not in lists]
    edited = with_people(without(kept.edited, names), people)
    edited = with_list(edited, [name for name in names if name in lists])
    if merged.pk in kept.above:  # else the library that stays could become a branch of itself
        parent = None if kept.pk in merged.above else merged.values["parent"]
        replaced["parent"] = _replaced(kept, "parent", parent)
    return Plan(replaced, tuple(edited))


def restored(kept: Side, replaced: Mapping[str, Replaced]) -> Plan:
    """Return what undoing changes: fields that were changed again since stay as they are."""
    names = [name for name, field in replaced.items() if kept.values[name] == field.after]
    values = {name: Replaced(kept.values[name], replaced[name].before) for name in names}
    marks = {mark for name in names if name != "parent" for mark in replaced[name].marks}
    edited = {*without(kept.edited, [name for name in names if name != "parent"]), *marks}
    return Plan(values, tuple(sorted(edited)))


def _choices(kept: Side, merged: Side) -> Iterator[Choice]:
    for name in FIELDS:
        if name in _NOT_CHOSEN:
            continue
        names = _TOGETHER.get(name, (name,))
        ours, theirs = (tuple(side.values[field] for field in names) for side in (kept, merged))
        if ours != theirs and _source(merged, name) != NONE:
            better = RANK.index(_source(merged, name)) < RANK.index(_source(kept, name))
            yield Choice(name, ours, theirs, better)


def _source(side: Side, name: str) -> str:
    """Where the value comes from; NONE for an empty one, whoever emptied it."""
    has_value = side.values[name] not in ("", None)
    return source_of(name, side.edited, has_value) if has_value else NONE


def _replaced(kept: Side, name: str, after: Any) -> Replaced:
    marks = tuple(mark for mark in kept.edited if mark == name or mark.endswith(f":{name}"))
    return Replaced(kept.values[name], after, marks)
