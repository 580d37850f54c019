"""The documents of SRU 1.1 and 1.2 as text. Knows their elements and the order of these; asks nothing.

Written as text, so that a record keeps every namespace declaration that its own writer gave it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from aggregator.provision.sru.diagnostics import Diagnostic
from metadata.xml.parsing import legal

SRU = "http://www.loc.gov/zing/srw/"
DIAGNOSTIC = "http://www.loc.gov/zing/srw/diagnostic/"
DIAGNOSTIC_SCHEMA = "info:srw/schema/1/diagnostics-v1.1"
MEDIA_TYPE = "application/xml; charset=utf-8"
EXTENSION = "urn:library-aggregator:sru"  # of what no standard has a name for
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a response. data: an element as text; identifier: its permanent address."""

    schema: str
    data: str
    identifier: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A searchRetrieve response. following: position of the next record, 0 behind the last; cursor: to go on there."""

    version: str
    total: int = 0
    records: Sequence[Record] = ()
    packing: str = "xml"
    following: int = 0
    cursor: str = ""
    echoed: Mapping[str, str]
    base: str
    diagnostics: Sequence[Diagnostic] = ()


def element(name: str, text: object, **attributes: str) -> str:
    """An element with text in it; "" for none."""
    given = "".join(f" {key}={quoteattr(legal(value))}" for key, value in attributes.items())
    return f"<{name}{given}>{escape(legal(str(text)))}</{name}>" if str(text) else ""


def search_response(response: Response) -> str:
    """The document, its elements in the order of the standard's schema."""
    parts = [
        element("version", response.version),
        element("numberOfRecords", response.total),
        _wrapped("records", (_record(each, response) for each in response.records)),
        element("nextRecordPosition", response.following) if response.following else "",
        _echoed("echoedSearchRetrieveRequest", response),
        diagnostics(response.diagnostics),
        _extra(response.cursor),
    ]
    return document("searchRetrieveResponse", parts)


def explain_response(version: str, record: Record, packing: str, base: str, found: Sequence[Diagnostic] = ()) -> str:
    """The document with the one record that describes the service."""
    response = Response(version=version, packing=packing, echoed={}, base=base)
    parts = [
        element("version", version),
        _record(record, response),
        _echoed("echoedExplainRequest", response),
        diagnostics(found),
    ]
    return document("explainResponse", parts)


def refusal(problem: Diagnostic) -> str:
    """The answer to a search of which nothing was looked at."""
    parts = [element("version", "1.2"), element("numberOfRecords", 0), diagnostics([problem])]
    return document("searchRetrieveResponse", parts)


def document(root: str, parts: Iterable[str]) -> str:
    return f'{_HEAD}<{root} xmlns="{SRU}">{"".join(parts)}</{root}>\n'


def diagnostics(found: Sequence[Diagnostic]) -> str:
    return _wrapped("diagnostics", map(diagnostic, found))


def diagnostic(found: Diagnostic) -> str:
    """One diagnostic as an element."""
    inner = element("uri", found.uri) + element("details", found.details) + element("message", found.message)
    return f'<diagnostic xmlns="{DIAGNOSTIC}">{inner}</diagnostic>'


def _wrapped(name: str, parts: Iterable[str]) -> str:
    inner = "".join(parts)
    return f"<{name}>{inner}</{name}>" if inner else ""


def _record(record: Record, response: Response) -> str:
    data = record.data if response.packing == "xml" else escape(record.data)
    identifier = element("recordIdentifier", record.identifier) if response.version != "1.1" else ""
    return (
        f"<record>{element('recordSchema', record.schema)}{element('recordPacking', response.packing)}"
        f"<recordData>{data}</recordData>{identifier}"
        f"{element('recordPosition', record.position) if record.position else ''}</record>"
    )


def _echoed(name: str, response: Response) -> str:
    inner = element("version", response.version) + "".join(
        element(each, value) for each, value in response.echoed.items()
    )
    return f"<{name}>{inner}{element('baseUrl', response.base)}</{name}>"


def _extra(cursor: str) -> str:
    """How to go on without counting: faster, and nothing that is written meanwhile moves it."""
    inner = element("cursor", cursor, xmlns=EXTENSION)
    return f"<extraResponseData>{inner}</extraResponseData>" if inner else ""
