"""Asks catalogues over SRU 1.1, 1.2 and 2.0 (searchRetrieve, CQL), and reads their answers. Sends nothing itself."""

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml import etree

from harvesting.live.cql import INDEX, CqlWriter
from harvesting.live.documents import child, child_text, local, parsed
from harvesting.live.explain import RELATIONS, VERSIONS, read_explain, version_of
from harvesting.live.options import Options, read_options
from harvesting.live.templates import check as check_template
from harvesting.live.templates import page_for_readers
from harvesting.live.types import (
    ANY,
    FIELDS,
    MAX_HITS,
    YEAR,
    Described,
    Fetch,
    Found,
    LiveError,
    LiveProtocol,
    LiveSource,
    Question,
    RawHit,
    Request,
    total_of,
)
from harvesting.types import Observation
from metadata.links import safe_href, split_url

# Parameters of the protocol, which an address that was copied from a browser may contain.
_OWN = frozenset(
    "operation version query queryType startRecord maximumRecords recordPacking recordXMLEscaping recordSchema "
    "resultSetTTL sortKeys stylesheet httpAccept".split()
)
_DIAGNOSTIC = "info:srw/diagnostic/1/"
_UNAVAILABLE, _DENIED, _SCHEMA = frozenset({1, 2, 3}), frozenset({68}), frozenset({66, 67, 71})
_OF_THE_QUERY = range(10, 50)


def request_for(source: LiveSource, question: Question, start: int, limit: int) -> Request:
    """Return the request for a question."""
    options = read_options(source.options)
    writer = CqlWriter({ANY: "", **options.indexes}, options.relations)  # every server takes a term without an index
    query = writer.write(question)
    refused = tuple(dict.fromkeys(writer.refused))
    follow = page_for_readers(options, question)
    if not query:
        return Request(url="", refused=refused, empty=True, follow=follow)
    params = _parameters(options, query, start, min(limit, options.page_size))
    return Request(url=_with_query(source.address, params), params=params, refused=refused, follow=follow)


def _parameters(options: Options, query: str, start: int, limit: int) -> dict[str, str]:
    params = {"query": query, "startRecord": str(start), "maximumRecords": str(limit)}
    if options.schema:
        params["recordSchema"] = options.schema
    if options.version == VERSIONS[-1]:  # SRU 2.0 has neither an operation nor a version among its parameters
        return params
    version = options.version or VERSIONS[0]
    return {"operation": "searchRetrieve", "version": version, **params, "recordPacking": "xml"}


def _with_query(address: str, params: Mapping[str, str]) -> str:
    """Return the address with these parameters; other parameters of SRU in it are replaced, its own are kept."""
    parts = urlsplit(address)
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in _OWN]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode([*kept, *params.items()]), ""))


def find(source: LiveSource, body: bytes, content_type: str) -> Found:
    """Return the records of an answer. Raises LiveError: no answer of SRU, or a diagnostic instead of records."""
    root = parsed(body)
    if local(root) != "searchRetrieveResponse":
        raise LiveError("live.not_sru", f"<{local(root)}>")
    records = child(root, "records")
    hits: list[RawHit] = []
    withheld: list[str] = []
    for record in records.iterchildren("{*}record") if records is not None else ():
        hit = _hit(record)
        if isinstance(hit, str):
            withheld.append(hit)
        elif hit is not None:
            hits.append(hit)
    diagnostics = list(_diagnostics(root))
    if diagnostics and not hits:
        raise _error(*diagnostics[0])
    if withheld and not hits:
        raise LiveError("live.diagnostic", withheld[0])
    total, observations = total_of(child_text(root, "numberOfRecords"), len(hits))
    return Found(hits=tuple(hits[:MAX_HITS]), total=total, observations=(*_odd(diagnostics, withheld), *observations))


def _hit(record: etree._Element) -> RawHit | str | None:
    """The record of a hit; the text of the diagnostic that is there in its place; None for nothing at all."""
    data = child(record, "recordData")
    inner = next(data.iterchildren(etree.Element), None) if data is not None else None
    text = (data.text or "").strip() if data is not None and inner is None else ""
    if inner is not None and local(inner) == "diagnostic":
        return _text_of(inner)
    if inner is None and not text:
        return None
    link = safe_href(child_text(record, "recordIdentifier"))
    return RawHit(link=link, root=inner) if inner is not None else RawHit(link=link, payload=text.encode())


def _diagnostics(root: etree._Element) -> Iterator[tuple[int, str]]:
    """Yield number and text of the diagnostics about the whole answer; 0 for one that is not in the list of SRU."""
    group = child(root, "diagnostics")
    for diagnostic in group.iterchildren("{*}diagnostic") if group is not None else ():
        number = child_text(diagnostic, "uri").removeprefix(_DIAGNOSTIC)
        yield int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0, _text_of(diagnostic)


def _text_of(diagnostic: etree._Element) -> str:
    number = child_text(diagnostic, "uri").rpartition("/")[2]
    texts = (child_text(diagnostic, "message"), child_text(diagnostic, "details"))
    return " ".join(filter(None, (number[:20], ": ".join(filter(None, texts)))))[:300]


def _error(number: int, text: str) -> LiveError:
    kinds = {"live.unavailable": _UNAVAILABLE, "live.denied": _DENIED, "live.schema": _SCHEMA}
    code = next((code for code, numbers in kinds.items() if number in numbers), "live.diagnostic")
    return LiveError("live.query" if number in _OF_THE_QUERY else code, text)


def _odd(diagnostics: list[tuple[int, str]], withheld: list[str]) -> Iterator[Observation]:
    for _number, text in diagnostics[:5]:
        yield Observation(code="live.warning", facts={"detail": text})
    if withheld:
        yield Observation(code="live.record_withheld", facts={"count": len(withheld), "detail": withheld[0]})


def describe(fetch: Fetch, address: str, words: str) -> Described:
    """Return the options that follow from the explain record of the server; with little in them if it has none.

    Servers must answer an address without parameters with their description; some know only the operation.
    """
    base = _with_query(address, {})
    minimal: Options | None = None
    for params in ({"operation": "explain", "version": "1.2"}, {}):
        body = fetch(base, params).body
        try:
            options = read_explain(body)
        except LiveError as error:
            refusal = error
            continue
        if options is not None:
            return Described(options)
        minimal = minimal or Options(version=version_of(parsed(body)), indexes={ANY: ""})
    if minimal is None:
        raise refusal
    return Described(minimal)


def check_address(address: str) -> str:
    """See `LiveProtocol`."""
    return "" if split_url(address) else "address"


def check(options: Options) -> str:
    """See `LiveProtocol`."""
    names_are_safe = all(field in (*FIELDS, YEAR) for field in options.indexes) and all(
        INDEX.match(name) or (not name and field == ANY) for field, name in options.indexes.items()
    )
    relations_are_known = all(RELATIONS.issuperset(names) for names in options.relations.values())
    if not (names_are_safe and relations_are_known and options.version in ("", *VERSIONS)):
        return "options"
    return check_template(options.search_page) if options.search_page else ""


PROTOCOL = LiveProtocol(request_for=request_for, find=find, describe=describe, check_address=check_address, check=check)
