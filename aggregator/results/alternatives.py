"""Alternatives to a search that found nothing: it is tried without some of its conditions or words. No HTTP."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from msgspec import structs

from aggregator.query.parameters import address
from aggregator.results.conditions import Condition
from aggregator.search.base import TEXTS, Query, QueryError, SearchIndex
from aggregator.search.query.language import parse
from aggregator.search.tree import All, Node, Phrase, Word, children, leaves

MOST = 8  # searches that are tried: each costs as much as the one that found nothing
ONE_BY_ONE = 5  # conditions that are left out one by one, the last chosen first
QUOTES = re.compile('["“”„«»「」『』]')


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A search that finds something.

    kind: "condition" (one condition less), "alone" (only the words, without all that was chosen), "words" (one word
    less), or "quotes" (without quotation marks).
    """

    kind: str
    label: str
    value: str
    count: int
    url: str


class Hits:
    """Counts the hits of searches that are only proposed, each search once however often it is asked for."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        self._known: dict[Query, int] = {}

    def of(self, query: Query) -> int:
        """Return the number of hits; 0 for a search that would be refused.

        Hits are sorted by a number instead of ranked: this costs half as much, and the count is the same.
        """
        counted = structs.replace(query, page=1, page_size=1, sort="newest")
        if counted not in self._known:
            try:
                self._known[counted] = self.index.search(counted, facets=()).total
            except QueryError:
                self._known[counted] = 0
        return self._known[counted]


def alternative_searches(hits: Hits, query: Query, conditions: Iterable[Condition], base: str) -> list[Alternative]:
    """Return searches that differ in one thing and find something, the most similar first. Words of the free text are
    left out only if nothing is found with all of them.
    """
    found: list[Alternative] = []
    words_found = False
    for way, changed in islice(_changes(query, list(conditions)), MOST):
        has_words = bool(changed.q) and way.kind != "words"
        if (has_words or not words_found) and (count := hits.of(changed)):
            found.append(replace(way, count=count, url=address(changed, base)))
            words_found |= has_words
    return found


def _changes(query: Query, conditions: list[Condition]) -> Iterator[tuple[Alternative, Query]]:
    tree = parse(query.q)
    if any(isinstance(leaf, Phrase) for leaf in leaves(tree)):
        plain = QUOTES.sub(" ", query.q).strip()
        yield _alternative("quotes", "", plain), structs.replace(query, q=plain)
    if len(conditions) > 1:
        for condition in conditions[: -ONE_BY_ONE - 1 : -1]:  # the last chosen first
            yield _alternative("condition", condition.label, condition.value), condition.rest
    texts = {name: getattr(query, name) for name in TEXTS if getattr(query, name)}
    if texts and len(conditions) > len(texts) + 1:
        yield _alternative("alone", "", ""), Query(**texts)
    words = _plain_words(tree)
    for place in range(len(words)):
        fewer = " ".join(words[:place] + words[place + 1 :])
        yield _alternative("words", "", fewer), structs.replace(query, q=fewer)


def _plain_words(tree: Node) -> list[str]:
    """Return the words of a search for several plain words; [] for any other, because leaving out a word of it could
    change its meaning.
    """
    plain = [node.text for node in children(tree) if isinstance(node, Word) and not node.field]
    return plain if isinstance(tree, All) and len(plain) == len(tree.of) > 1 else []


def _alternative(kind: str, label: str, value: str) -> Alternative:
    return Alternative(kind=kind, label=label, value=value, count=0, url="")
