"""Follows libraries that were merged into others, however many mergings there were one after the other."""

from collections.abc import Iterable, Iterator, Mapping

from aggregator.models import Library

MOST_MERGINGS = 50  # that are followed from one library; the limit also ends a cycle


def successors(pk: int) -> Iterator[int]:
    """Yield a library and those that it was merged into, one after the other. One query for each."""
    following: int | None = pk
    for _step in range(MOST_MERGINGS):
        if following is None:
            return
        yield following
        following = Library.objects.filter(pk=following).values_list("merged_into", flat=True).first()


def present_library(library: Library) -> Library:
    """Return what a library is now: the one that it was merged into, else itself. No query for the latter."""
    for _step in range(MOST_MERGINGS):
        if library.merged_into is None:
            break
        library = library.merged_into
    return library


def present_keys[T](keys: Mapping[T, int]) -> dict[T, int]:
    """Return the libraries that these are now, without those that do not exist. A query, and one for each merging."""
    present = dict(keys)
    for _step in range(MOST_MERGINGS):
        rows = Library.objects.filter(pk__in=set(present.values())).values_list("pk", "merged_into")
        successor = dict(rows) if present else {}
        present = {name: successor[pk] or pk for name, pk in present.items() if pk in successor}
        if not any(successor.values()):
            break
    return present


def with_merged(keys: Iterable[int]) -> frozenset[int]:
    """Return these libraries, and all that were merged into them, directly or through others."""
    found = new = frozenset(keys)
    for _step in range(MOST_MERGINGS):
        if not new:
            break
        new = frozenset(Library.objects.filter(merged_into__in=new).values_list("pk", flat=True)) - found
        found |= new
    return found
