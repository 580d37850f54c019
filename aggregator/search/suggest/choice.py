"""Which of the terms with the typed beginning are suggested, and in what order. Independent of the search engine."""

import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from aggregator.search.suggest.entries import KINDS, Suggestion, split_term
from metadata.text.confused import confused_spellings
from metadata.text.folding import fold_tight
from metadata.text.romaji import kana_prefixes

MOST = 10
LONGEST = 60  # characters typed; a reader who has typed more knows the title
OF_ONE_KIND = 5  # suggestions of one kind at most, while there are enough of other kinds
CONFUSED = 4  # other spellings that are tried, with a character that is commonly confused with a typed one
CANDIDATES = 40  # terms whose current number of books is looked up, at most

TermCounts = Sequence[tuple[str, int]]  # terms with their number of books, including books deleted meanwhile


def printed_labels(terms: Iterable[str]) -> list[str]:
    """The texts that terms end with."""
    return [split_term(term)[2] for term in terms]


def choose(
    typed: str,
    beginnings: Callable[[Sequence[str]], Iterable[TermCounts]],
    books_of: Callable[[Sequence[str]], Iterable[int]],
    labels: Callable[[Sequence[str]], Iterable[str]] = printed_labels,
) -> tuple[Suggestion, ...]:
    """At most MOST texts with a word that begins with the typed text, in their own script or by their reading.

    Texts that were typed completely come first, then those with most books. Characters that are commonly confused are
    tried too (see `metadata.text.confused`). beginnings: returns for each beginning the CANDIDATES most frequent terms
    (see `suggest.entries`). books_of: returns for each term how many books have it now; not all of them may be needed.
    labels: returns the printed texts of terms that have books.
    """
    key = fold_tight(typed[: LONGEST + 1])
    if not key or len(key) > LONGEST:
        return ()
    written = dict.fromkeys((key, *kana_prefixes(typed)))
    prefixes = dict.fromkeys((*written, *_confused(typed)))
    best: dict[tuple[str, str], _Rank] = {}
    for term, books in chain.from_iterable(beginnings(tuple(prefixes))):
        term_key, kind, label = split_term(term)
        from_start = kind.islower()
        rank = _Rank(from_start and term_key in written, books, from_start, term)
        best[kind.lower(), label] = max(rank, best.get((kind.lower(), label), rank))
    ranked = heapq.nlargest(CANDIDATES, best.items(), key=lambda item: item[1][:3])
    chosen = _mix_kinds(_with_current_counts(ranked, books_of))
    printed = labels([rank.term for rank, _suggestion in chosen])
    named = [(rank, found._replace(label=label)) for (rank, found), label in zip(chosen, printed, strict=True)]
    return tuple(suggestion for _rank, suggestion in sorted(named, key=_order))


def _confused(typed: str) -> list[str]:
    return [fold_tight(spelling) for spelling in confused_spellings(typed, CONFUSED)]


class _Rank(NamedTuple):
    """The rank of a text. complete: it was typed completely. from_start: it begins with what was typed."""

    complete: bool
    books: int
    from_start: bool
    term: str


type _Candidate = tuple[_Rank, Suggestion]


def _with_current_counts(
    ranked: Sequence[tuple[tuple[str, str], _Rank]], books_of: Callable[[Sequence[str]], Iterable[int]]
) -> Iterable[_Candidate]:
    """The candidates with current counts, without those that no book has any more. Lazily: few are needed."""
    for ((kind, label), rank), books in zip(ranked, books_of([rank.term for _text, rank in ranked]), strict=False):
        if books:
            yield rank, Suggestion(label, KINDS.get(kind, ""), books)


def _mix_kinds(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """The first MOST candidates, of one kind at most OF_ONE_KIND as long as other kinds can fill the list."""
    chosen: list[_Candidate] = []
    spare: list[_Candidate] = []
    for candidate in candidates:
        same = sum(other[1].kind == candidate[1].kind for other in chosen)
        (chosen if same < OF_ONE_KIND else spare).append(candidate)
        if len(chosen) == MOST:
            break
    return chosen + spare[: MOST - len(chosen)]


def _order(candidate: _Candidate) -> tuple[bool, int, bool, str]:
    rank, suggestion = candidate
    return not rank.complete, -suggestion.books, not rank.from_start, suggestion.label
