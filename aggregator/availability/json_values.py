"""Decodes JSON of other machines, and finds values in it by paths. Pure.

A path names keys with dots between them: "copies.status". A list on the way stands for all of its elements; a number
chooses one of them: "copies.0.status".
"""

from typing import Any

import msgspec

from aggregator.availability.answers import UnreadableAnswer

MOST_NODES = 2000  # values that a path may lead to at each step
DEEPEST_PATH = 12


def decode(body: bytes) -> Any:
    """Return a JSON text as Python values. Raises UnreadableAnswer."""
    try:
        return msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:  # msgspec's errors and UnicodeDecodeError are ValueErrors
        raise UnreadableAnswer("availability.no_json", str(error)) from error


def as_list(value: object) -> list[Any]:
    """Return a list as it is, nothing for null, anything else as the only element."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def values_at(value: object, path: str) -> list[Any]:
    """Return all values that a path leads to; of a list at its end the elements."""
    nodes = [value]
    for part in path.split(".")[:DEEPEST_PATH] if path else ():
        nodes = [found for node in nodes for found in _step(node, part)][:MOST_NODES]
    return [element for node in nodes for element in (node if isinstance(node, list) else (node,))][:MOST_NODES]


def value_at(value: object, path: str) -> Any:
    """Return the first value that a path leads to; None without a path, or if it leads nowhere."""
    found = values_at(value, path) if path else []
    return found[0] if found else None


def _step(node: object, part: str) -> list[Any]:
    if isinstance(node, dict):
        return [node[part]] if part in node else []
    if not isinstance(node, list):
        return []
    if part.isdecimal():
        return node[int(part) : int(part) + 1] if len(part) < 7 else []
    return [found for element in node[:MOST_NODES] if isinstance(element, dict) for found in _step(element, part)]
