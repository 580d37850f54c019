"""Which of the terms that begin with what was typed are suggested, and in what order. Pure; knows no engine."""

import heapq
from collections.abc import Callable, Iterable, Sequence

from aggregator.search.suggest.entries import KINDS, Suggestion, split
from metadata.text.folding import fold_tight
from metadata.text.romaji import beginnings

MOST = 10
LONGEST = 60  # characters typed; who has typed more knows what to look for
OF_ONE_KIND = 5  # while there are others
CANDIDATES = 40  # looked at more closely

Counted = Sequence[tuple[str, int]]  # terms with the number of books, also of those that were deleted meanwhile


def choose(typed: str, beginning: Callable[[str], Counted], books_of: Callable[[str], int]) -> tuple[Suggestion, ...]:
    """At most MOST texts that begin with what is typed, in their own script or by their reading.

    What is typed to its end comes first, then what most books have. beginning: the CANDIDATES most frequent terms with
    this beginning (see `suggest_entries`). books_of: how many books have a term at this moment.
    """
    key = fold_tight(typed[: LONGEST + 1])
    if not key or len(key) > LONGEST:
        return ()
    prefixes = [key, *(each for each in beginnings(typed) if each != key)]
    found: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for term, books in (each for prefix in prefixes for each in beginning(prefix)):
        written, kind, label = split(term)
        place = found.get((kind, label), (False, 0, ""))
        found[kind, label] = max(place, (written in prefixes, books, term))
    ranked = heapq.nlargest(CANDIDATES, found.items(), key=lambda each: each[1][:2])
    return _mixed(_living(ranked, books_of))


def _living(
    ranked: Iterable[tuple[tuple[str, str], tuple[bool, int, str]]], books_of: Callable[[str], int]
) -> Iterable[tuple[bool, Suggestion]]:
    """With the counts of this moment; what nothing has any more is left out. One by one: few are needed."""
    for (kind, label), (whole, _books, term) in ranked:
        if books := books_of(term):
            yield whole, Suggestion(label, KINDS.get(kind, ""), books)


def _mixed(found: Iterable[tuple[bool, Suggestion]]) -> tuple[Suggestion, ...]:
    """The first MOST, of one kind no more than OF_ONE_KIND where others can fill the list."""
    chosen: list[tuple[bool, Suggestion]] = []
    spare: list[tuple[bool, Suggestion]] = []
    for each in found:
        same = sum(other[1].kind == each[1].kind for other in chosen)
        (chosen if same < OF_ONE_KIND else spare).append(each)
        if len(chosen) == MOST:
            break
    chosen += spare[: MOST - len(chosen)]
    return tuple(each for _whole, each in sorted(chosen, key=lambda each: (not each[0], -each[1].books, each[1].label)))
