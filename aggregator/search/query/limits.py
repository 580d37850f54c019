"""What is refused before any engine is asked, and where a page begins. Knows no engine."""

from aggregator.search.base import ADDED, CHANGED, MAX_WINDOW, MAX_WORDS, SORTS, Query, QueryError, without_text
from aggregator.search.query.words import parts
from aggregator.search.tree import Node, Phrase, Word, leaves


def check_page(query: Query) -> None:
    """Raises QueryError for a page that cannot be."""
    if query.sort not in (*SORTS, ADDED, CHANGED):
        raise QueryError("unknown_sort", sort=query.sort)
    if query.page < 1 or query.page_size < 1 or query.start < 0:
        raise QueryError("bad_page", page=query.page, page_size=query.page_size)
    if query.page * query.page_size > MAX_WINDOW:
        raise QueryError("too_deep", limit=MAX_WINDOW)


def order_of(query: Query) -> str:
    """Without any text all scores are equal, and an order that people understand is worth more."""
    return "newest" if query.sort == "relevance" and without_text(query) else query.sort


def count_words(tree: Node, field: str) -> int:
    """How many words there are in it. Raises QueryError for more than MAX_WORDS; field: what it was typed into."""
    total = sum(map(words_of, (leaf for leaf in leaves(tree) if isinstance(leaf, Word | Phrase))))
    if total > MAX_WORDS:
        raise QueryError("too_many_words", field=field or "q", limit=MAX_WORDS, words=total)
    return total


def words_of(leaf: Word | Phrase) -> int:
    return len(parts(leaf.text)) if isinstance(leaf, Word) else 1


def number_in(place: str, largest: int) -> int:
    """The number in a mark. Raises QueryError for what is none, or too large."""
    if not (place.isascii() and place.isdigit() and len(place) < 20 and int(place) <= largest):
        raise bad_mark()
    return int(place)


def bad_mark() -> QueryError:
    return QueryError("bad_mark", field="cursor")
