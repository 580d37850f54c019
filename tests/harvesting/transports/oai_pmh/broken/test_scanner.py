"""Finding records in damaged bytes."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harvesting.transports.oai_pmh.broken.scanner import scan
from harvesting.transports.oai_pmh.envelope import read_envelope
from harvesting.transports.oai_pmh.repair import BrokenResponse, salvage_page
from harvesting.transports.oai_pmh.responses import Page, read_page
from harvesting.types import TransportError
from tests.harvesting.transports.oai_responses import METADATA, envelope, page, record, token

PIECES = [
    b"<record>", b"</record>", b"<record/>", b"<header>", b"</header>", b"<identifier>x</identifier>", b"<metadata>",
    b"</metadata>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"?>", b"&", b"<", b">", b'"', b"<oai:record>",
    b"</OAI-PMH>", b"<OAI-PMH>", b"<resumptionToken>", b"</resumptionToken>", b"</ListRecords>", b"\x00", b"\xff",
    b"&#xD800;", b"&#0;", "本".encode(), b"<record a='", b"<!DOCTYPE a [", b"\r\n",
]  # fmt: skip


def saved(body: bytes) -> Page:
    """Return the page by strict parsing, or what can be salvaged of it. Raises TransportError if nothing can."""
    try:
        return read_page(read_envelope(body), "ListRecords")
    except TransportError as error:
        return salvage_page(BrokenResponse(body=body, url="http://a.example/", verb="ListRecords"), error)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.integers(0, 3))
@settings(max_examples=400, deadline=None)
def test_a_damaged_record_does_not_affect_its_neighbours_or_the_page_is_refused(rubbish: bytes, place: int) -> None:
    good = [record(number) for number in range(1, 4)]
    marked = page([*good[:place], "<!--RUBBISH-->", *good[place:]], token("t")).body
    try:
        found = saved(marked.replace(b"<!--RUBBISH-->", rubbish))
    except TransportError:
        return
    kept = {record.identifier for record in found.records}
    hidden = b"<!--" in rubbish or b"<![CDATA[" in rubbish or b"<?" in rubbish or b"OAI-PMH" in rubbish
    closed = b"</ListRecords>" in rubbish or b"resumptionToken" in rubbish
    assert hidden or closed or kept >= {f"oai:provider.example:{number}" for number in range(1, 4)}


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_no_bytes_raise_an_error_of_our_own(body: bytes) -> None:
    for document in (body, envelope("").replace(b"</OAI-PMH>", b"<ListRecords>" + body + b"</ListRecords></OAI-PMH>")):
        try:
            saved(document)
        except TransportError as error:
            known = {"xml.malformed", "xml.forbidden", "oai.not_oai", "oai.no_answer", "oai.encoding_wrong"}
            assert error.code in known


@given(st.lists(st.text(alphabet="あ本aé<&>\"' \n", max_size=20), min_size=1, max_size=6), st.data())
@settings(max_examples=200, deadline=None)
def test_salvaging_loses_nothing_that_strict_parsing_would_give(titles: list[str], data: st.DataObject) -> None:
    escaped = [title.replace("&", "&amp;").replace("<", "&lt;") for title in titles]
    records = [record(number, METADATA.replace("本", text)) for number, text in enumerate(escaped)]
    strict = saved(page(records, token("t", 9)).body)
    bad = data.draw(st.integers(0, len(records)))
    with_bad = saved(page([*records[:bad], record(99, "<a>&</a>"), *records[bad:]], token("t", 9)).body)
    assert [record for record in with_bad.records if not record.issues] == list(strict.records)
    assert (with_bad.resumption_token, with_bad.complete_list_size) == ("t", 9)


@pytest.mark.parametrize("piece", [*PIECES, b"<record><header>", b'<record a="<', b"</record ", b"<a", b"&#x1;"])
def test_scanning_a_page_of_nothing_but_damage_ends(piece: bytes) -> None:
    """If a step read every byte more than a few times, this would take minutes."""
    body = page([record(1), "RUBBISH", record(2)], token("t")).body.replace(b"RUBBISH", piece * 100_000, 1)
    with suppress(TransportError):
        assert len(saved(body).records) >= 1


def test_places_are_found() -> None:
    body = page([record(1), record(2)], token("a&amp;b", 7)).body
    places = scan(body)
    assert places is not None
    assert [body[span.start : span.start + 16] for span in places.records] == [b"<record><header>"] * 2
    assert places.token is not None
    assert (places.token.text, places.token.attributes) == ("a&b", {"completeListSize": "7"})
    assert [tag[:8] for tag in places.opening] == [b"<OAI-PMH", b"<ListRec"]
