"""What of a book is suggested while somebody types, and the terms of it in an index. Pure; knows no engine.

A term is what is typed, folded, and after a tab the kind and the text as printed: "ココロ\ttこころ". So the terms that
begin with what was typed are the suggestions, and how many books have a term is their rank.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from metadata.text.folding import fold, fold_tight

TITLE, CREATOR, SUBJECT = "t", "c", "s"
KINDS = {TITLE: "title", CREATOR: "creator", SUBJECT: "subject"}
LONGEST = 80  # characters of a text that is suggested; nobody picks a longer one from a list
MOST = {TITLE: 3, CREATOR: 6, SUBJECT: 8}  # of one book
_MARK = "\t"
_BORDER = " + "  # `fold` keeps it


class Entry(NamedTuple):
    """A text that may be suggested. kind: TITLE, CREATOR or SUBJECT. forms: by what it is typed, itself included."""

    kind: str
    label: str
    forms: tuple[str, ...]


class Suggestion(NamedTuple):
    """kind: "title", "creator" or "subject". books: how many have it now."""

    label: str
    kind: str
    books: int


def entries(
    titles: Iterable[tuple[str, ...]], creators: Iterable[tuple[str, ...]], subjects: Iterable[tuple[str, ...]]
) -> tuple[Entry, ...]:
    """Each text with its readings, the printed form first; what is empty or too long is left out."""
    return (*_first(TITLE, titles), *_first(CREATOR, creators), *_first(SUBJECT, subjects))


def terms(found: Sequence[Entry], known: Mapping[str, str] | None = None) -> list[str]:
    """The terms of a book's entries. known: `fold_tight` of texts that have been folded before."""
    if not found:
        return []
    folded = known or {}
    terms = [
        f"{key}{_MARK}{entry.kind}{entry.label}"
        for entry in found
        for form in entry.forms
        if (key := folded[form] if form in folded else folded_once(form))
    ]
    return list(dict.fromkeys(terms))


def keys(texts: Sequence[str]) -> list[str]:
    """`fold_tight` of each, folded in one go where that gives the same."""
    parts = fold(_BORDER.join(texts)).split(_BORDER)
    if len(parts) != len(texts) or any(part.startswith("+") or part.endswith("+") for part in parts):
        return [fold_tight(text) for text in texts]
    return [part.replace(" ", "") for part in parts]


folded_once = lru_cache(maxsize=16_384)(fold_tight)  # of persons and subjects, which come again and again


def split(term: str) -> tuple[str, str, str]:
    """Key, kind and label of a term."""
    key, _mark, rest = term.partition(_MARK)
    return key, rest[:1], rest[1:]


def _first(kind: str, texts: Iterable[tuple[str, ...]]) -> Iterable[Entry]:
    seen: dict[str, Entry] = {}
    for forms in texts:
        label = forms[0]
        if label and len(label) <= LONGEST and _MARK not in label and label not in seen:
            seen[label] = Entry(kind, label, tuple(dict.fromkeys(filter(None, forms))))
            if len(seen) == MOST[kind]:
                break
    return seen.values()
