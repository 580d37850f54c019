"""The parameters of NDL Search's OpenSearch as a search. No HTTP, no response."""

import re
from collections.abc import Callable, Mapping, Sequence

from aggregator.provision.ndl import conditions
from aggregator.provision.ndl.conditions import BadValue
from aggregator.provision.ndl.finding import DEFAULT_COUNT, WINDOW, Wanted
from aggregator.search.tree import Field, Node, combine

# Parameter -> field of the index.
_TEXTS: dict[str, Field] = {
    "any": "",
    "title": "title",
    "creator": "creator",
    "publisher": "publisher",
    "digitized_publisher": "digitizer",
}
_SINGLE: dict[str, Callable[[str], Node]] = {
    "ndc": conditions.classification,
    "isbn": conditions.isbn_or_beginning,
    "issn": conditions.issn_or_beginning,  # not in NDL's table
}
_SEVERAL: dict[str, Callable[[list[str]], Node]] = {
    "mediatype": conditions.media_types,
    "dpid": conditions.providers,
    "dpgroupid": conditions.providers,
}
CONDITIONS = (*_TEXTS, *_SINGLE, "from", "until", *_SEVERAL)
_NUMBER = re.compile(r"[0-9]{1,6}")
Parameters = Mapping[str, Sequence[str]]


def read(parameters: Parameters) -> Wanted:
    """Return the search. Unknown parameters are ignored. Raises BadValue where NDL Search would find nothing."""
    given = {name: " ".join(parameters[name]).strip() for name in (*CONDITIONS, "cnt", "idx") if name in parameters}
    given = {name: text for name, text in given.items() if text}
    nodes = [node for name, text in given.items() for node in _nodes(name, text)]
    if "from" in given or "until" in given:
        nodes.append(conditions.dates(given.get("from", ""), given.get("until", "")))
    if not given.keys() & set(CONDITIONS) - {"dpid"}:
        raise BadValue("dpid")
    count = number(given.get("cnt", ""), DEFAULT_COUNT)
    return Wanted(tree=combine(nodes), start=number(given.get("idx", ""), 1), count=min(count, WINDOW))


def number(text: str, default: int) -> int:
    """Return a number from 1. Raises BadValue."""
    if not text:
        return default
    if not _NUMBER.fullmatch(text) or not int(text):
        raise BadValue(text)
    return int(text)


def _nodes(name: str, text: str) -> list[Node]:
    if name in _TEXTS:
        return conditions.words(text, _TEXTS[name])
    if name in _SINGLE:
        return [_SINGLE[name](text)]
    if name in _SEVERAL:
        return [_SEVERAL[name](conditions.check(text).split())]
    return []
