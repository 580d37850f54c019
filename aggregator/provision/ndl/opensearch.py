"""The parameters of NDL Search's OpenSearch as a search. No HTTP, no response."""

import re
from collections.abc import Mapping, Sequence

from aggregator.provision.ndl import conditions
from aggregator.provision.ndl.conditions import BadValue
from aggregator.provision.ndl.finding import DEFAULT_COUNT, WINDOW, Wanted
from aggregator.search.tree import Field, Node, combine

# Parameter -> field of the index; NDL's other text fields are part of the search in everything.
_TEXTS: dict[str, Field] = {
    "any": "",
    "title": "title",
    "creator": "creator",
    "publisher": "publisher",
    "digitized_publisher": "",
}
CONDITIONS = (*_TEXTS, "ndc", "isbn", "from", "until", "mediatype", "dpid", "dpgroupid")
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
    match name:
        case "ndc":
            return [conditions.classification(text)]
        case "isbn":
            return [conditions.isbn_or_beginning(text)]
        case "mediatype":
            return [conditions.media_types(conditions.check(text).split())]
        case "dpid" | "dpgroupid":
            return [conditions.providers(conditions.check(text).split())]
    return []
