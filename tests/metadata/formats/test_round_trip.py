"""Every format after reading, writing and reading again: data files, and any record that the format can hold."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from metadata.display_title import display_title
from metadata.formats import CROSSWALKS, WRITERS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Identifier, Title, decode_record, encode_record
from metadata.vocabularies.namespaces import expand
from metadata.xml.parsing import parse
from tests.metadata.data.dcndl.all_fields import RECORD as BOOK
from tests.metadata.data.oai_dc.all_fields import RECORD as PAPER
from tests.metadata.formats.normal_numbers import with_normal_numbers
from tests.metadata.formats.through_dcndl import comparable, with_uris
from tests.metadata.full_records import FULL_RECORD
from tests.metadata.records import RECORD
from tests.paths import ROOT

DATA = ROOT / "tests" / "metadata" / "data"
RELAXED = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.xml")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_data_file_is_the_same_after_a_round_trip(path):
    prefix = path.parent.name
    record = read(path.read_bytes(), prefix).record
    if record is not None:
        expected = with_uris(record) if prefix == "dcndl" else with_normal_numbers(record)
        back = read(CROSSWALKS[prefix].write(record), prefix).record
        assert comparable(back, record) == comparable(expected, record)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("kind", ["book", "paper"])
def test_a_record_from_the_database_is_written_like_the_one_that_was_stored(kind, name):
    numbers = (Identifier(scheme="DOI", value="10.1234/a"), Identifier(scheme="ISBN", value="9784101010014"))
    record = structs.replace(BOOK if kind == "book" else PAPER, identifiers=numbers)
    assert WRITERS[name].write(decode_record(encode_record(record))) == WRITERS[name].write(record)


@RELAXED
@given(RECORD)
def test_any_record_is_the_same_after_dcndl(record):
    back = read(CROSSWALKS["dcndl"].write(record), "dcndl").record
    assert comparable(back, record) == comparable(record, record)


@RELAXED
@given(FULL_RECORD)
def test_any_full_record_is_the_same_after_dcndl(record):
    back = read(CROSSWALKS["dcndl"].write(record), "dcndl").record
    assert comparable(back, record) == comparable(record, record)


@RELAXED
@given(FULL_RECORD, st.sampled_from(sorted(set(CROSSWALKS) - {"dcndl"})))
def test_a_record_of_any_format_is_the_same_after_dcndl(record, prefix):
    sent = read(CROSSWALKS[prefix].write(record), prefix).record
    if sent is not None:
        back = read(CROSSWALKS["dcndl"].write(sent), "dcndl").record
        assert comparable(back, sent) == comparable(with_uris(sent), sent)


@RELAXED
@given(RECORD)
def test_any_record_is_stable_after_one_round_trip_in_oai_dc(record):
    write = CROSSWALKS["oai_dc"].write
    once = read(write(record), "oai_dc").record
    assert display_title(once) == display_title(record)
    assert read(write(once), "oai_dc").record == once


@RELAXED
@given(st.text(min_size=1).filter(str.strip), st.sampled_from(sorted(CROSSWALKS)))
def test_no_character_breaks_the_written_xml(text, prefix):
    record = BibliographicRecord(
        uri=text,
        titles=(Title(value=text, transcription=text),),
        creators=(Agent(name=text, uri=text),),
        see_also=(text,),
        identifiers=(Identifier(scheme="DOI", value=text),),
    )
    parse(CROSSWALKS[prefix].write(record))


def test_an_isbn_is_written_with_hyphens_and_as_a_uri_without():
    record = BibliographicRecord(
        uri="https://opac.example.jp/1",
        titles=(Title(value="猫"),),
        identifiers=(
            Identifier(scheme="ISBN", value="9784101010014"),
            Identifier(scheme="SetISBN", value="9784101010991"),
        ),
    )
    written = CROSSWALKS["dcndl"].write(record).decode()
    assert '<rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/9784101010014"/>' in written
    assert 'terms/ISBN">978-4-10-101001-4<' in written
    assert 'terms/SetISBN">978-4-10-101099-1<' in written


def test_a_wrong_isbn_is_written_as_wrong():
    record = BibliographicRecord(
        uri="https://opac.example.jp/1",
        titles=(Title(value="猫"),),
        invalid_identifiers=(Identifier(scheme="ISBN", value="978-4-10-101001-0"),),
    )
    assert 'terms/ErrorISBN">978-4-10-101001-0<' in CROSSWALKS["dcndl"].write(record).decode()


def test_a_wrong_number_without_a_scheme_stays_wrong():
    record = BibliographicRecord(
        uri="https://opac.example.jp/1",
        titles=(Title(value="猫"),),
        invalid_identifiers=(Identifier(value="X-17"),),
    )
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record.invalid_identifiers == record.invalid_identifiers


def test_a_book_is_written_as_oai_dc_with_its_page_first():
    root = parse(CROSSWALKS["oai_dc"].write(BOOK))
    texts = [child.text for child in root if child.tag.endswith("}identifier")]
    assert texts[:3] == ["https://opac.example.jp/bib/101", "urn:isbn:9784101010014", "ISBN 9784101010991 (set)"]
    assert root.get(expand("xsi:schemaLocation")).endswith("oai_dc.xsd")
    assert "xsi" in root.nsmap


def test_a_paper_written_as_dcndl_can_be_read():
    record = read(CROSSWALKS["dcndl"].write(PAPER), "dcndl").record
    assert (record.titles, record.host, record.issued) == (PAPER.titles, PAPER.host, PAPER.issued)
    assert record.uri == "https://repo.example.jp/records/7"
