"""Which fields of a library people have filled in, and which an imported list: the marks in `Library.edited`. Pure.

`edited` holds the name of every field that records no longer change. For a field that an imported list filled in,
`edited` also holds the name with the prefix LIST: a later list may change such a field. A list never changes what
people typed.
"""

from collections.abc import Collection, Iterable

LIST = "list:"


def by_lists(edited: Collection[str]) -> frozenset[str]:
    """Return the fields that an imported list filled in."""
    return frozenset(name for name in edited if f"{LIST}{name}" in edited)


def by_people(edited: Collection[str]) -> frozenset[str]:
    """Return the fields that people filled in."""
    return frozenset(name for name in edited if not name.startswith(LIST)) - by_lists(edited)


def with_people(edited: Iterable[str], names: Collection[str]) -> list[str]:
    """Return the marks after people have filled in these fields."""
    return sorted({*without(edited, names), *names})


def with_list(edited: Collection[str], names: Iterable[str]) -> list[str]:
    """Return the marks after a list has filled in these fields. What people filled in stays theirs."""
    own = frozenset(names) - by_people(edited)
    return sorted({*edited, *own, *(f"{LIST}{name}" for name in own)})


def without(edited: Iterable[str], names: Collection[str]) -> list[str]:
    """Return the marks after these fields were given back to the records."""
    return sorted(mark for mark in edited if mark.removeprefix(LIST) not in names)
