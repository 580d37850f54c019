"""What to change in a search that found nothing: its conditions one by one, with what the rest finds. No HTTP."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from aggregator.query.parameters import address
from aggregator.results.conditions import Condition
from aggregator.search.base import TEXTS, Query, QueryError, SearchIndex
from aggregator.search.query.language import parse
from aggregator.search.tree import All, Node, Phrase, Word, children, leaves

MOST = 8  # searches to look for a way out: each costs as much as the one that found nothing
ONE_BY_ONE = 5  # conditions: of more than these all go at once
QUOTES = re.compile('["“”„«»「」『』]')


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """A search that finds something. kind: "condition" (without it), "alone" (its words without all that was
    chosen), "words" (fewer words), "quotes" (none)."""

    kind: str
    label: str
    value: str
    count: int
    url: str


def ways_out(index: SearchIndex, query: Query, conditions: Iterable[Condition], base: str) -> list[WayOut]:
    """Searches that differ in one thing and find something, the nearest first."""
    first = [each for each, _place in zip(_changes(query, list(conditions)), range(MOST), strict=False)]
    found = [(replace(each, count=hits(index, wanted)), wanted) for each, wanted in first]
    return [replace(each, url=address(wanted, base)) for each, wanted in found if each.count]


def hits(index: SearchIndex, query: Query) -> int:
    """How many there are of a search that is only proposed; 0 for one that would be refused."""
    try:
        return index.search(replace(query, page=1, page_size=1), facets=()).total
    except QueryError:
        return 0


def _changes(query: Query, conditions: list[Condition]) -> Iterator[tuple[WayOut, Query]]:
    tree = parse(query.q)
    if any(isinstance(leaf, Phrase) for leaf in leaves(tree)):
        plain = QUOTES.sub(" ", query.q).strip()
        yield _way("quotes", "", plain), replace(query, q=plain)
    if len(conditions) > 1:
        for each in conditions[: -ONE_BY_ONE - 1 : -1]:  # what was chosen last goes first
            yield _way("condition", each.label, each.value), each.rest
    texts = {name: getattr(query, name) for name in TEXTS if getattr(query, name)}
    if texts and len(conditions) > len(texts) + 1:
        yield _way("alone", "", ""), Query(**texts)
    words = _plain_words(tree)
    for place in range(len(words)):
        fewer = " ".join(words[:place] + words[place + 1 :])
        yield _way("words", "", fewer), replace(query, q=fewer)


def _plain_words(tree: Node) -> list[str]:
    """The words, where there are several and nothing else: no other search can be cut without knowing its sense."""
    plain = [each.text for each in children(tree) if isinstance(each, Word) and not each.field]
    return plain if isinstance(tree, All) and len(plain) == len(tree.of) > 1 else []


def _way(kind: str, label: str, value: str) -> WayOut:
    return WayOut(kind=kind, label=label, value=value, count=0, url="")
