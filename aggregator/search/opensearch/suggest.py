"""Suggestions from the terms of the live index."""

from collections.abc import Callable
from typing import Any

from aggregator.search.analysis.fields import SUGGEST
from aggregator.search.opensearch.plan import Json, literal
from aggregator.search.suggest.choice import CANDIDATES, TermCounts, choose
from aggregator.search.suggest.entries import Suggestion

PATIENCE = "500ms"  # time limit of a search; short, because suggestions appear while the reader types


def suggest(ask: Callable[[Json], dict[str, Any]], typed: str) -> tuple[Suggestion, ...]:
    def beginning(prefix: str) -> TermCounts:
        """The most frequent terms, counted among the books that have one, so that no other term is looked at."""
        terms = {
            "field": SUGGEST,
            "size": CANDIDATES,
            "include": f"{literal(prefix)}.*",
            "execution_hint": "map",
        }
        answer = ask(
            {
                "query": {"constant_score": {"filter": {"prefix": {SUGGEST: prefix}}}},
                "size": 0,
                "aggs": {"terms": {"terms": terms}},
            }
        )
        return [(bucket["key"], bucket["doc_count"]) for bucket in answer["aggregations"]["terms"]["buckets"]]

    counted: dict[str, int] = {}

    def beginning_noted(prefix: str) -> TermCounts:
        terms = beginning(prefix)
        counted.update(terms)
        return terms

    return choose(typed, beginning_noted, counted.__getitem__)
