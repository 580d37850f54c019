"""What an SRU request asks for, from its parameters. Knows names and limits; no index, no response."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.provision.sru.indexes import ORDER_BY_NAME
from aggregator.provision.sru.reading import in_direction
from aggregator.provision.sru.schemas import BY_NAME, DEFAULT, SCHEMAS, Schema
from aggregator.query import values
from aggregator.query.values import BadParameter

VERSIONS = ("1.1", "1.2")
EXPLAIN, SEARCH, SCAN = "explain", "searchRetrieve", "scan"
MOST_RECORDS = 500  # of one response; nextRecordPosition leads on, to the end of any result
USUAL_RECORDS = 20
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
    """A searchRetrieve request. start: from 1; mark: of the page before, "" for none; sort: "" where not asked for."""

    query: str
    start: int = 1
    maximum: int = USUAL_RECORDS
    packing: str = "xml"
    schema: Schema = DEFAULT
    sort: str = ""
    mark: str = ""
    echoed: dict[str, str] = field(default_factory=dict)  # what was asked, in the words of the request


def operation(parameters: Parameters) -> str:
    """What is asked for: explain, where nothing is. Raises Diagnostic 4."""
    named = _one(parameters, "operation") or (SEARCH if "query" in parameters else EXPLAIN)
    if named not in (EXPLAIN, SEARCH):
        raise Diagnostic(4, named, _("Allowed are: %(names)s.") % {"names": f"{SEARCH}, {EXPLAIN}"})
    return named


def version(parameters: Parameters) -> str:
    """The version to answer in: the highest where none is named. Raises Diagnostic 5 with the highest that there is."""
    named = _one(parameters, "version") or VERSIONS[-1]
    if named not in VERSIONS:
        raise Diagnostic(5, VERSIONS[-1], _("Allowed are: %(names)s.") % {"names": ", ".join(VERSIONS)})
    return named


def check_names(parameters: Parameters, asked: str) -> None:
    """Raises Diagnostic for parameters that are not known or not supported; those of others begin with x-."""
    for name in parameters:
        if name not in _KNOWN[asked] and not name.startswith("x-"):
            raise Diagnostic(8, name, _("Allowed are: %(names)s.") % {"names": ", ".join(_KNOWN[asked])})
    if _one(parameters, "stylesheet"):
        raise Diagnostic(110, "stylesheet")
    if _one(parameters, "recordXPath"):
        raise Diagnostic(72, "recordXPath")


def search(parameters: Parameters) -> Search:
    """A searchRetrieve request. Raises Diagnostic."""
    query = _one(parameters, "query")
    if not query:
        raise Diagnostic(7, "query", 'query=title="こころ"')
    return Search(
        query=query,
        start=_number(parameters, "startRecord", 1, least=1),
        maximum=min(_number(parameters, "maximumRecords", USUAL_RECORDS, least=0), MOST_RECORDS),
        packing=packing(parameters),
        schema=_schema(parameters),
        sort=_sort(_one(parameters, "sortKeys")),
        mark=_mark(parameters),
        echoed={name: value for name in _KNOWN[SEARCH][2:] if (value := _one(parameters, name))},
    )


def packing(parameters: Parameters) -> str:
    named = _one(parameters, "recordPacking") or PACKINGS[0]
    if named not in PACKINGS:
        raise Diagnostic(71, named, _("Allowed are: %(names)s.") % {"names": ", ".join(PACKINGS)})
    return named


def _one(parameters: Parameters, name: str) -> str:
    given = parameters.get(name, ())
    if len(given) > 1:
        raise Diagnostic(6, name, _("It may be given only once."))
    return given[0].strip() if given else ""


def _number(parameters: Parameters, name: str, usual: int, least: int) -> int:
    text = _one(parameters, name)
    if not text:
        return usual
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise Diagnostic(6, name, _("A number from %(first)d on is allowed.") % {"first": least})
    return int(text)


def _schema(parameters: Parameters) -> Schema:
    named = _one(parameters, "recordSchema")
    if not named:
        return DEFAULT
    if named not in BY_NAME:
        names = ", ".join(each.name for each in SCHEMAS)
        raise Diagnostic(66, named, _("Allowed are: %(names)s.") % {"names": names})
    return BY_NAME[named]


def _mark(parameters: Parameters) -> str:
    text = _one(parameters, CURSOR)
    try:
        return values.cursor(CURSOR, text) if text else ""
    except BadParameter as problem:
        raise Diagnostic(6, CURSOR, problem.reason) from problem


def _sort(text: str) -> str:
    """The order that sortKeys of SRU 1.1 asks for: "path,schema,ascending,caseSensitive,missingValue"."""
    keys = text.split()
    if not keys:
        return ""
    if len(keys) > 1:
        raise Diagnostic(84, text)
    path, schema, ascending, case, missing, *more = [*keys[0].split(","), "", "", "", ""]
    if schema and (schema not in BY_NAME or "dc" not in BY_NAME[schema].name):
        raise Diagnostic(87, schema)
    if ascending not in ("", "0", "1") or any(more):
        raise Diagnostic(80, text)
    if case == "1":
        raise Diagnostic(91, case)
    if missing not in ("", "highValue"):
        raise Diagnostic(92, missing)
    found = _PATH.fullmatch(path)
    order = ORDER_BY_NAME.get(found["name"].lower()) if found else None
    if order is None:
        raise Diagnostic(88, path, _("Allowed are: %(names)s.") % {"names": ", ".join(ORDER_BY_NAME)})
    return in_direction(order, ascending == "0", explicit=bool(ascending))
