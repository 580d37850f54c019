"""Translate a plan into Tantivy's query objects."""

import re
from functools import singledispatch

from tantivy import FieldType, Occur
from tantivy import Query as Engine

from aggregator.search.plan.nodes import (
    Adjacent,
    Best,
    Between,
    Both,
    Constant,
    Everything,
    Like,
    Near,
    Nothing,
    OneOf,
    Plan,
    Term,
    Weighted,
    Wild,
)
from aggregator.search.tantivy.schema import SCHEMA

_SIGNED = ("year", "issued_first", "issued_last")
_WILDCARDS = {Wild.ANY: "[^ ]*", Wild.ONE: "[^ ]"}
_ALPHANUMERIC = {Wild.ANY: "[0-9a-z]*", Wild.ONE: "[0-9a-z]"}


def engine_query(plan: Plan) -> Engine:
    """Return the query for a plan."""
    return _translated(plan)


@singledispatch
def _translated(plan: Plan) -> Engine:
    raise TypeError(f"no translation of {plan!r}")


@_translated.register
def _term(plan: Term) -> Engine:
    return Engine.term_query(SCHEMA, plan.field, plan.value)


@_translated.register
def _one_of(plan: OneOf) -> Engine:
    if len(plan.values) == 1:
        # A set is looked for among all terms of the field, segment by segment, which takes ten times as long.
        return Engine.const_score_query(Engine.term_query(SCHEMA, plan.field, plan.values[0]), 1.0)
    return Engine.term_set_query(SCHEMA, plan.field, list(plan.values))


@_translated.register
def _adjacent(plan: Adjacent) -> Engine:
    return Engine.phrase_query(SCHEMA, plan.field, list(plan.terms))


@_translated.register
def _like(plan: Like) -> Engine:
    wildcards = _ALPHANUMERIC if plan.alphanumeric else _WILDCARDS
    pieces = [wildcards[piece] if isinstance(piece, Wild) else re.escape(piece) for piece in plan.pieces]
    return Engine.regex_query(SCHEMA, plan.field, "".join(pieces))


@_translated.register
def _near(plan: Near) -> Engine:
    return Engine.fuzzy_term_query(SCHEMA, plan.field, plan.text, plan.errors, True, plan.beginning)


@_translated.register
def _between(plan: Between) -> Engine:
    kind = FieldType.Integer if plan.field in _SIGNED else FieldType.Unsigned
    return Engine.range_query(SCHEMA, plan.field, kind, plan.first, plan.last)


@_translated.register
def _everything(_plan: Everything) -> Engine:
    return Engine.all_query()


@_translated.register
def _nothing(_plan: Nothing) -> Engine:
    return Engine.empty_query()


@_translated.register
def _best(plan: Best) -> Engine:
    return Engine.disjunction_max_query(list(map(_translated, plan.of)), tie_breaker=0.1)


@_translated.register
def _both(plan: Both) -> Engine:
    clauses = [
        *((Occur.Must, _translated(part)) for part in plan.must),
        *((Occur.Should, _translated(part)) for part in plan.should),
        *((Occur.MustNot, _translated(part)) for part in plan.must_not),
    ]
    return Engine.boolean_query(clauses, minimum_number_should_match=plan.least or None)


@_translated.register
def _constant(plan: Constant) -> Engine:
    return Engine.const_score_query(_translated(plan.of), plan.score)


@_translated.register
def _weighted(plan: Weighted) -> Engine:
    return Engine.boost_query(_translated(plan.of), plan.factor)
