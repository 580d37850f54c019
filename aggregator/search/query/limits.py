"""Checks before a query reaches an engine, and where a page begins. Independent of the engine."""

from aggregator.search.base import ADDED, CHANGED, MAX_WINDOW, MAX_WORDS, SORTS, Query, QueryError, has_no_text
from aggregator.search.query.words import word_parts
from aggregator.search.tree import Node, Phrase, Word, leaves


def check_page(query: Query) -> None:
    """Raise QueryError for an unknown order, an impossible page, or one beyond the first MAX_WINDOW hits."""
    if query.sort not in (*SORTS, ADDED, CHANGED):
        raise QueryError("unknown_sort", sort=query.sort)
    if query.page < 1 or query.page_size < 1 or query.start < 0:
        raise QueryError("bad_page", page=query.page, page_size=query.page_size)
    if query.page * query.page_size > MAX_WINDOW:
        raise QueryError("too_deep", limit=MAX_WINDOW)


def order_of(query: Query) -> str:
    """The order of the hits. Without any text all scores are equal, so newest first is more useful than relevance."""
    return "newest" if query.sort == "relevance" and has_no_text(query) else query.sort


def count_words(tree: Node, field: str) -> int:
    """Return the number of words in a tree. Raises QueryError above MAX_WORDS; field: where the text was typed."""
    total = sum(map(words_of, (leaf for leaf in leaves(tree) if isinstance(leaf, Word | Phrase))))
    if total > MAX_WORDS:
        raise QueryError("too_many_words", field=field or "q", limit=MAX_WORDS, words=total)
    return total


def words_of(leaf: Word | Phrase) -> int:
    return len(word_parts(leaf.text)) if isinstance(leaf, Word) else 1


def cursor_number(text: str, largest: int) -> int:
    """The number in a cursor. Raises QueryError if it is not a number, or too large."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= largest):
        raise bad_cursor()
    return int(text)


def bad_cursor() -> QueryError:
    return QueryError("bad_mark", field="cursor")
