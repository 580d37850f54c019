"""Parses the parameters of an SRU request."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.provision.sru.indexes import ORDER_BY_NAME
from aggregator.provision.sru.reading import in_direction
from aggregator.provision.sru.schemas import Schema, default_schema, schema_named, schemas
from aggregator.query import values
from aggregator.query.values import BadParameter

VERSIONS = ("1.1", "1.2")
EXPLAIN, SEARCH, SCAN = "explain", "searchRetrieve", "scan"
MAX_RECORDS = 500  # per response; nextRecordPosition leads to the rest, to the end of any result
DEFAULT_RECORDS = 20
PACKINGS = ("xml", "string")
CURSOR = "x-cursor"
_KNOWN = {
    EXPLAIN: ("operation", "version", "recordPacking", "stylesheet", "extraRequestData"),
    SEARCH: (
        *("operation", "version", "query", "startRecord", "maximumRecords", "recordPacking", "recordSchema"),
        *("recordXPath", "resultSetTTL", "sortKeys", "stylesheet", "extraRequestData"),
    ),
}
_NUMBER = re.compile(r"[0-9]{1,10}")
_PATH = re.compile(r"(?:/?(?:record/)?)?(?P<name>[A-Za-z_.]+)/?")
Parameters = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A searchRetrieve request. start: from 1. cursor: from the previous page, or "". sort: "" if not requested."""

    query: str
    start: int = 1
    maximum: int = DEFAULT_RECORDS
    packing: str = "xml"
    schema: Schema = field(default_factory=default_schema)
    sort: str = ""
    cursor: str = ""
    echoed: dict[str, str] = field(default_factory=dict)  # the request's parameters, which the response repeats


def operation(parameters: Parameters) -> str:
    """Return the requested operation; explain if none is named. Raises Diagnostic 4."""
    value = _single(parameters, "operation") or (SEARCH if "query" in parameters else EXPLAIN)
    if value not in (EXPLAIN, SEARCH):
        raise Diagnostic(4, value, _("Allowed: %(names)s.") % {"names": f"{SEARCH}, {EXPLAIN}"})
    return value


def version(parameters: Parameters) -> str:
    """Return the version to answer in; the highest if none is named. Raises Diagnostic 5 with the highest version."""
    value = _single(parameters, "version") or VERSIONS[-1]
    if value not in VERSIONS:
        raise Diagnostic(5, VERSIONS[-1], _("Allowed: %(names)s.") % {"names": ", ".join(VERSIONS)})
    return value


def check_names(parameters: Parameters, operation: str) -> None:
    """Raise Diagnostic for unknown or unsupported parameters. Extensions, which begin with x-, are ignored."""
    for name in parameters:
        if name not in _KNOWN[operation] and not name.startswith("x-"):
            raise Diagnostic(8, name, _("Allowed: %(names)s.") % {"names": ", ".join(_KNOWN[operation])})
    if _single(parameters, "stylesheet"):
        raise Diagnostic(110, "stylesheet")
    if _single(parameters, "recordXPath"):
        raise Diagnostic(72, "recordXPath")


def search(parameters: Parameters) -> Search:
    """Return the searchRetrieve request. Raises Diagnostic."""
    query = _single(parameters, "query")
    if not query:
        raise Diagnostic(7, "query", 'query=title="こころ"')
    return Search(
        query=query,
        start=_number(parameters, "startRecord", 1, least=1),
        maximum=min(_number(parameters, "maximumRecords", DEFAULT_RECORDS, least=0), MAX_RECORDS),
        packing=packing(parameters),
        schema=_schema(parameters),
        sort=_sort(_single(parameters, "sortKeys")),
        cursor=_cursor(parameters),
        echoed={name: value for name in _KNOWN[SEARCH][2:] if (value := _single(parameters, name))},
    )


def packing(parameters: Parameters) -> str:
    value = _single(parameters, "recordPacking") or PACKINGS[0]
    if value not in PACKINGS:
        raise Diagnostic(71, value, _("Allowed: %(names)s.") % {"names": ", ".join(PACKINGS)})
    return value


def _single(parameters: Parameters, name: str) -> str:
    values_sent = parameters.get(name, ())
    if len(values_sent) > 1:
        raise Diagnostic(6, name, _("This parameter may be given only once."))
    return values_sent[0].strip() if values_sent else ""


def _number(parameters: Parameters, name: str, default: int, least: int) -> int:
    text = _single(parameters, name)
    if not text:
        return default
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise Diagnostic(6, name, _("Give a number of %(first)d or more.") % {"first": least})
    return int(text)


def _schema(parameters: Parameters) -> Schema:
    value = _single(parameters, "recordSchema")
    if not value:
        return default_schema()
    schema = schema_named(value)
    if schema is None:
        names = ", ".join(schema.name for schema in schemas())
        raise Diagnostic(66, value, _("Allowed: %(names)s.") % {"names": names})
    return schema


def _cursor(parameters: Parameters) -> str:
    text = _single(parameters, CURSOR)
    try:
        return values.cursor(CURSOR, text) if text else ""
    except BadParameter as problem:
        raise Diagnostic(6, CURSOR, problem.reason) from problem


def _sort(text: str) -> str:
    """Return the sort order of sortKeys of SRU 1.1: "path,schema,ascending,caseSensitive,missingValue"."""
    keys = text.split()
    if not keys:
        return ""
    if len(keys) > 1:
        raise Diagnostic(84, text)
    path, schema, ascending, case, missing, *more = [*keys[0].split(","), "", "", "", ""]
    if schema and ((known := schema_named(schema)) is None or "dc" not in known.name):
        raise Diagnostic(87, schema)
    if ascending not in ("", "0", "1") or any(more):
        raise Diagnostic(80, text)
    if case == "1":
        raise Diagnostic(91, case)
    if missing not in ("", "highValue"):
        raise Diagnostic(92, missing)
    match = _PATH.fullmatch(path)
    order = ORDER_BY_NAME.get(match["name"].lower()) if match else None
    if order is None:
        raise Diagnostic(88, path, _("Allowed: %(names)s.") % {"names": ", ".join(ORDER_BY_NAME)})
    return in_direction(order, ascending == "0", explicit=bool(ascending))
