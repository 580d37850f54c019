"""Suggestions from the terms of the live index, by two requests at most, because the reader is typing.

The terms are counted among a sample of the books that have one with the typed beginning, then among all books.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from aggregator.search.analysis.fields import SUGGEST
from aggregator.search.opensearch.mapping import SUGGEST_KEY
from aggregator.search.opensearch.plan import Json, literal
from aggregator.search.suggest.choice import CANDIDATES, TermCounts, choose
from aggregator.search.suggest.entries import Suggestion

SAMPLE = 1000  # books; the terms of more are not looked at
type _Ask = Callable[[Json], dict[str, Any]]


def suggest(ask: _Ask, typed: str) -> tuple[Suggestion, ...]:
    known: dict[str, int] = {}
    return choose(typed, partial(_frequent, ask, known), partial(_counted, ask, known))


def _frequent(ask: _Ask, known: dict[str, int], beginnings: Sequence[str]) -> list[TermCounts]:
    """For each beginning the most frequent terms, with an estimate of their books. known: gets those that are exact."""
    filters = [{"prefix": {SUGGEST_KEY: beginning}} for beginning in beginnings]
    answer = ask(
        {
            "query": {
                "function_score": {
                    "query": {"bool": {"filter": {"bool": {"should": filters}}}},
                    "random_score": {"seed": 1, "field": "id"},  # the same sample each time, in every copy of the index
                    "boost_mode": "replace",
                }
            },
            "size": 0,
            "track_total_hits": False,
            "aggs": {str(number): _sample(of, beginnings[number]) for number, of in enumerate(filters)},
        }
    )
    return [_estimated(answer["aggregations"][str(number)], known) for number in range(len(filters))]


def _sample(begins: Json, beginning: str) -> Json:
    terms = {"field": SUGGEST, "size": CANDIDATES, "include": f"{literal(beginning)}.*", "execution_hint": "map"}
    sample = {"sampler": {"shard_size": SAMPLE}, "aggs": {"terms": {"terms": terms}}}
    return {"filter": begins, "aggs": {"sample": sample}}


def _estimated(counted: Json, known: dict[str, int]) -> TermCounts:
    terms = [(bucket["key"], bucket["doc_count"]) for bucket in counted["sample"]["terms"]["buckets"]]
    if counted["doc_count"] <= SAMPLE:
        known.update(terms)
        return terms
    return [(term, books * counted["doc_count"] // SAMPLE) for term, books in terms]


def _counted(ask: _Ask, known: dict[str, int], terms: Sequence[str]) -> list[int]:
    """The number of books of each term."""
    if unknown := [term for term in terms if term not in known]:
        filters = [{"term": {SUGGEST: term}} for term in unknown]
        answer = ask({"size": 0, "track_total_hits": False, "aggs": {"books": {"filters": {"filters": filters}}}})
        counts = [bucket["doc_count"] for bucket in answer["aggregations"]["books"]["buckets"]]
        known.update(zip(unknown, counts, strict=True))
    return [known[term] for term in terms]
