"""DC-NDL (Simple): readings by order, creators and statements, dates by form, round trips."""

import time

import pytest
from hypothesis import HealthCheck, given, settings

from metadata.formats import CROSSWALKS
from metadata.formats.dcndl_simple.creators import all_people
from metadata.issue import Reading
from metadata.reading import read, read_element
from metadata.record import Agent, Date, Identifier, MaterialType, Relation, Subject, Title
from metadata.xml.envelopes import unpack
from metadata.xml.parsing import parse
from tests.metadata.documents import codes
from tests.metadata.formats.normal_numbers import with_normal_numbers
from tests.metadata.records import RECORD

WRITE = CROSSWALKS["dcndl_simple"].write
RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))
TITLE = "<dc:title>坊っちゃん</dc:title>"
PAGE = '<rdfs:seeAlso rdf:resource="https://opac.example.jp/bib/1"/>'
TYPE = "<dcndl:materialType>図書</dcndl:materialType>"
ISSUED = '<dcterms:issued xsi:type="dcterms:W3CDTF">1950</dcterms:issued>'
_SIMPLE = """<s:dc xmlns:s="http://ndl.go.jp/dcndl/dcndl_simple/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dcndl="http://ndl.go.jp/dcndl/terms/"
  xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{}</s:dc>"""


def read_simple(*parts: str, title: str = TITLE, issued: str = ISSUED) -> Reading:
    return read(_SIMPLE.format("".join((title, *parts, issued, TYPE, PAGE))).encode(), "dcndl_simple")


def test_a_number_of_ndl_in_the_namespace_of_dublin_core_is_read_and_reported():
    reading = read_simple('<dc:identifier xsi:type="dcterms:ISBN">978-4-10-101001-4</dc:identifier>')
    assert "dcndl_simple.W104" in codes(reading)
    assert reading.record.values("ISBN") == ("9784101010014",)


def test_a_correct_record_has_no_issues():
    reading = read_simple("<dcndl:titleTranscription>ボッチャン</dcndl:titleTranscription>")
    assert reading.issues == ()
    assert reading.record.titles == (Title(value="坊っちゃん", transcription="ボッチャン"),)
    assert reading.record.display_title == "坊っちゃん"
    assert reading.record.issued == "1950"
    assert reading.record.material_types == (MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書"),)


def test_readings_are_paired_with_values_by_order():
    record = read_simple(
        "<dcndl:seriesTitle>甲</dcndl:seriesTitle><dcndl:seriesTitle>乙</dcndl:seriesTitle>"
        "<dcndl:seriesTitleTranscription/><dcndl:seriesTitleTranscription>オツ</dcndl:seriesTitleTranscription>"
    ).record
    assert record.series == (Title(value="甲"), Title(value="乙", transcription="オツ"))


def test_readings_that_cannot_be_paired_are_reported_and_not_used():
    reading = read_simple(
        "<dcndl:seriesTitle>甲</dcndl:seriesTitle><dcndl:seriesTitle>乙</dcndl:seriesTitle>"
        "<dcndl:seriesTitleTranscription>オツ</dcndl:seriesTitleTranscription>"
    )
    assert codes(reading) == ["dcndl_simple.W005"]
    assert not any(title.transcription for title in reading.record.series)


@pytest.mark.parametrize("statement", ["夏目漱石 著", "夏目漱石著", "夏目漱石[編著]"])
def test_headings_and_statements_of_responsibility_are_separated(statement):
    record = read_simple(
        f"<dc:creator>{statement}</dc:creator><dc:creator>夏目, 漱石, 1867-1916</dc:creator>"
        "<dcndl:creatorTranscription>ナツメ, ソウセキ</dcndl:creatorTranscription>"
    ).record
    assert record.responsibility == (statement,)
    assert record.creators == (Agent(name="夏目, 漱石, 1867-1916", transcription="ナツメ, ソウセキ"),)


def test_without_headings_a_statement_names_the_people():
    record = read_simple("<dc:creator>小栗一夫, 早川聖司 [共著]</dc:creator>").record
    assert [(creator.name, creator.role) for creator in record.creators] == [("小栗一夫", "共著"), ("早川聖司", "共著")]


@pytest.mark.parametrize("heading", ["柳沢, 文", "国際文化交流推進協会", "Burke, Peter, 1937-", "中村, 澄子, 英語"])
def test_headings_are_not_read_as_statements(heading):
    record = read_simple(f"<dc:creator>{heading}</dc:creator>").record
    assert (record.creators, record.responsibility) == ((Agent(name=heading),), ())


@pytest.mark.parametrize("reading", ["", "ジョ"])
def test_a_part_has_its_creator(reading):
    transcription = f"<dcndl:partTitleTranscription>{reading}</dcndl:partTitleTranscription>" if reading else ""
    record = read_simple(
        f"<dcndl:partTitle>序</dcndl:partTitle>{transcription}<dcndl:partCreator>夏目漱石</dcndl:partCreator>"
    ).record
    assert record.parts == (Title(value="序", transcription=reading, responsibility="夏目漱石"),)


def test_classes_get_their_uri_as_in_rdf():
    record = read_simple('<dc:subject xsi:type="dcndl:NDC9">913.6</dc:subject>').record
    assert record.subjects == (Subject(value="913.6", scheme="NDC9", uri="http://id.ndl.go.jp/class/ndc9/913.6"),)


def test_an_unknown_scheme_is_kept_and_reported():
    reading = read_simple('<dc:subject xsi:type="dcndl:XYZ">1</dc:subject>')
    assert codes(reading) == ["dcndl_simple.W004"]
    assert reading.record.subjects == (Subject(value="1", scheme="XYZ"),)


def test_swapped_dates_are_recognised_by_their_form():
    swapped = '<dc:date xsi:type="dcterms:W3CDTF">2022</dc:date><dcterms:issued>2022.2</dcterms:issued>'
    reading = read_simple(issued=swapped)
    assert (reading.record.issued, reading.record.dates) == ("2022", ("2022.2",))
    assert codes(reading) == ["dcndl_simple.N006"]


def test_the_last_year_of_a_serial_is_kept():
    issued = '<dcterms:issued xsi:type="dcterms:W3CDTF">{}</dcterms:issued>'
    record = read_simple(issued=issued.format("1972") + issued.format("1994")).record
    assert (record.issued, record.other_dates) == ("1972", (Date(type="issued", value="1994"),))


def test_a_wrong_isbn_is_reported_under_its_element_name_and_stored_separately():
    reading = read_simple('<dc:identifier xsi:type="dcndl:ISBN">978-4-10-101001-0</dc:identifier>')
    assert [(issue.code, issue.field) for issue in reading.issues] == [("dcndl.E013", "dc:identifier[ISBN]")]
    assert reading.record.invalid_identifiers == (Identifier(scheme="ISBN", value="978-4-10-101001-0"),)


def test_an_identifier_without_type_is_recognised_by_its_form():
    record = read_simple(
        "<dc:identifier>https://opac.example.jp/2</dc:identifier><dc:identifier>urn:isbn:9784101010014</dc:identifier>"
    ).record
    assert record.values("ISBN") == ("9784101010014",)
    assert "https://opac.example.jp/2" in record.see_also


def test_rdf_nodes_are_read_and_reported():
    creator = "<dc:creator><foaf:Agent><foaf:name>夏目, 漱石</foaf:name></foaf:Agent></dc:creator>"
    reading = read_simple(creator)
    assert codes(reading) == ["dcndl_simple.W009"]
    assert reading.record.creators == (Agent(name="夏目, 漱石"),)


@pytest.mark.parametrize(
    ("replaced", "code"),
    [({"title": ""}, "dcndl_simple.E002"), ({"issued": ""}, "dcndl_simple.W007")],
)
def test_missing_elements_are_reported(replaced, code):
    assert code in codes(read_simple(**replaced))


def test_unknown_languages_are_reported_under_the_element_name():
    reading = read_simple("<dc:language>xyzzy</dc:language>")
    assert [(issue.code, issue.field) for issue in reading.issues] == [("dcndl.W020", "dc:language")]


def test_links_keep_their_kind():
    record = read_simple('<dcterms:replaces rdf:resource="https://opac.example.jp/2" rdfs:label="旧版"/>').record
    assert record.relations == (Relation(type="replaces", uri="https://opac.example.jp/2", label="旧版"),)


@RELAXED
@given(RECORD)
def test_any_record_is_stable_after_one_round_trip(record):
    once = read(WRITE(record), "dcndl_simple").record
    assert once.titles == record.titles
    assert read(WRITE(once), "dcndl_simple").record == once


def test_every_sample_survives_a_round_trip_and_is_read_completely(samples):
    number = 0
    for path in sorted((samples / "dcndl_simple").glob("*.xml")):
        for enclosed in unpack(parse(path.read_bytes())):
            number += 1
            record = read_element(enclosed.element, "dcndl_simple").record
            assert read(WRITE(record), "dcndl_simple").record == with_normal_numbers(record), enclosed.identifier
            assert CROSSWALKS["dcndl_simple"].unmapped(enclosed.element) == []
    assert number == 63


def test_a_person_in_two_statements_is_listed_once():
    assert [person.name for person in all_people(["原田智子 編", "原田智子, 江草由佳 共著"])] == [
        "原田智子",
        "江草由佳",
    ]


@pytest.mark.parametrize("text", ["甲 " + "編著・" * 15 + "x", "甲 " + "編著・" * 5_000 + "x"], ids=["short", "long"])
def test_roles_that_can_be_divided_in_many_ways_take_little_time(text: str) -> None:
    """Fifteen of them took eight seconds, and each one more twice as long."""
    begun = time.process_time()
    assert all_people([text]) == []
    assert time.process_time() - begun < 1
