"""Converts a CQL query to the search tree and sort order. No HTTP; independent of the search engine."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from aggregator.provision.sru import terms
from aggregator.provision.sru.cql import Clause, Joined, Modifier, Name, SortKey, parse
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.provision.sru.indexes import (
    ALIASES,
    ANYWHERE,
    BY_NAME,
    EVERY_RECORD,
    ORDER_BY_NAME,
    SETS,
    Index,
    Order,
    printed_name,
)
from aggregator.search.base import Query
from aggregator.search.tree import NOTHING, Either, Node, Not, combine

NAMED_RELATIONS = ("scr", "all", "any", "adj", "exact", "within", "encloses")
# Modifiers that ask for what the search does anyway; they are accepted and have no effect.
SUPPORTED_MODIFIERS = ("ignorecase", "ignoreaccents", "word", "masked", "relevant", "fuzzy", "isodate", "string")
SUPPORTED_SORT_MODIFIERS = ("ignorecase", "ignoreaccents", "ascending", "descending")


def read(text: str) -> Query:
    """Return `tree` and `sort` of a CQL query, as a Query. Raises Diagnostic."""
    parsed = parse(text)
    order = sort_of(parsed.sort) if parsed.sort else "relevance"
    tree = _node(parsed.root)
    return Query(tree=NOTHING if tree == EVERY_RECORD else tree, sort=order)


def _node(part: Clause | Joined) -> Node:
    """Return the node of a part. Chains of the same boolean become one node with many parts, not a deep tree."""
    if isinstance(part, Clause):
        return _clause(part)
    _check_boolean(part)
    left, right = _node(part.left), _node(part.right)
    if part.boolean == "or":
        return combine([left, right], Either)
    return combine([left, Not(right) if part.boolean == "not" else right])


def _check_boolean(part: Joined) -> None:
    if part.boolean == "prox":
        raise Diagnostic(39, "prox", _("Use adj for adjacent words."))
    if part.modifiers:
        raise Diagnostic(46, str(part.modifiers[0].name))


def _clause(clause: Clause) -> Node:
    index = _index(clause.index)
    relation = _relation(clause.relation)
    if relation not in index.kind.relations:
        allowed = ", ".join(index.kind.relations)
        raise Diagnostic(22, f"{clause.index} {relation}", _("Allowed: %(names)s.") % {"names": allowed})
    for modifier in clause.modifiers:
        relation = _modified(relation, modifier)
    terms.check(clause.term)
    return index.kind.read(index, relation, clause.term)


def _index(name: Name) -> Index:
    full = _full_name(name)
    if full == "cql.resultsetid":
        raise Diagnostic(50, full)
    if not full:
        return ANYWHERE
    index = BY_NAME.get(full)
    if index is None:
        names = ", ".join(map(printed_name, BY_NAME))
        raise Diagnostic(16, str(name), _("Allowed: %(names)s.") % {"names": names})
    return index


def _full_name(name: Name) -> str:
    """Return the name as in the table of indexes, with the default prefix of its context set. Raises Diagnostic 15."""
    prefix = ALIASES.get(name.uri, "?") if name.uri else name.prefix
    if prefix and prefix not in SETS:
        known = ", ".join(f"{prefix} = {uri}" for prefix, uri in SETS.items())
        raise Diagnostic(15, name.uri or name.prefix, _("Allowed: %(names)s.") % {"names": known})
    return f"{prefix}.{name.local}" if prefix else name.local


def _relation(name: Name) -> str:
    if name.prefix not in ("", "cql"):
        raise Diagnostic(19, str(name))
    if name.local.isalpha() and name.local not in NAMED_RELATIONS:
        raise Diagnostic(
            19,
            str(name),
            _("Put several words in quotation marks. Allowed relations: %(names)s.")
            % {"names": ", ".join((*NAMED_RELATIONS, "=", "==", "<>", "<", "<=", ">", ">="))},
        )
    return name.local or "="


def _modified(relation: str, modifier: Modifier) -> str:
    if modifier.name.prefix not in ("", "cql", "rel") or modifier.name.local not in SUPPORTED_MODIFIERS:
        raise Diagnostic(20, str(modifier.name), _("Allowed: %(names)s.") % {"names": ", ".join(SUPPORTED_MODIFIERS)})
    return "==" if modifier.name.local == "string" and relation == "=" else relation


def sort_of(keys: Sequence[SortKey]) -> str:
    """Return the sort order of a query. Raises Diagnostic."""
    if len(keys) > 1:
        raise Diagnostic(84, str(keys[1].index))
    order = ORDER_BY_NAME.get(_full_name(keys[0].index))
    if order is None:
        known = ", ".join(map(printed_name, ORDER_BY_NAME))
        raise Diagnostic(88, str(keys[0].index), _("Allowed: %(names)s.") % {"names": known})
    names = [modifier.name.local for modifier in keys[0].modifiers]
    for name in names:
        if name not in SUPPORTED_SORT_MODIFIERS:
            raise Diagnostic({"respectcase": 91}.get(name, 92 if name.startswith("missing") else 80), name)
    return in_direction(order, "descending" in names, explicit=any(name.endswith("scending") for name in names))


def in_direction(order: Order, falling: bool, explicit: bool = True) -> str:
    """Return the search engine's name for this sort order in the given direction. If the query gave no direction (not
    explicit) and the order exists only in the other direction, that one is returned.

    Raises Diagnostic 90 if the order does not exist in the direction asked for.
    """
    result = order.falling if falling else order.rising
    if not result and not explicit:
        result = order.rising or order.falling
    if not result:
        raise Diagnostic(90, "descending" if falling else "ascending")
    return result
