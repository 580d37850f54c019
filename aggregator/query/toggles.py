"""What choosing and excluding a value changes in a search. Works on queries and their addresses alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aggregator.query.parameters import address, address_adding
from aggregator.search.base import CHOICES, FLAGS, Query

TREES = ("ndc", "region")  # nested values, which begin with the value that contains them: 913 is in 91


def chosen_values(query: Query, parameter: str) -> tuple[str, ...]:
    """Return the chosen values of a parameter."""
    if parameter in FLAGS:
        return ("1",) if getattr(query, parameter) else ()
    return tuple(getattr(query, CHOICES[parameter]))


def toggled(query: Query, parameter: str, value: str) -> dict[str, Any]:
    """Return the changes to a query that choose this value, or no longer choose it if it was chosen."""
    chosen = chosen_values(query, parameter)
    if parameter in FLAGS:
        return {parameter: not chosen}
    if value in chosen:
        return {CHOICES[parameter]: tuple(other for other in chosen if other != value)}
    if parameter in TREES:
        # A value replaces wider and narrower ones that are chosen: of two such values, the narrower adds no hits.
        chosen = tuple(other for other in chosen if not (other.startswith(value) or value.startswith(other)))
    return {CHOICES[parameter]: (*chosen, value)}


def toggle_address(query: Query, parameter: str, base: str) -> Callable[[str], str]:
    """Return a function value -> address of the search with this value toggled."""
    chosen = chosen_values(query, parameter)
    first = replace(query, page=1)
    add = address_adding(first, parameter, base)

    def chosen_address(value: str) -> str:
        plain = value not in chosen and not (parameter in TREES and chosen)
        return add(value) if plain else address(replace(first, **toggled(query, parameter, value)), base)

    return chosen_address


def exclude_address(query: Query, parameter: str, base: str) -> Callable[[str], str]:
    """Return a function value -> address of the search without records that have this value."""
    return address_adding(replace(query, page=1), f"-{parameter}", base)
