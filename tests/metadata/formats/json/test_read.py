"""Records as JSON: the export comes back, and what people type is put right or told."""

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
def test_a_record_comes_back_the_same(record):
    assert read(write(record), "json").record == record


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(RECORD)
def test_any_record_comes_back_the_same(record):
    assert read(write(record), "dcndl").record == record


@pytest.mark.parametrize("prefix", ["dcndl", "dcndl_simple"])
@pytest.mark.parametrize("uri", ["", "https://a.example/"])
def test_what_is_no_term_of_dcmi_is_written_as_a_relation_like_any(prefix, uri):
    link = Relation(type="<script>", uri=uri, label="続編")
    found = read(WRITERS[prefix].write(msgspec.structs.replace(CAT, relations=(link,))), prefix).record
    assert [each.type for each in found.relations] == ["relation"]


def test_a_field_that_does_not_exist_is_told():
    payload = b'{"titles":[{"value":"a","kana":"b"}],"issued":"1906","colour":"red"}'
    reading = read(payload, "json")
    assert [(each.code, each.field) for each in reading.issues] == [
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
def test_what_is_no_record_is_rejected_with_its_place(payload, code, place):
    reading = read(payload, "json")
    assert reading.record is None
    assert [(each.code, each.field) for each in reading.issues] == [(code, place)]


def test_numbers_dates_and_languages_are_put_right_or_told():
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
