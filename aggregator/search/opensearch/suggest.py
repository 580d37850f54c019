"""Suggestions from the terms of the live index.

The terms are counted among a sample of the books that have one with the typed beginning, then among all books.
"""

from collections.abc import Callable, Sequence
from typing import Any

from aggregator.search.analysis.fields import SUGGEST
from aggregator.search.opensearch.mapping import SUGGEST_KEY
from aggregator.search.opensearch.plan import Json, literal
from aggregator.search.suggest.choice import CANDIDATES, TermCounts, choose
from aggregator.search.suggest.entries import Suggestion

SAMPLE = 1000  # books; the terms of more are not looked at
type _Ask = Callable[[Json], dict[str, Any]]


def suggest(ask: _Ask, typed: str) -> tuple[Suggestion, ...]:
    counted: dict[str, int] = {}

    def beginning(prefix: str) -> TermCounts:
        terms = _frequent(ask, prefix)
        counted.update(terms)
        return terms

    return choose(typed, beginning, counted.__getitem__)


def _frequent(ask: _Ask, prefix: str) -> TermCounts:
    """The most frequent terms with this beginning, with the number of all their books."""
    terms = {"field": SUGGEST, "size": CANDIDATES, "include": f"{literal(prefix)}.*", "execution_hint": "map"}
    answer = ask(
        {
            "query": {
                "function_score": {
                    "query": {"constant_score": {"filter": {"prefix": {SUGGEST_KEY: prefix}}}},
                    "random_score": {"seed": 1, "field": "id"},  # the same sample each time, in every copy of the index
                    "boost_mode": "replace",
                }
            },
            "size": 0,
            "aggs": {"sample": {"sampler": {"shard_size": SAMPLE}, "aggs": {"terms": {"terms": terms}}}},
        }
    )
    buckets = answer["aggregations"]["sample"]["terms"]["buckets"]
    if answer["hits"]["total"]["value"] > SAMPLE:
        return _counted(ask, [bucket["key"] for bucket in buckets])
    return [(bucket["key"], bucket["doc_count"]) for bucket in buckets]


def _counted(ask: _Ask, terms: Sequence[str]) -> TermCounts:
    """The terms with the number of their books."""
    filters = [{"term": {SUGGEST: term}} for term in terms]
    answer = ask({"size": 0, "aggs": {"books": {"filters": {"filters": filters}}}})
    buckets = answer["aggregations"]["books"]["buckets"]
    return [(term, bucket["doc_count"]) for term, bucket in zip(terms, buckets, strict=True)]
