"""The texts of a book that are suggested while a reader types, and their terms in an index. Independent of the search
engine.

A term is the folded text that is typed, a tab, the kind, and the text as printed: "ココロ\ttこころ". So the terms
that begin with the typed text are the suggestions, and the number of books with a term is its rank. Where the typed
text is not the beginning of the text but of a later word, the kind is a capital: "ソウセキ\tC夏目, 漱石". In an engine
that keeps the printed texts elsewhere, a term has a code of the text in its place (`label_code`), because short terms
cost less to index.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from metadata.text.folding import fold, fold_tight
from metadata.text.printed_words import tails

TITLE, CREATOR, SUBJECT = "t", "c", "s"
KINDS = {TITLE: "title", CREATOR: "creator", SUBJECT: "subject"}
LONGEST = 80  # characters of a suggested text; nobody picks a longer one from a list
MOST = {TITLE: 3, CREATOR: 6, SUBJECT: 8}  # per book
MOST_WORDS = 4  # of a form, besides the first one, with which its suggestion may be found
TYPED_WORDS = 16  # characters from such a word on that may be typed
_MARK = "\t"
_CODE_BYTES, _CODE_LENGTH = 4, 5  # 30 bits
_BORDER = " + "  # `fold` leaves it unchanged


class Entry(NamedTuple):
    """A text that may be suggested. kind: TITLE, CREATOR or SUBJECT. forms: the typed forms that find it, including
    itself.
    """

    kind: str
    label: str
    forms: tuple[str, ...]


class Suggestion(NamedTuple):
    """A suggestion. kind: "title", "creator" or "subject". books: how many have it now."""

    label: str
    kind: str
    books: int


def make_entries(
    titles: Iterable[tuple[str, ...]], creators: Iterable[tuple[str, ...]], subjects: Iterable[tuple[str, ...]]
) -> tuple[Entry, ...]:
    """Return the entries of a book. A text comes as the tuple of its forms, the printed one first.

    Empty and over-long texts are left out, and those beyond MOST of a kind.
    """
    return (*_first(TITLE, titles), *_first(CREATOR, creators), *_first(SUBJECT, subjects))


def entry_terms(
    entries: Sequence[Entry], known: Mapping[str, str] | None = None, shown: Callable[[str], str] = str
) -> list[str]:
    """The terms of a book's entries. known: `fold` of texts that have already been folded. shown: what a term has for
    the printed text; a function of the module, because results are kept by it.
    """
    terms: list[str] = []
    for entry in entries:
        terms += _terms(entry, known or {}, shown) if entry.kind == TITLE else _recurring_terms(entry, shown)
    return terms


@lru_cache(maxsize=16_384)
def _recurring_terms(entry: Entry, shown: Callable[[str], str]) -> tuple[str, ...]:
    """The terms of a person or subject. Titles, which hardly recur, would only push these out of the cache."""
    return tuple(_terms(entry, {}, shown))


def _terms(entry: Entry, known: Mapping[str, str], shown: Callable[[str], str]) -> Iterable[str]:
    kind, label, forms = entry
    ending = shown(label)
    whole, later_word = f"{_MARK}{kind}{ending}", f"{_MARK}{kind.upper()}{ending}"
    terms: list[str] = []
    later: list[str] = []
    for form in forms:
        folded = known[form] if form in known else fold(form)
        if folded:
            terms.append(folded.replace(" ", "") + whole)
        later += [key[:TYPED_WORDS] + later_word for key in tails(form, folded, MOST_WORDS)]
    return dict.fromkeys(terms + later)


def label_code(label: str) -> str:
    """Return five characters that stand for a printed text.

    Texts with the same code and the same key are taken for one; one pair of texts in 1,000,000,000 has the same code.
    """
    digest = blake2b(label.encode("utf-8", "ignore"), digest_size=_CODE_BYTES).digest()
    return b64encode(digest)[:_CODE_LENGTH].decode("ascii")


def fold_all(texts: Sequence[str]) -> list[str]:
    """`fold_tight` of each text, folded in one go where that gives the same result."""
    parts = fold(_BORDER.join(texts)).split(_BORDER)
    if len(parts) != len(texts) or any(part.startswith("+") or part.endswith("+") for part in parts):
        return [fold_tight(text) for text in texts]
    return [part.replace(" ", "") for part in parts]


def split_term(term: str) -> tuple[str, str, str]:
    """Key, kind and label of a term; the kind of a later word is a capital."""
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
