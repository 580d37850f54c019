"""The documents of SRU 1.1 and 1.2. No database access.

They are written as text, so that records keep the namespace declarations of their own writers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from aggregator.provision.sru.diagnostics import Diagnostic
from metadata.xml.parsing import strip_illegal

SRU = "http://www.loc.gov/zing/srw/"
DIAGNOSTIC = "http://www.loc.gov/zing/srw/diagnostic/"
DIAGNOSTIC_SCHEMA = "info:srw/schema/1/diagnostics-v1.1"
MEDIA_TYPE = "application/xml; charset=utf-8"
EXTENSION = "urn:library-aggregator:sru"  # namespace of elements that no standard defines
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a response. data: an element as text. identifier: its permanent address. licences: of the record,
    addresses or words.
    """

    schema: str
    data: str
    identifier: str
    position: int
    licences: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A searchRetrieve response. next_position: of the next record, 0 at the end. cursor: of the next page."""

    version: str
    total: int = 0
    records: Sequence[Record] = ()
    packing: str = "xml"
    next_position: int = 0
    cursor: str = ""
    echoed: Mapping[str, str]
    base: str
    diagnostics: Sequence[Diagnostic] = ()


def element(name: str, text: object, **attributes: str) -> str:
    """Return an element with this text; "" if the text is empty."""
    attribute_text = "".join(f" {key}={quoteattr(strip_illegal(value))}" for key, value in attributes.items())
    return f"<{name}{attribute_text}>{escape(strip_illegal(str(text)))}</{name}>" if str(text) else ""


def search_response(response: Response) -> str:
    """Return the document, with its elements in the order of the standard's schema."""
    parts = [
        element("version", response.version),
        element("numberOfRecords", response.total),
        _wrapped("records", (_record(record, response) for record in response.records)),
        element("nextRecordPosition", response.next_position) if response.next_position else "",
        _echoed("echoedSearchRetrieveRequest", response),
        diagnostics(response.diagnostics),
        _extra(response.cursor),
    ]
    return document("searchRetrieveResponse", parts)


def explain_response(version: str, record: Record, packing: str, base: str, problems: Sequence[Diagnostic] = ()) -> str:
    """Return the document with the record that describes the service."""
    response = Response(version=version, packing=packing, echoed={}, base=base)
    parts = [
        element("version", version),
        _record(record, response),
        _echoed("echoedExplainRequest", response),
        diagnostics(problems),
    ]
    return document("explainResponse", parts)


def refusal(problem: Diagnostic) -> str:
    """Return the response to a search that was refused without running it."""
    parts = [element("version", "1.2"), element("numberOfRecords", 0), diagnostics([problem])]
    return document("searchRetrieveResponse", parts)


def document(root: str, parts: Iterable[str]) -> str:
    return f'{_HEAD}<{root} xmlns="{SRU}">{"".join(parts)}</{root}>\n'


def diagnostics(problems: Sequence[Diagnostic]) -> str:
    return _wrapped("diagnostics", map(diagnostic, problems))


def diagnostic(problem: Diagnostic) -> str:
    """Return one diagnostic as an element."""
    inner = element("uri", problem.uri) + element("details", problem.details) + element("message", problem.message)
    return f'<diagnostic xmlns="{DIAGNOSTIC}">{inner}</diagnostic>'


def _wrapped(name: str, parts: Iterable[str]) -> str:
    inner = "".join(parts)
    return f"<{name}>{inner}</{name}>" if inner else ""


def _record(record: Record, response: Response) -> str:
    data = record.data if response.packing == "xml" else escape(record.data)
    identifier = element("recordIdentifier", record.identifier) if response.version != "1.1" else ""
    licences = (element("licence", text, xmlns=EXTENSION) for text in record.licences)
    return (
        f"<record>{element('recordSchema', record.schema)}{element('recordPacking', response.packing)}"
        f"<recordData>{data}</recordData>{identifier}"
        f"{element('recordPosition', record.position) if record.position else ''}"
        f"{_wrapped('extraRecordData', licences)}</record>"
    )


def _echoed(name: str, response: Response) -> str:
    inner = element("version", response.version) + "".join(
        element(parameter, value) for parameter, value in response.echoed.items()
    )
    return f"<{name}>{inner}{element('baseUrl', response.base)}</{name}>"


def _extra(cursor: str) -> str:
    """Return the element with the cursor of the next page. Continuing from a cursor is faster than from a position, and
    records that were added meanwhile do not shift it.
    """
    inner = element("cursor", cursor, xmlns=EXTENSION)
    return f"<extraResponseData>{inner}</extraResponseData>" if inner else ""
