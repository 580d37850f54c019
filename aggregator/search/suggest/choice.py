"""Which of the terms with the typed beginning are suggested, and in what order. Independent of the search engine."""

import heapq
from collections.abc import Callable, Iterable, Sequence

from aggregator.search.suggest.entries import KINDS, Suggestion, split_term
from metadata.text.folding import fold_tight
from metadata.text.romaji import kana_prefixes

MOST = 10
LONGEST = 60  # characters typed; a reader who has typed more knows the title
OF_ONE_KIND = 5  # suggestions of one kind at most, while there are enough of other kinds
CANDIDATES = 40  # terms whose current number of books is looked up, at most

TermCounts = Sequence[tuple[str, int]]  # terms with their number of books, including books deleted meanwhile


def choose(
    typed: str, beginning: Callable[[str], TermCounts], books_of: Callable[[str], int]
) -> tuple[Suggestion, ...]:
    """At most MOST texts that begin with the typed text, in their own script or by their reading.

    Texts that were typed completely come first, then those with most books. beginning: returns the CANDIDATES most
    frequent terms with this beginning (see `suggest.entries`). books_of: returns how many books have a term now.
    """
    key = fold_tight(typed[: LONGEST + 1])
    if not key or len(key) > LONGEST:
        return ()
    prefixes = [key, *(prefix for prefix in kana_prefixes(typed) if prefix != key)]
    best: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for term, books in (counted for prefix in prefixes for counted in beginning(prefix)):
        term_key, kind, label = split_term(term)
        known = best.get((kind, label), (False, 0, ""))
        best[kind, label] = max(known, (term_key in prefixes, books, term))
    ranked = heapq.nlargest(CANDIDATES, best.items(), key=lambda item: item[1][:2])
    return _mix_kinds(_with_current_counts(ranked, books_of))


def _with_current_counts(
    ranked: Iterable[tuple[tuple[str, str], tuple[bool, int, str]]], books_of: Callable[[str], int]
) -> Iterable[tuple[bool, Suggestion]]:
    """The candidates with current counts, without those that no book has any more. Lazily: few are needed."""
    for (kind, label), (complete, _books, term) in ranked:
        if books := books_of(term):
            yield complete, Suggestion(label, KINDS.get(kind, ""), books)


def _mix_kinds(candidates: Iterable[tuple[bool, Suggestion]]) -> tuple[Suggestion, ...]:
    """The first MOST candidates, of one kind at most OF_ONE_KIND as long as other kinds can fill the list."""
    chosen: list[tuple[bool, Suggestion]] = []
    spare: list[tuple[bool, Suggestion]] = []
    for candidate in candidates:
        same = sum(other[1].kind == candidate[1].kind for other in chosen)
        (chosen if same < OF_ONE_KIND else spare).append(candidate)
        if len(chosen) == MOST:
            break
    chosen += spare[: MOST - len(chosen)]
    return tuple(
        suggestion
        for _complete, suggestion in sorted(
            chosen, key=lambda candidate: (not candidate[0], -candidate[1].books, candidate[1].label)
        )
    )
