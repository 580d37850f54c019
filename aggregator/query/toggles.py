"""What choosing and excluding a value changes in a search. Pure; knows queries and their addresses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aggregator.query.parameters import adding, address
from aggregator.search.base import CHOICES, Query


def chosen_values(query: Query, parameter: str) -> tuple[str, ...]:
    """The values of a choice that are in force."""
    if parameter == "online":
        return ("1",) if query.online else ()
    return tuple(getattr(query, CHOICES[parameter]))


def toggled(query: Query, parameter: str, value: str) -> dict[str, Any]:
    """The change of a query that adds this value to its alternatives, or takes it away where it was among them."""
    chosen = chosen_values(query, parameter)
    if parameter == "online":
        return {"online": not chosen}
    if value in chosen:
        return {CHOICES[parameter]: tuple(each for each in chosen if each != value)}
    if parameter == "ndc":  # a class goes in place of the wider one and of the narrower ones: else it would add nothing
        chosen = tuple(each for each in chosen if not (each.startswith(value) or value.startswith(each)))
    return {CHOICES[parameter]: (*chosen, value)}


def choose(query: Query, parameter: str, base: str) -> Callable[[str], str]:
    """value -> the address of the search in which it is chosen, or no longer."""
    chosen = chosen_values(query, parameter)
    first = replace(query, page=1)
    add = adding(first, parameter, base)

    def chosen_address(value: str) -> str:
        plain = value not in chosen and not (parameter == "ndc" and chosen)
        return add(value) if plain else address(replace(first, **toggled(query, parameter, value)), base)

    return chosen_address


def exclude(query: Query, parameter: str, base: str) -> Callable[[str], str]:
    """value -> the address of the search without what has it."""
    return adding(replace(query, page=1), f"-{parameter}", base)
