"""A catalogue that can only be searched: SRU 1.2, OpenSearch with RSS, and a service in JSON. Without faults; no HTTP.

Its addresses are sru; opensearch.xml (the description) and opensearch; search.json. All search the same records in the
same way.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from sampleprovider.pages import page_path, read_record
from sampleprovider.protocols.cql import INDEXES, RELATIONS, Condition, CqlError, Fields, condition
from sampleprovider.protocols.rss import HEAD, newest, rss2
from sampleprovider.replies import Params, Reply
from sampleprovider.source import SampleRecord, SampleSource

NAMES = ("sru", "opensearch.xml", "opensearch", "search.json")
MOST = 50  # records of one answer
_EXPLAIN = "http://explain.z3950.org/dtd/2.0/"
_SRW = "http://www.loc.gov/zing/srw/"


def live(source: SampleSource, name: str, params: Params, base: str) -> Reply | None:
    """Return the answer to a request, None if the catalogue has no such interface."""
    answer = _INTERFACES.get(name)
    return answer(source, dict(params), base) if answer else None


def _sru(source: SampleSource, given: Mapping[str, str], base: str) -> Reply:
    if "query" not in given:
        return Reply(_explain(source, base).encode())
    schema = given.get("recordSchema", source.prefixes[0])
    try:
        if schema not in source.prefixes:
            raise CqlError(66, schema)
        found = _found(source, condition(given["query"]))
    except CqlError as error:
        return Reply(_response(0, "", _diagnostic(error)).encode())
    start = max(1, _number(given.get("startRecord", ""), 1))
    shown = found[start - 1 :][: min(MOST, _number(given.get("maximumRecords", ""), 10))]
    records = "".join(_record(source, record, schema, base, start + place) for place, record in enumerate(shown))
    return Reply(_response(len(found), records).encode())


def _response(total: int, records: str, diagnostics: str = "") -> str:
    listed = f"<records>{records}</records>" if records else ""
    return (
        f'{HEAD}<searchRetrieveResponse xmlns="{_SRW}"><version>1.2</version>'
        f"<numberOfRecords>{total}</numberOfRecords>{listed}{diagnostics}</searchRetrieveResponse>"
    )


def _record(source: SampleSource, record: SampleRecord, schema: str, base: str, place: int) -> str:
    payload = record.payloads[schema].decode().partition("?>")
    data = payload[2] if payload[1] else payload[0]
    return (
        f"<record><recordSchema>{escape(schema)}</recordSchema><recordPacking>xml</recordPacking>"
        f"<recordData>{data.strip()}</recordData>"
        f"<recordIdentifier>{escape(base + page_path(source, record))}</recordIdentifier>"
        f"<recordPosition>{place}</recordPosition></record>"
    )


def _diagnostic(error: CqlError) -> str:
    return (
        '<diagnostics><diagnostic xmlns="http://www.loc.gov/zing/srw/diagnostic/">'
        f"<uri>info:srw/diagnostic/1/{error.number}</uri><details>{escape(error.detail)}</details>"
        "</diagnostic></diagnostics>"
    )


def _explain(source: SampleSource, base: str) -> str:
    relations = "".join(f'<supports type="relation">{escape(relation)}</supports>' for relation in RELATIONS)
    indexes = "".join(
        f'<index><map><name set="{index.partition(".")[0]}">{index.partition(".")[2]}</name></map>'
        f"<configInfo>{relations}</configInfo></index>"
        for index in INDEXES
    )
    schemas = "".join(
        f"<schema name={quoteattr(prefix)} identifier={quoteattr(prefix)}/>" for prefix in source.prefixes
    )
    return (
        f'{HEAD}<explainResponse xmlns="{_SRW}"><version>1.2</version><record><recordSchema>{_EXPLAIN}</recordSchema>'
        f'<recordPacking>xml</recordPacking><recordData><explain xmlns="{_EXPLAIN}">'
        f"<databaseInfo><title>{escape(source.title or source.name)}</title></databaseInfo>"
        f"<indexInfo>{indexes}</indexInfo><schemaInfo>{schemas}</schemaInfo>"
        f'<configInfo><setting type="maximumRecords">{MOST}</setting></configInfo>'
        "</explain></recordData></record></explainResponse>"
    )


def _description(source: SampleSource, given: Mapping[str, str], base: str) -> Reply:
    here = f"{base}/{quote(source.name)}"
    template = f"{here}/opensearch?q={{searchTerms}}&start={{startIndex?}}&n={{count?}}"
    text = (
        f'{HEAD}<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        f"<ShortName>{escape((source.title or source.name)[:16])}</ShortName>"
        f'<Url type="application/rss+xml" template={quoteattr(template)}/></OpenSearchDescription>'
    )
    return Reply(text.encode(), content_type="application/opensearchdescription+xml")


def _opensearch(source: SampleSource, given: Mapping[str, str], base: str) -> Reply:
    found = _with_words(source, given.get("q", ""))
    start = max(1, _number(given.get("start", ""), 1))
    shown = found[start - 1 :][: min(MOST, _number(given.get("n", ""), 10))]
    url = f"{base}/{quote(source.name)}/opensearch"
    counted = f'<o:totalResults xmlns:o="http://a9.com/-/spec/opensearch/1.1/">{len(found)}</o:totalResults></channel>'
    text = rss2(source, shown, base, url).replace("</channel>", counted)
    return Reply(text.encode(), content_type="application/rss+xml; charset=UTF-8")


def _json(source: SampleSource, given: Mapping[str, str], base: str) -> Reply:
    found = _with_words(source, given.get("q", ""))
    books = [_book(record, base + page_path(source, record)) for record in found[:MOST]]
    answer = {"result": {"total": len(found), "books": books}}
    body = json.dumps(answer, ensure_ascii=False).encode()
    return Reply(body, content_type="application/json")


def _book(record: SampleRecord, link: str) -> dict[str, object]:
    shown = read_record(record)
    return {
        "title": shown.title,
        "authors": [agent.name for agent in shown.creators],
        "publisher": next((agent.name for agent in shown.publishers), ""),
        "year": shown.year,
        "isbn": list(shown.values("ISBN")),
        "link": link,
    }


def _with_words(source: SampleSource, words: str) -> list[SampleRecord]:
    wanted = words.lower().split()
    return _found(source, lambda fields: bool(wanted) and all(word in fields[""] for word in wanted))


def _found(source: SampleSource, fits: Condition) -> list[SampleRecord]:
    return [record for record in newest(source, None) if fits(_fields(record))]


def _fields(record: SampleRecord) -> Fields:
    shown = read_record(record)
    texts: dict[str, Sequence[str]] = {
        "dc.title": [title.value for title in (*shown.titles, *shown.alternatives)],
        "dc.creator": [agent.name for agent in (*shown.creators, *shown.contributors)],
        "dc.publisher": [agent.name for agent in shown.publishers],
        "dc.date": [shown.year],
        "bath.isbn": shown.values("ISBN"),
    }
    fields = {index: "\n".join(texts[index]).lower() for index in INDEXES}
    return {**fields, "": "\n".join(fields.values())}


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else otherwise


_INTERFACES: dict[str, Callable[[SampleSource, Mapping[str, str], str], Reply]] = {
    "sru": _sru,
    "opensearch.xml": _description,
    "opensearch": _opensearch,
    "search.json": _json,
}
