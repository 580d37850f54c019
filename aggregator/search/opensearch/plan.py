"""Translate a plan into the query language of OpenSearch."""

import re
from functools import singledispatch
from typing import Any

from aggregator.search.analysis.fields import NO_TERM, SUGGEST
from aggregator.search.opensearch.documents import exact
from aggregator.search.opensearch.mapping import SUGGEST_KEY
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

type Json = dict[str, Any]
_WILDCARDS = {Wild.ANY: ".*", Wild.ONE: "."}
_ALPHANUMERIC = {Wild.ANY: "[0-9a-z]*", Wild.ONE: "[0-9a-z]"}
_SIGN = re.compile(r"[^\w\s]")


def engine_query(plan: Plan) -> Json:
    """Return the query for a plan."""
    return _translated(plan)


@singledispatch
def _translated(plan: Plan) -> Json:
    raise TypeError(f"no translation of {plan!r}")


@_translated.register
def _term(plan: Term) -> Json:
    return {"term": {plan.field: _value(plan.field, plan.value)}}


@_translated.register
def _one_of(plan: OneOf) -> Json:
    return {"terms": {plan.field: [_value(plan.field, value) for value in plan.values]}}


@_translated.register
def _adjacent(plan: Adjacent) -> Json:
    """NO_TERM stands for terms that are left out between two others; the analyzer "adjacent" drops it."""
    terms: list[str] = []
    for position, term in plan.terms:
        terms += [NO_TERM] * (position - plan.terms[0][0] - len(terms)) + [term]
    text = " ".join(terms)
    return {"match_phrase": {plan.field: {"query": text, "analyzer": "adjacent"}}}


@_translated.register
def _like(plan: Like) -> Json:
    wildcards = _ALPHANUMERIC if plan.alphanumeric else _WILDCARDS
    pattern = "".join([wildcards[piece] if isinstance(piece, Wild) else literal(piece) for piece in plan.pieces])
    return {"regexp": {plan.field: {"value": pattern, "flags": "NONE"}}}


@_translated.register
def _near(plan: Near) -> Json:
    """Similar terms. Lucene knows no similar beginnings, so only whole texts are similar."""
    field = SUGGEST_KEY if plan.field == SUGGEST else plan.field
    return {"fuzzy": {field: {"value": plan.text, "fuzziness": plan.errors, "transpositions": True}}}


@_translated.register
def _between(plan: Between) -> Json:
    ends = {"gte": plan.first} | ({} if plan.last is None else {"lte": plan.last})
    return {"range": {plan.field: ends}}


@_translated.register
def _everything(_plan: Everything) -> Json:
    return {"match_all": {}}


@_translated.register
def _nothing(_plan: Nothing) -> Json:
    return {"match_none": {}}


@_translated.register
def _best(plan: Best) -> Json:
    return {"dis_max": {"queries": list(map(_translated, plan.of)), "tie_breaker": 0.1}}


@_translated.register
def _both(plan: Both) -> Json:
    conditions = [part for part in plan.must if isinstance(part, Constant) and not part.score]
    clauses: Json = {
        "must": [_translated(part) for part in plan.must if part not in conditions],
        "filter": [_translated(part.of) for part in conditions],
        "should": list(map(_translated, plan.should)),
        "must_not": list(map(_translated, plan.must_not)),
    }
    if plan.should:
        clauses["minimum_should_match"] = plan.least
    return {"bool": {name: of_name for name, of_name in clauses.items() if of_name or name == "minimum_should_match"}}


@_translated.register
def _constant(plan: Constant) -> Json:
    return {"constant_score": {"filter": _translated(plan.of), "boost": plan.score}}


@_translated.register
def _weighted(plan: Weighted) -> Json:
    return {"bool": {"must": [_translated(plan.of)], "boost": plan.factor}}


def literal(text: str) -> str:
    """A text in a regular expression of Lucene."""
    return _SIGN.sub(lambda sign: f"\\{sign[0]}", text)


def _value(field: str, value: str | int) -> str | int:
    return exact(value) if field == "exact" and isinstance(value, int) else value
