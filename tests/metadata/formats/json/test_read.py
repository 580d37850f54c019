"""Records as JSON: exports survive a round trip, and typed values are normalised or reported."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from metadata.formats import WRITERS
from metadata.formats.json.read import write
from metadata.reading import read
from metadata.record import BibliographicRecord, Identifier, Relation, Title
from tests.metadata.data.dcndl.all_fields import RECORD as BOOK
from tests.metadata.data.oai_dc.all_fields import RECORD as PAPER
from tests.metadata.documents import codes
from tests.metadata.records import RECORD

CAT = BibliographicRecord(titles=(Title(value="猫"),), issued="1906")


@pytest.mark.parametrize("record", [BOOK, PAPER], ids=["book", "paper"])
def test_a_record_survives_a_round_trip(record):
    assert read(write(record), "json").record == record


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(RECORD)
def test_any_record_survives_a_round_trip(record):
    assert read(write(record), "dcndl").record == record


@pytest.mark.parametrize("prefix", ["dcndl", "dcndl_simple"])
@pytest.mark.parametrize("uri", ["", "https://a.example/"])
def test_unknown_relation_types_are_written_as_relation(prefix, uri):
    link = Relation(type="<script>", uri=uri, label="続編")
    record = read(WRITERS[prefix].write(msgspec.structs.replace(CAT, relations=(link,))), prefix).record
    assert [relation.type for relation in record.relations] == ["relation"]


def test_unknown_fields_are_reported():
    payload = b'{"titles":[{"value":"a","kana":"b"}],"issued":"1906","colour":"red"}'
    reading = read(payload, "json")
    assert [(issue.code, issue.field) for issue in reading.issues] == [
        ("json.W002", "colour"),
        ("json.W002", "titles.kana"),
    ]
    assert reading.record.title == "a"


@pytest.mark.parametrize(
    ("payload", "code", "place"),
    [
        (b'{"titles":"a"}', "json.E003", "titles"),
        (b'{"titles":[{"value":1}]}', "json.E003", "titles[0].value"),
        (b'{"titles":[', "json.E001", "-"),
        (b'{"a":' + b"[" * 100_000, "json.E001", "-"),
        (b'{"titles":[{"value":"\xff"}]}', "json.E001", "-"),
        (b'{"titles":[{"value":"\\ud800"}]}', "json.E001", "-"),
    ],
)
def test_json_that_is_no_record_is_rejected_with_the_place_of_the_error(payload, code, place):
    reading = read(payload, "json")
    assert reading.record is None
    assert [(issue.code, issue.field) for issue in reading.issues] == [(code, place)]


def test_identifiers_dates_and_languages_are_normalised_or_reported():
    record = msgspec.structs.replace(
        CAT,
        identifiers=(Identifier(scheme="ISBN", value="4-10-101001-3"), Identifier(scheme="ISBN", value="123")),
        issued="昭和30年8月",
        languages=("日本語",),
    )
    reading = read(write(record), "json")
    assert reading.record.values("ISBN") == ("9784101010014",)
    assert reading.record.invalid_identifiers == (Identifier(scheme="ISBN", value="123"),)
    assert (reading.record.issued, reading.record.dates) == ("1955-08", ("昭和30年8月",))
    assert reading.record.languages == ("jpn",)
    assert codes(reading) == ["json.E009", "json.N010", "json.N018"]


def test_control_characters_are_removed():
    reading = read(b'{"titles":[{"value":"a\\u0000b\\u000bc"}],"issued":"1906"}', "json")
    assert (reading.record.title, codes(reading)) == ("abc", ["json.E004"])


def test_a_record_without_title_is_rejected():
    assert read(b"{}", "json").record is None
