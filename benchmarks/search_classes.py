"""Queries by class for the search benchmarks, made from documents that exist."""

import random
from collections.abc import Callable, Iterator

from aggregator.search.base import Document, Query
from benchmarks.bibliography import LIBRARIES

ENGLISH = ("web", "java", "python", "linux", "library", "theory")
OWN = ("L1", "L27", "L300", "L301", "L720")  # the libraries that a reader chose
RARE = "鬱齟齬魑魅魍魎躊躇蹂躙"  # in no word of the made-up catalogue


def classes(sample: list[Document]) -> Iterator[tuple[str, Iterator[Query]]]:
    """Yield every class with its queries. Words are cut at random from existing titles, so that common words recur."""
    pick = random.Random(5)
    japanese = [title for document in sample for title in document.titles[:1] if not title.isascii()]
    named = [document for document in sample if document.creators]
    numbered = [document for document in sample if document.isbns]

    def endless(make: Callable[[], Query]) -> Iterator[Query]:
        while True:
            yield make()

    def cut(length: int) -> str:
        title = pick.choice(japanese)
        start = pick.randrange(max(1, len(title) - length + 1))
        return title[start : start + length]

    def name() -> str:
        return pick.choice(named).creators[0]

    yield "one character", endless(lambda: Query(q=cut(1)))
    yield "two characters", endless(lambda: Query(q=cut(2)))
    yield "three characters", endless(lambda: Query(q=cut(3)))
    yield "whole title", endless(lambda: Query(q=pick.choice(japanese)))
    yield "phrase", endless(lambda: Query(q=f'"{cut(4)}"'))
    yield "reading", endless(lambda: Query(q=pick.choice(sample).titles[-1]))
    yield "English word", endless(lambda: Query(q=pick.choice(ENGLISH)))
    yield "creator", endless(lambda: Query(creator=name()))
    yield "word and creator", endless(lambda: Query(q=f"{cut(2)} {name()}"))
    yield "ISBN", endless(lambda: Query(q=pick.choice(numbered).isbns[0]))
    yield "word and three facets", endless(lambda: narrowed(cut(2)))
    yield "word in own libraries", endless(lambda: Query(q=cut(2), libraries=OWN))
    yield "name of a library", endless(lambda: Query(q=f"見本市立第{pick.randrange(LIBRARIES)}図書館"))
    yield "word, newest first", endless(lambda: Query(q=cut(2), sort="newest"))
    yield "everything", endless(Query)
    yield "no hit", endless(lambda: Query(q="".join(pick.choices(RARE, k=3))))


def narrowed(word: str) -> Query:
    """A query narrowed by facets: two providers, a type, a span of years."""
    return Query(q=word, repositories=("R100000001", "R100000003"), types=("Book",), from_year=1990, until_year=2010)


def typed(sample: list[Document], count: int) -> list[str]:
    """Inputs for which a reader sees suggestions: the first one to four characters of titles, readings and names."""
    pick = random.Random(6)
    texts = [text for document in sample for text in (*document.titles, *document.creators)]
    return [pick.choice(texts)[: pick.randint(1, 4)] for _ in range(count)]
