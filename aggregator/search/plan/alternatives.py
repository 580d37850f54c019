"""For facets with a chosen value: within what they are refined, and the query as if nothing were chosen. Independent of
the engine.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from aggregator.search.base import CHOICES, CHOSEN_WITH, FLAGS, Query


def refined(query: Query) -> dict[str, Sequence[str]]:
    """By facet, the chosen values within which its counts are refined."""
    return {"ndc": query.ndcs, "region": query.regions, "library": query.regions}


def widened(query: Query) -> Iterator[tuple[str, Query]]:
    """For each facet with a chosen value, the query without that choice."""
    for facet, condition in CHOSEN_WITH.items():
        if (field := CHOICES.get(condition)) and getattr(query, field):
            without: dict[str, Any] = {field: ()}
            yield facet, replace(query, **without)
    for flag in FLAGS:
        if getattr(query, flag):
            without = {flag: False}
            yield flag, replace(query, **without)
    if query.from_year or query.until_year:
        yield "year", replace(query, from_year=0, until_year=0)
