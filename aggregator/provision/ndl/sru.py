"""The parameters of NDL Search's SRU, with its defaults. No response."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aggregator.provision.ndl import problems
from aggregator.provision.ndl.cql import order, read
from aggregator.provision.ndl.finding import DEFAULT_COUNT, Order, Wanted
from aggregator.provision.ndl.problems import Problem
from aggregator.search.tree import IMPOSSIBLE, combine

VERSIONS = ("1.1", "1.2")
PACKINGS = ("xml", "string")
DC = "info:srw/schema/1/dc-v1.1"
DCNDL = "http://ndl.go.jp/dcndl/terms/"
# Names and identifiers -> names; the draft of version 3 has the namespace of DC-NDL, so its name is its identifier.
SCHEMAS = {"dc": "dc", DC: "dc", "dcndl": "dcndl", DCNDL: "dcndl", "dcndl_v3": "dcndl_v3"}
IDENTIFIERS = {"dc": DC, "dcndl": DCNDL, "dcndl_v3": "dcndl_v3"}
_NUMBER = re.compile(r"[0-9]{1,9}")
Parameters = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form of the response. only_book: without the copies of the libraries."""

    version: str = VERSIONS[-1]
    packing: str = "string"
    schema: str = "dc"
    only_book: bool = False


def version(parameters: Parameters) -> str:
    """Return the version to answer in, whatever else is wrong with the request."""
    return next((value for value in (_value(parameters, "version"),) if value in VERSIONS), VERSIONS[-1])


def form(parameters: Parameters) -> Form:
    """Return the form of the response. Raises Problem."""
    if _value(parameters, "operation") != "searchRetrieve":
        raise Problem(problems.OPERATION)
    if _value(parameters, "version") not in ("", *VERSIONS):
        raise Problem(problems.VERSION)
    packing = _value(parameters, "recordPacking") or "string"
    if packing not in PACKINGS:
        raise Problem(problems.PACKING)
    schema = _value(parameters, "recordSchema") or "dc"
    if schema not in SCHEMAS:
        raise Problem(problems.SCHEMA)
    return Form(
        version=version(parameters),
        packing=packing,
        schema=SCHEMAS[schema],
        only_book=_value(parameters, "onlyBib").lower() == "true",
    )


def search(parameters: Parameters) -> Wanted:
    """Return the search. Raises Problem. Without a sort key the hits are ordered by title, as NDL's are."""
    text = _value(parameters, "query")
    if not text:
        raise Problem(problems.NO_QUERY)
    start = _number(parameters, "startRecord", 1, problems.START)
    count = _number(parameters, "maximumRecords", DEFAULT_COUNT, problems.MAXIMUM, least=0)
    ask = read(text)
    sort_keys = _value(parameters, "sortKeys") if version(parameters) == "1.1" else ""
    wanted_order = ask.order or (_sort_keys(sort_keys) if sort_keys else order("title", is_rising=True))
    # This site has no bibliographic data in preparation, which NDL gives under `inprocess`.
    is_in_process = _value(parameters, "inprocess").lower() == "true"
    tree = combine([ask.tree, IMPOSSIBLE]) if is_in_process else ask.tree
    return Wanted(tree=tree, start=start, count=count, order=wanted_order)


def _value(parameters: Parameters, name: str) -> str:
    return (parameters.get(name) or ("",))[0].strip()


def _number(parameters: Parameters, name: str, default: int, problem: str, least: int = 1) -> int:
    text = _value(parameters, name)
    if not text:
        return default
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise Problem(problem)
    return int(text)


def _sort_keys(text: str) -> Order:
    """Return the order of sortKeys, "path,schema,ascending"."""
    path, _schema, ascending, *_rest = [*text.split(","), "", ""]
    if ascending not in ("", "0", "1") or path not in ("title", "creator", "created_date", "modified_date"):
        raise Problem(problems.SORT)
    return order(path, ascending != "0")
