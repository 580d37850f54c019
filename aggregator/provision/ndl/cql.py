"""The query of NDL Search's SRU, in its subset of CQL, as a search tree and sort order.

Reads the database only for providers and items. Operators follow tables 3-2 and 3-3 of the specification.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from aggregator.provision.ndl import conditions
from aggregator.provision.ndl.conditions import BadValue
from aggregator.provision.ndl.finding import Order
from aggregator.provision.ndl.problems import MEDIA_TYPE, SORT, SYNTAX, Problem
from aggregator.provision.sru.cql import Clause, Joined, SortKey, parse
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.search.base import ADDED, CHANGED
from aggregator.search.tree import All, Either, Field, Node, Not, combine

# NDL's sort keys: the order of this site, and whether it rises.
_ORDERS = {
    "title": ("title", True),
    "creator": ("creator", True),
    "issued_date": ("oldest", True),
    "created_date": (ADDED, False),
    "modified_date": (CHANGED, False),
}
_EQUAL = ("=", "==", "exact", "scr", "")
_TEXTS: dict[str, Field] = {
    "title": "title",
    "creator": "creator",
    "publisher": "publisher",
    "digitized_publisher": "digitizer",
    "description": "description",
    "subject": "subject",
    "anywhere": "",
    "": "",
}
_SINGLE: dict[str, Callable[[str], Node]] = {
    "ndc": conditions.classification,
    "ndlc": conditions.ndlc,
    "isbn": conditions.isbn,
    "issn": conditions.issn,
    "jpno": conditions.bibliography_number,
    "from": lambda text: conditions.dates(text, ""),
    "until": lambda text: conditions.dates("", text),
    "itemno": conditions.item,
}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a query asks for. order: None if it names none."""

    tree: Node
    order: Order | None = None


def read(text: str) -> Ask:
    """Return what a query asks for. Raises Problem."""
    try:
        query = parse(text, several_words=("any", "all"))
        dates = [clause.term.strip() for clause in _clauses(query.root) if clause.index.local in ("from", "until")]
        if len(set(map(len, dates))) > 1:  # both must be equally precise
            raise Problem(SYNTAX)
        tree = _node(query.root)
    except (Diagnostic, BadValue) as problem:
        raise Problem(SYNTAX) from problem
    return Ask(tree, _sort(query.sort) if query.sort else None)


def order(path: str, is_rising: bool) -> Order:
    """Return the order of one of NDL's sort keys. Raises Problem."""
    if path not in _ORDERS:
        raise Problem(SORT)
    sort, rises = _ORDERS[path]
    return Order(sort, is_reversed=is_rising != rises)


def _sort(keys: tuple[SortKey, ...]) -> Order:
    modifiers = {str(modifier.name) for modifier in keys[0].modifiers}
    if len(keys) > 1 or modifiers - {"sort.ascending", "sort.descending"}:
        raise Problem(SORT)
    return order(str(keys[0].index), "sort.descending" not in modifiers)


def _clauses(part: Clause | Joined) -> list[Clause]:
    return [part] if isinstance(part, Clause) else [*_clauses(part.left), *_clauses(part.right)]


def _node(part: Clause | Joined) -> Node:
    if isinstance(part, Clause):
        return _clause(part)
    if part.boolean == "prox" or part.modifiers:
        raise BadValue(part.boolean)
    left, right = _node(part.left), _node(part.right)
    if part.boolean == "or":
        return combine([left, right], Either)
    return combine([left, Not(right) if part.boolean == "not" else right])


def _clause(clause: Clause) -> Node:
    name, relation = str(clause.index), str(clause.relation)
    term = _ESCAPED.sub(r"\1", clause.term)
    if relation not in (*_EQUAL, "any", "all") or clause.modifiers:
        raise BadValue(relation)
    if name in _TEXTS:
        return combine(conditions.words(term, _TEXTS[name]), Either if relation == "any" else All)
    if relation == "all":
        raise BadValue(relation)
    if name in ("dpid", "dpgroupid"):
        return conditions.providers(conditions.check(term).split())
    if name == "mediatype":
        return _media_types(term)
    if name not in _SINGLE or relation == "any":
        raise BadValue(name)
    return _SINGLE[name](term)


def _media_types(term: str) -> Node:
    try:
        return conditions.media_types(conditions.check(term).split())
    except BadValue as problem:
        raise Problem(MEDIA_TYPE) from problem
