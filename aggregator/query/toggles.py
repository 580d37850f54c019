"""What ticking, taking away and excluding a value changes in a search. Works on queries and their addresses alone."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from aggregator.query.parameters import address_adding
from aggregator.search.base import CHOICES, FLAGS, Query

TREES = ("ndc", "region")  # nested values, which begin with the value that contains them: 913 is in 91


def chosen_values(query: Query, parameter: str) -> tuple[str, ...]:
    """Return the chosen values of a parameter."""
    if parameter in FLAGS:
        return ("1",) if getattr(query, parameter) else ()
    return tuple(getattr(query, CHOICES[parameter]))


def without_value(query: Query, parameter: str, value: str) -> dict[str, Any]:
    """Return the changes to a query that no longer choose this value."""
    if parameter in FLAGS:
        return {parameter: False}
    return {CHOICES[parameter]: tuple(other for other in chosen_values(query, parameter) if other != value)}


def narrowest(query: Query) -> Query:
    """Return the search without values of a tree that contain another chosen value: of 9 and 91 only 91 is left.

    Readers who tick a narrower value of a form mean it, and the wider one would find it anyway.
    """
    changes: dict[str, Any] = {}
    for parameter in TREES:
        chosen = chosen_values(query, parameter)
        changes[CHOICES[parameter]] = tuple(
            value for value in chosen if not any(other != value and other.startswith(value) for other in chosen)
        )
    return replace(query, **changes)


def exclude_address(query: Query, parameter: str, base: str) -> Callable[[str], str]:
    """Return a function value -> address of the search without records that have this value."""
    return address_adding(replace(query, page=1), f"-{parameter}", base)
