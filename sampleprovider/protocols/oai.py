"""OAI-PMH 2.0, provider side: takes the arguments of a request, returns the response document. Pure; no HTTP."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from metadata.formats import WRITERS
from metadata.xml.parsing import strip_illegal
from sampleprovider.arguments import ProtocolError, Selection, parse_arguments, read_token, write_token
from sampleprovider.source import DAY, DEFAULT_BASE, SampleRecord, SampleSource, date_range

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">\n'
)
DECLARATION = re.compile(rb"(\xef\xbb\xbf)?\s*(<\?xml\s[^>]*\?>)?\s*")


@dataclass(frozen=True, slots=True)
class OaiRequest:
    """A well-formed request to one source."""

    source: SampleSource
    arguments: dict[str, str]
    base_url: str

    def get(self, name: str) -> str:
        """Return an argument, "" if it is missing."""
        return self.arguments.get(name, "")


def answer(
    source: SampleSource,
    params: Sequence[tuple[str, str]],
    *,
    base_url: str = DEFAULT_BASE + "/oai",
    now: datetime | None = None,
) -> bytes:
    """Return the response to one request. params: as received, including repeated ones. now: for the responseDate."""
    arguments: dict[str, str] = {}
    try:
        arguments = parse_arguments(params, source.granularity)
        body = ANSWERS[arguments["verb"]](OaiRequest(source, arguments, base_url))
    except ProtocolError as error:
        body = f"<error code={quoteattr(error.code)}>{text(error.message)}</error>".encode()
    date = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    # badVerb and badArgument have no attributes (section 3.2); `arguments` is empty in both cases.
    attributes = "".join(f" {name}={quoteattr(strip_illegal(value))}" for name, value in arguments.items())
    head = f"{HEAD}<responseDate>{date}</responseDate>\n<request{attributes}>{text(base_url)}</request>\n"
    return b"".join((head.encode(), body, b"\n</OAI-PMH>\n"))


def text(value: str) -> str:
    """Return escaped character data."""
    return escape(strip_illegal(value))


def identify(request: OaiRequest) -> bytes:
    source = request.source
    return (
        "<Identify>"
        f"<repositoryName>{text(source.title or source.name)}</repositoryName>"
        f"<baseURL>{text(request.base_url)}</baseURL><protocolVersion>2.0</protocolVersion>"
        "<adminEmail>admin@provider.example</adminEmail>"
        f"<earliestDatestamp>{earliest_datestamp(source)}</earliestDatestamp>"
        f"<deletedRecord>{source.deleted_record}</deletedRecord>"
        f"<granularity>{source.granularity}</granularity>"
        "</Identify>"
    ).encode()


def earliest_datestamp(source: SampleSource) -> str:
    """The oldest datestamp of the source; 1970-01-01 if it is empty."""
    listings = (source.holdings.listing(prefix, "") for prefix in source.prefixes)
    start = "1970-01-01" if source.granularity == DAY else "1970-01-01T00:00:00Z"
    return min((listing[0].datestamp for listing in listings if listing), default=start)


def list_metadata_formats(request: OaiRequest) -> bytes:
    prefixes = request.source.prefixes
    if identifier := request.get("identifier"):
        payloads = find_record(request.source, identifier).payloads
        prefixes = tuple(prefix for prefix in prefixes if prefix in payloads)
    if not prefixes:
        raise ProtocolError("noMetadataFormats", "this record is in no format, it is deleted")
    formats = "".join(
        f"<metadataFormat><metadataPrefix>{text(format_.prefix)}</metadataPrefix><schema>{text(format_.schema)}</schema>"
        f"<metadataNamespace>{text(format_.namespace)}</metadataNamespace></metadataFormat>"
        for format_ in map(format_of, prefixes)
    )
    return f"<ListMetadataFormats>{formats}</ListMetadataFormats>".encode()


def list_sets(request: OaiRequest) -> bytes:
    if request.get("resumptionToken"):
        raise ProtocolError("badResumptionToken", "the sets are given in one list")
    if not request.source.sets:
        raise ProtocolError("noSetHierarchy", "this repository has no sets")
    sets = "".join(
        f"<set><setSpec>{text(set_.spec)}</setSpec><setName>{text(set_.name)}</setName></set>"
        for set_ in request.source.sets
    )
    return f"<ListSets>{sets}</ListSets>".encode()


def get_record(request: OaiRequest) -> bytes:
    record, prefix = find_record(request.source, request.get("identifier")), request.get("metadataPrefix")
    if prefix not in request.source.prefixes or not (record.deleted or prefix in record.payloads):
        raise ProtocolError("cannotDisseminateFormat", f"this record is not available as {prefix}")
    return b"".join((b"<GetRecord>", record_element(record, prefix), b"</GetRecord>"))


def find_record(source: SampleSource, identifier: str) -> SampleRecord:
    """The record with exactly this OAI identifier. Raises ProtocolError."""
    record = source.holdings.find(identifier)
    if record is None or record.identifier != identifier:
        raise ProtocolError("idDoesNotExist", f"no such record: {identifier}")
    return record


def list_records(request: OaiRequest) -> bytes:
    selection = selection_of(request)
    return list_page(request, selection, lambda record: record_element(record, selection.prefix))


def list_identifiers(request: OaiRequest) -> bytes:
    return list_page(request, selection_of(request), header_element)


def selection_of(request: OaiRequest) -> Selection:
    """The requested list, from the arguments or the resumptionToken. Raises ProtocolError."""
    verb = request.get("verb")
    if token := request.get("resumptionToken"):
        selection = read_token(token, verb)
    else:
        from_, until, set_spec = (request.get(name) for name in ("from", "until", "set"))
        prefix = request.get("metadataPrefix")
        selection = Selection(verb=verb, prefix=prefix, from_=from_, until=until, set_spec=set_spec)
    if selection.prefix not in request.source.prefixes:
        raise ProtocolError("cannotDisseminateFormat", f"no record is available as {selection.prefix}")
    if selection.set_spec and not request.source.sets:
        raise ProtocolError("noSetHierarchy", "this repository has no sets")
    return selection


def list_page(request: OaiRequest, selection: Selection, write: Callable[[SampleRecord], bytes]) -> bytes:
    """One page of the list with the token for the next. write: makes the element of a record. Raises ProtocolError."""
    listing = request.source.holdings.listing(selection.prefix, selection.set_spec)
    first, end = date_range(listing, selection.from_, selection.until)
    # Continue after the last record given, not at a position, so that a list that changes meanwhile loses nothing.
    start = max(first, bisect_right(listing, selection.after, key=lambda record: record.key))
    page = listing[start : min(end, start + request.source.page_size)]
    if not page:
        if selection.cursor:
            raise ProtocolError("badResumptionToken", "nothing is left of this list")
        raise ProtocolError("noRecordsMatch", "no record matches")
    token = resumption_token(selection, page, start + len(page) < end, end - first)
    verb = selection.verb.encode()
    return b"".join((b"<", verb, b">\n", *map(write, page), token, b"</", verb, b">"))


def resumption_token(selection: Selection, page: Sequence[SampleRecord], more: bool, size: int) -> bytes:
    """The token element of a page: empty on the last of several pages, absent if there is only one (section 3.5)."""
    if not more and not selection.cursor:
        return b""
    rest = Selection(
        verb=selection.verb,
        prefix=selection.prefix,
        from_=selection.from_,
        until=selection.until,
        set_spec=selection.set_spec,
        after=page[-1].key,
        cursor=selection.cursor + len(page),
    )
    attributes = f'completeListSize="{size}" cursor="{selection.cursor}"'
    return f"<resumptionToken {attributes}>{write_token(rest) if more else ''}</resumptionToken>\n".encode()


def header_element(record: SampleRecord) -> bytes:
    """The header element."""
    sets = "".join(f"<setSpec>{escape(spec)}</setSpec>" for spec in record.sets)
    status = ' status="deleted"' if record.deleted else ""
    return (
        f"<header{status}><identifier>{escape(record.identifier)}</identifier>"
        f"<datestamp>{record.datestamp}</datestamp>{sets}</header>\n"
    ).encode()


def record_element(record: SampleRecord, prefix: str) -> bytes:
    """The record element: header and, unless deleted, the unchanged payload."""
    if record.deleted:
        return b"".join((b"<record>", header_element(record), b"</record>\n"))
    payload = record.payloads[prefix]
    # A payload is a document; within the response it must not have an XML declaration.
    start = DECLARATION.match(payload).end()  # type: ignore[union-attr]
    return b"".join((b"<record>", header_element(record), b"<metadata>", payload[start:], b"</metadata></record>\n"))


ANSWERS: dict[str, Callable[[OaiRequest], bytes]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "ListIdentifiers": list_identifiers,
    "ListRecords": list_records,
    "GetRecord": get_record,
}


@dataclass(frozen=True, slots=True)
class Format:
    """An entry of ListMetadataFormats."""

    prefix: str
    schema: str
    namespace: str


def format_of(prefix: str) -> Format:
    """Return one of our formats, or an invented one: trials may use any prefix."""
    writer = WRITERS.get(prefix)
    if writer is not None and writer.namespace:
        return Format(prefix, writer.schema, writer.namespace)
    return Format(prefix, f"http://provider.example/{prefix}.xsd", f"http://provider.example/{prefix}/")
