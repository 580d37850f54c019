"""Reading single pages and records with the errors that providers make."""

from datetime import UTC, datetime

import pytest
from lxml import etree

from harvesting.transports.oai_pmh.envelope import parse_date, read_content, read_envelope, read_error
from harvesting.transports.oai_pmh.responses import read_page
from harvesting.types import HarvestedRecord, TransportError
from tests.harvesting.transports.oai_responses import DC, METADATA, OAI, envelope, page, record
from tests.paths import SAMPLES


def only(text: str, **options: str) -> HarvestedRecord:
    (found,) = read_page(read_envelope(page([text], **options).body), "ListRecords").records
    return found


def test_record_is_read_whole() -> None:
    found = only(
        record(
            1,
            header=(
                "<identifier> oai:a:1 </identifier><datestamp>\n2026-01-01T00:00:00Z </datestamp>"
                "<setSpec>a:b</setSpec><setSpec/><setSpec>c</setSpec><setSpec>c</setSpec>"
            ),
        )
    )
    assert (found.identifier, found.datestamp) == ("oai:a:1", "2026-01-01T00:00:00Z")
    assert (found.set_specs, found.deleted) == (("a:b", "c"), False)
    assert found.root is not None
    assert etree.QName(found.root).localname == "dc"


def test_payload_is_standalone_and_equal_to_the_root() -> None:
    found = only(
        record(1, '<x:dc><dc:title xsi:type="x:T">A &amp; B</dc:title></x:dc>'),
        attributes=(
            f'xmlns="{OAI}" xmlns:x="urn:x" xmlns:dc="{DC}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ),
    )
    again = etree.fromstring(found.payload)
    assert again.tag == "{urn:x}dc"
    assert again[0].tag == f"{{{DC}}}title"
    assert again.nsmap["x"] == "urn:x"  # used only in the value of xsi:type
    assert again[0].text == "A & B"
    assert found.root is not None
    assert etree.tostring(again, method="c14n") == etree.tostring(found.root, method="c14n", with_tail=False)


def test_payload_carries_nothing_of_its_surroundings() -> None:
    assert only(record(1, f"\n  {METADATA}\n  ")).payload.endswith(b"</dc>")


def test_roots_stay_valid_with_the_batch_alone() -> None:
    batch = read_page(read_envelope(page([record(n) for n in range(50)]).body), "ListRecords")
    assert {record.root[0].text for record in batch.records if record.root is not None} == {"本"}


@pytest.mark.parametrize("status", ["deleted", "Deleted", " DELETED\n"])
@pytest.mark.parametrize("metadata", ["", METADATA])
def test_deletion_counts_however_it_is_spelt(status: str, metadata: str) -> None:
    found = only(record(1, metadata, status=status))
    assert (found.deleted, found.payload, found.root) == (True, b"", None)


def test_other_status_is_no_deletion() -> None:
    assert not only(record(1, status="active")).deleted


@pytest.mark.parametrize("metadata", ["", " \n"])
def test_missing_metadata_is_no_deletion(metadata: str) -> None:
    found = only(record(1, metadata))
    assert (found.deleted, found.payload, found.root) == (False, b"", None)


def test_two_metadata_roots_are_passed_on_for_rejection() -> None:
    found = only(record(1, METADATA * 2))
    assert found.root is None
    assert etree.fromstring(found.payload).tag == f"{{{OAI}}}metadata"


def test_two_metadata_elements_are_passed_on_for_rejection() -> None:
    found = only(record(1, f"{METADATA}</metadata><metadata>{METADATA}"))
    assert found.root is None
    assert found.payload.count(b"<dc ") == 2


def test_metadata_as_escaped_text_is_passed_on_for_rejection() -> None:
    found = only(record(1, "&lt;dc/&gt;"))
    assert (found.root, b"&lt;dc/&gt;" in found.payload) == (None, True)


@pytest.mark.parametrize(
    "text", ["<record/>", "<record><header/></record>", f"<record><metadata>{METADATA}</metadata></record>"]
)
def test_record_without_identifier_is_not_dropped(text: str) -> None:
    assert only(text).identifier == ""


def test_timestamp_is_read_as_datestamp() -> None:
    header = "<identifier>a</identifier><timestamp>2026-01-01</timestamp>"
    assert only(record(1, header=header)).datestamp == "2026-01-01"


@pytest.mark.parametrize("attributes", ["", 'xmlns="http://www.openarchives.org/OAI/1.1/"', 'xmlns="urn:other"'])
def test_missing_or_wrong_namespace_loses_nothing(attributes: str) -> None:
    assert only(record(1), attributes=attributes).identifier == "oai:provider.example:1"


def test_prefixed_envelope() -> None:
    body = (
        f'<o:OAI-PMH xmlns:o="{OAI}"><o:ListRecords><o:record><o:header><o:identifier>a</o:identifier></o:header>'
        f"<o:metadata>{METADATA}</o:metadata></o:record></o:ListRecords></o:OAI-PMH>"
    )
    (found,) = read_page(read_envelope(body.encode()), "ListRecords").records
    assert (found.identifier, found.root is not None) == ("a", True)


@pytest.mark.parametrize("encoding", ["UTF-16", "EUC-JP", "Shift_JIS"])
def test_declared_encodings_are_read_and_the_payload_is_utf8(encoding: str) -> None:
    text = page([record(1)]).body.decode().replace("UTF-8", encoding)
    (found,) = read_page(read_envelope(text.encode(encoding)), "ListRecords").records
    assert "本".encode() in found.payload


@pytest.mark.parametrize("place", ["title", "record", "header"])
def test_entity_of_a_dtd_that_is_not_read_is_an_error(place: str) -> None:
    body = page([record(1)]).body.replace(b"?>\n", b'?><!DOCTYPE OAI-PMH PUBLIC "-//a" "http://127.0.0.1:1/a.dtd">', 1)
    read_envelope(body)  # the DOCTYPE alone is harmless
    with pytest.raises(TransportError) as caught:
        read_envelope(body.replace(f"{place}>".encode(), f"{place}>caf&eacute; ".encode(), 1))
    assert (caught.value.code, caught.value.facts["reason"]) == ("xml.malformed", "Entity &eacute; not defined")


def test_malformed_utf16_is_still_recognised_as_oai() -> None:
    with pytest.raises(TransportError) as caught:
        read_envelope(page(["<record>"]).body.decode().replace("UTF-8", "UTF-16").encode("UTF-16"))
    assert caught.value.code == "xml.malformed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.678Z", datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)),
        ("2026-01-02T12:04:05+09:00", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
        ("2026-02-30", None),
        ("0001-01-01T00:00:00+09:00", None),
    ],
)
def test_response_date_is_read_leniently(text: str, expected: datetime | None) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("size", "expected"), [("12", 12), (" 12 ", 12), ("-1", None), ("many", None), ("1" * 30, None)]
)
def test_complete_list_size(size: str, expected: int | None) -> None:
    found = page([], f'<resumptionToken completeListSize="{size}">a</resumptionToken>')
    assert read_page(read_envelope(found.body), "ListRecords").complete_list_size == expected


@pytest.mark.parametrize(
    ("sent", "code"),
    [("badverb", "oai.badVerb"), (" badArgument ", "oai.badArgument"), ("", "oai.unknown"), ("boom", "oai.unknown")],
)
def test_error_codes_are_folded(sent: str, code: str) -> None:
    error = read_error(read_envelope(envelope(f'<error code="{sent}">x</error>')))
    assert error is not None
    assert error.code == code


def test_more_serious_error_is_named_first() -> None:
    error = read_error(read_envelope(envelope('<error code="noRecordsMatch"/><error code="badArgument"/>')))
    assert error is not None
    assert error.code == "oai.badArgument"


def test_response_without_the_list_is_an_error() -> None:
    with pytest.raises(TransportError) as caught:
        read_page(read_envelope(envelope("<ListIdentifiers/>")), "ListRecords")
    assert caught.value.code == "oai.no_answer"
    assert "ListIdentifiers" in str(caught.value.facts["reason"])


def test_real_responses_are_read_or_refused() -> None:
    if not SAMPLES.is_dir():
        pytest.skip("no folder ../shared/samples beside the repository")
    records, refused = 0, 0
    for path in sorted((SAMPLES / "oai_dc").glob("*.xml")):
        try:
            records += len(answered(path.read_bytes()))
        except TransportError:
            refused += 1
    print(f"{records} records, {refused} responses refused")
    assert records > 500


def answered(body: bytes) -> tuple[HarvestedRecord, ...]:
    root = read_envelope(body)
    error = read_error(root)
    if error:
        raise error
    for verb in ("ListRecords", "GetRecord"):
        if root.find(f"{{*}}{verb}") is not None:
            return read_page(root, verb).records
    assert read_content(root, etree.QName(root[-1]).localname) is not None
    return ()
