"""Counts of values among the hits of a search."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from aggregator.search.analysis.fields import PLACED, WORDED, printed_column, value_field
from aggregator.search.opensearch.plan import Json
from aggregator.search.plan.facets import ALL_VALUES, FREQUENT

# Values that each part of the index proposes, of facets with unlimited values. Counts of rare ones are approximate
# where an index has several parts.
_PROPOSED = 600


def count_fields(ask: Callable[[Json], dict[str, Any]], clause: Json, fields: Sequence[str]) -> dict[str, Counter[Any]]:
    """The number of hits with each value of these fields."""
    if not fields:
        return {}
    answer = ask({"query": clause, "size": 0, "aggs": {field: {"terms": _terms(field)} for field in fields}})
    return {
        field: Counter({bucket["key"]: bucket["doc_count"] for bucket in counted["buckets"]})
        for field, counted in answer["aggregations"].items()
    }


def _terms(field: str) -> Json:
    if field in WORDED:
        return {"field": printed_column(field), "size": FREQUENT, "shard_size": _PROPOSED}
    name = printed_column(field) if field in PLACED else field if field == "year" else value_field(field)
    return {"field": name, "size": ALL_VALUES}
