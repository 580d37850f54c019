"""Pages that are not well-formed: repaired as a whole, salvaged record by record, or given up."""

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Batch, HarvestedRecord, HarvestRequest, TransportError
from metadata.catalogue import severity
from metadata.issue import Severity
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, Request
from tests.harvesting.transports.oai_responses import METADATA, page, record, token

REQUEST = HarvestRequest(metadata_prefix="oai_dc", full=True)
TITLE = "本".encode()
FIRST = page([record(1), record(2), record(3)], token("n&amp;2")).body
LAST = page([record(4), record(5), record(6)], token("")).body
BOTH = ["first", "last"]
RECORD_ERROR = Severity.RECORD_ERROR


def harvested(
    server: FakeServer, transport: OaiPmhTransport, bodies: tuple[bytes, bytes], **headers: str
) -> list[Batch]:
    """Harvest a list of two pages, which the server returns however often they are requested."""
    server.answer = lambda request: Answer(
        bodies["resumptionToken" in request.arguments],
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    batches = list(transport.batches(REQUEST))
    assert server.requests[-1].arguments == {"verb": "ListRecords", "resumptionToken": "n&2"}
    assert batches[-1].is_last
    return batches


def damaged(where: str, change: tuple[bytes, bytes], times: int = 1) -> tuple[bytes, bytes]:
    """Return the two pages with the change made in the first or the last of them."""
    if where == "first":
        return FIRST.replace(*change, times), LAST
    return FIRST, LAST.replace(*change, times)


def records(batches: list[Batch]) -> list[HarvestedRecord]:
    return [record for batch in batches for record in batch.records]


def numbers(batches: list[Batch]) -> str:
    return "".join(record.identifier[-1:] or "?" for record in records(batches))


def quarantined(batches: list[Batch]) -> list[HarvestedRecord]:
    return [
        record for record in records(batches) if any(severity(issue.code) is RECORD_ERROR for issue in record.issues)
    ]


def codes(batches: list[Batch]) -> set[str]:
    return {observation.code for batch in batches for observation in batch.observations}


# Characters


@pytest.mark.parametrize("where", BOTH)
@pytest.mark.parametrize(
    ("sent", "title", "code", "found"),
    [
        (b"a\x0bb", "ab", "xml.W001", "U+000B"),
        (b"a&#xB;b&#11;", "ab", "xml.W001", "&#xB; &#11;"),
        (b"a&#xFFFE;\xef\xbf\xbf", "a", "xml.W001", "&#xFFFE; U+FFFF"),
        (b"a\x82\xa0b", "a\ufffd\ufffdb", "xml.W002", "0x82 0xA0"),
        (b"\xed\xa1\x82\xed\xbe\xb7", "𠮷", "xml.W003", "0xED 0xA1 0x82 0xED 0xBE 0xB7"),
        (b"&#xD842;&#xDFB7;", "𠮷", "xml.W003", "&#xD842;&#xDFB7;"),
        (b"a&#xD842;b", "ab", "xml.W001", "&#xD842;"),
    ],
)
def test_bad_characters_are_repaired_and_reported(
    server: FakeServer, transport: OaiPmhTransport, where: str, sent: bytes, title: str, code: str, found: str
) -> None:
    batches = harvested(server, transport, damaged(where, (TITLE, sent)))
    mended = next(record for record in records(batches) if record.issues)
    assert mended.root is not None
    assert (numbers(batches), mended.root[0].text) == ("123456", title)
    assert [(issue.code, issue.field) for issue in mended.issues] == [(code, "dc:title")]
    assert found in mended.issues[0].value
    assert sum(bool(record.issues) for record in records(batches)) == 1
    assert batches[-1].exhaustive
    assert [len(batch.broken) for batch in batches] == [where == "first", where == "last"]


@pytest.mark.parametrize("where", BOTH)
def test_windows_kanji_labelled_utf_8_are_read_by_the_charset_of_http(
    server: FakeServer, transport: OaiPmhTransport, where: str
) -> None:
    bodies = [body.decode().encode("cp932") for body in (FIRST, LAST)]
    batches = harvested(server, transport, (bodies[0], bodies[1]), Content_Type="text/xml; charset=Shift_JIS")
    assert {record.root[0].text for record in records(batches) if record.root is not None} == {"本"}
    assert "oai.encoding_of_http" in codes(batches)


def test_latin_1_in_http_is_ignored_for_a_single_bad_byte(server: FakeServer, transport: OaiPmhTransport) -> None:
    bodies = damaged("first", (TITLE, TITLE + b"\xe9"))
    batches = harvested(server, transport, bodies, Content_Type="text/xml; charset=ISO-8859-1")
    assert {record.root[0].text for record in records(batches) if record.root is not None} == {"本", "本\ufffd"}


@pytest.mark.parametrize("where", BOTH)
@pytest.mark.parametrize("encoding", ["cp932", "EUC-JP"])
def test_a_page_in_another_encoding_than_it_declares_fails_and_the_real_one_is_proposed(
    server: FakeServer, transport: OaiPmhTransport, where: str, encoding: str
) -> None:
    bodies = [body.decode().replace("本", "図書館の本").encode(encoding) for body in (FIRST, LAST)]
    bodies[where == "first"] = LAST if where == "first" else FIRST
    with pytest.raises(TransportError) as caught:
        harvested(server, transport, (bodies[0], bodies[1]))
    facts = caught.value.facts
    assert (caught.value.code, caught.value.permanent) == ("oai.encoding_wrong", True)
    assert (facts["proposed"], facts["readable"], facts["count"]) == (encoding, 3, 3)


def test_one_bad_byte_on_an_english_page_is_repaired(server: FakeServer, transport: OaiPmhTransport) -> None:
    bodies = [
        body.replace(TITLE, b"caf\xe9s" if body is FIRST else b"a", 1).replace(TITLE, b"a") for body in (FIRST, LAST)
    ]
    batches = harvested(server, transport, (bodies[0], bodies[1]))
    assert [issue.code for record in records(batches) for issue in record.issues] == ["xml.W002"]


def test_encoding_set_for_the_feed_is_decisive(server: FakeServer) -> None:
    server.answer = lambda request: Answer(
        page([record(1, METADATA.replace("本", "髙①"))]).body.decode().encode("cp932")
    )
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        patience = RetryPolicy(sleep=lambda seconds: None)
        transport = OaiPmhTransport(f"{server.url}/oai", fetcher.fetch, patience, encoding="Shift_JIS")
        (batch,) = transport.batches(REQUEST)
    assert batch.records[0].root is not None
    assert batch.records[0].root[0].text == "髙①"


@pytest.mark.parametrize("encoding", ["UTF-16", "EUC-JP", "Shift_JIS", "Windows-31J"])
def test_other_encodings_are_accepted_and_reported(
    server: FakeServer, transport: OaiPmhTransport, encoding: str
) -> None:
    codec = "cp932" if encoding == "Windows-31J" else encoding
    bodies = [body.decode().replace("UTF-8", encoding).encode(codec) for body in (FIRST, LAST)]
    batches = harvested(server, transport, (bodies[0], bodies[1]))
    assert numbers(batches) == "123456"
    assert codes(batches) >= {"oai.encoding"}
    assert not quarantined(batches)


# Single bad records


@pytest.mark.parametrize("where", BOTH)
@pytest.mark.parametrize(
    "change",
    [
        (TITLE, b"caf&eacute;"),
        (TITLE, b"a & b"),
        (TITLE, b"a<br>b"),
        (b"<metadata>", b"<metadata><?xml version='1.0'?>"),
        (b"<dc:title>", b"<dc:title a='1' a='2'>"),
        (b"<dc:title>", b"<dc:title x:a='1'>"),
        (b"<dc:title>", b"<x:b/><dc:title>"),
        (b"</dc:title>", b""),
        (b"</record>", b""),
        (b"</metadata></record>", b""),
        (b"<dc:title>", b"<dc:title>" + b"<i>" * 300 + b"</i>" * 300),
        (TITLE, b"<!-- unclosed "),
        (TITLE, b"<![CDATA[ unclosed "),
        (TITLE, b"<record> & "),
        (b"<metadata>", b"<metadata <b>"),
    ],
)
def test_bad_record_is_quarantined_and_its_neighbours_are_kept(
    server: FakeServer, transport: OaiPmhTransport, where: str, change: tuple[bytes, bytes]
) -> None:
    batches = harvested(server, transport, damaged(where, change))
    (bad,) = quarantined(batches)
    assert (numbers(batches), bad.identifier[-1]) == ("123456", "1" if where == "first" else "4")
    assert (bad.datestamp, bad.root, bad.payload[:8]) == ("2026-01-01", None, b"<record>")
    assert {record.root[0].text for record in records(batches) if record.root is not None} == {"本"}
    assert [(n.code, n.incomplete) for batch in batches for n in batch.observations] == [("oai.salvaged", False)]
    assert batches[-1].exhaustive


def test_page_is_requested_once_more_before_it_is_salvaged(server: FakeServer, transport: OaiPmhTransport) -> None:
    harvested(server, transport, damaged("first", (TITLE, b"&")))
    assert len(server.requests) == 3


def test_provider_that_is_always_broken_is_soon_not_asked_twice(server: FakeServer, transport: OaiPmhTransport) -> None:
    def answer(request: Request) -> Answer:
        number = int(request.arguments.get("resumptionToken", "1"))
        return page([record(number, "<a>&</a>")], token(str(number + 1) if number < 12 else ""))

    server.answer = answer
    assert len(list(transport.batches(REQUEST))) == 12
    assert len(server.requests) == 12 + 3


def test_page_that_may_be_requested_only_once_is_salvaged_at_once(server: FakeServer) -> None:
    server.answers(page([record(1), record(2, "<a>&</a>")]))
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        (batch,) = OaiPmhTransport(f"{server.url}/oai", fetcher.fetch, RetryPolicy(max_attempts=1)).batches(REQUEST)
    assert (len(quarantined([batch])), len(server.requests)) == (1, 1)


def test_deletion_with_broken_metadata_is_a_deletion(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1), record(2, "<a>&</a>", status="deleted")]))
    (batch,) = transport.batches(REQUEST)
    assert [(record.deleted, record.issues) for record in batch.records] == [(False, ()), (True, ())]


def test_broken_record_without_identifier_makes_the_list_incomplete(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    server.answers(page([record(1), record(2, header="<identifer>x</identifer>&"), record(3)]))
    (batch,) = transport.batches(REQUEST)
    assert numbers([batch]) == "1?3"
    assert (batch.exhaustive, batch.observations[0].incomplete) == (False, True)


def test_records_named_in_metadata_are_not_taken_for_records(server: FakeServer, transport: OaiPmhTransport) -> None:
    marc = '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>&lt;record&gt;</leader></record>'
    quoted = METADATA.replace("本", "<![CDATA[<record><header></record>]]>")
    server.answers(page([record(1, marc), record(2, "<a>&</a>"), record(3, quoted), record(4, marc)]))
    (batch,) = transport.batches(REQUEST)
    assert numbers([batch]) == "1234"
    assert [bool(record.issues) for record in batch.records] == [False, True, False, False]


def test_salvaged_record_has_the_payload_of_the_intact_page(server: FakeServer, transport: OaiPmhTransport) -> None:
    attributes = 'xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:x="urn:x" xmlns:dc="urn:dc"'
    metadata = "<x:dc><dc:title>A</dc:title></x:dc>"
    server.answers(page([record(1, metadata)], attributes=attributes))
    (good,) = transport.batches(REQUEST)
    server.answers(page([record(1, metadata), record(2, "<a>&</a>")], attributes=attributes))
    (saved,) = transport.batches(REQUEST)
    assert good.records[0].payload == saved.records[0].payload


@pytest.mark.parametrize("where", BOTH)
@pytest.mark.parametrize(
    "change", [(b"http://provider.example/oai", b"http://provider.example/oai?a&b"), (b"n&amp;2", b"n&2")]
)
def test_fault_in_the_envelope_loses_no_record(
    server: FakeServer, transport: OaiPmhTransport, where: str, change: tuple[bytes, bytes]
) -> None:
    batches = harvested(server, transport, damaged(where, change))
    assert (numbers(batches), quarantined(batches)) == ("123456", [])


@pytest.mark.parametrize("where", BOTH)
@pytest.mark.parametrize(
    ("before", "after"),
    [(b"<br />\n<b>Notice</b>: Undefined index<br />\n", b""), (b"\n \n", b""), (b"", b"<!-- 0.1 s -->Warning")],
)
def test_text_around_the_document_is_cut_off(
    server: FakeServer, transport: OaiPmhTransport, where: str, before: bytes, after: bytes
) -> None:
    bodies = (before + FIRST + after, LAST) if where == "first" else (FIRST, before + LAST + after)
    batches = harvested(server, transport, bodies)
    assert (numbers(batches), quarantined(batches)) == ("123456", [])
    assert codes(batches) == {"oai.junk"}


# Pages that cannot be salvaged


@pytest.mark.parametrize("cut", [20, 100, 300])
def test_page_without_its_end_ends_the_run_and_may_pass(
    server: FakeServer, transport: OaiPmhTransport, cut: int
) -> None:
    server.answer = lambda request: Answer(FIRST if len(server.requests) == 1 else LAST[:-cut])
    batches = transport.batches(REQUEST)
    assert next(batches).resumption_token == "n&2"
    with pytest.raises(TransportError) as caught:
        next(batches)
    assert (caught.value.code, caught.value.permanent) == ("xml.malformed", False)


def test_declared_entities_are_refused_permanently(server: FakeServer, transport: OaiPmhTransport) -> None:
    doctype = b'<!DOCTYPE OAI-PMH [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>'
    server.answers(Answer(FIRST.replace(b"?>\n", b"?>" + doctype, 1).replace(TITLE, b"&b; & ", 1)))
    with pytest.raises(TransportError) as caught:
        list(transport.batches(REQUEST))
    assert (caught.value.code, caught.value.permanent) == ("xml.forbidden", True)


def test_html_before_the_document_is_cut_off(server: FakeServer, transport: OaiPmhTransport) -> None:
    page_for_people = b"<!DOCTYPE html><html><p>Warning<br></html>"
    batches = harvested(server, transport, (page_for_people + FIRST.partition(b"?>")[2], LAST.replace(TITLE, b"&", 1)))
    assert (numbers(batches), len(quarantined(batches))) == ("123456", 1)


def test_harmless_document_type_is_accepted(server: FakeServer, transport: OaiPmhTransport) -> None:
    doctype = b'<!DOCTYPE OAI-PMH SYSTEM "http://127.0.0.1:9/x.dtd">'
    bodies = FIRST.replace(b"?>\n", b"?>" + doctype, 1), LAST
    assert numbers(harvested(server, transport, bodies)) == "123456"


def test_wrong_namespace_is_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], attributes='xmlns="http://www.openarchives.org/OAI/1.1/"'))
    (batch,) = transport.batches(REQUEST)
    assert [(n.code, n.facts["namespace"]) for n in batch.observations] == [
        ("oai.namespace", "http://www.openarchives.org/OAI/1.1/")
    ]
