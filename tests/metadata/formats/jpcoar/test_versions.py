"""Records written as JPCOAR 1.0 and 2.0."""

from itertools import islice

import pytest
from lxml import etree

from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Date, Host, Identifier, MaterialType, Relation, Subject, Title
from metadata.xml.parsing import PARSER_OPTIONS, parse
from tests.metadata.formats.test_round_trip_samples import FOLDERS, LocalSchemas, records

EVERY_FIFTH = pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
RECORD = BibliographicRecord(
    titles=(Title(value="調査データ", language="ja"),),
    creators=(Agent(name="山田", kind="Personal", identifiers=(Identifier(scheme="e-Rad_Researcher", value="1"),)),),
    contributors=(Agent(name="John", role="Translator"),),
    publishers=(Agent(name="国会", location="東京"),),
    publication_places=("JP",),
    subjects=(Subject(value="x", scheme="SciVal"), Subject(value="y", scheme="JEL")),
    material_types=(MaterialType(label="survey data"),),
    editions=("第2版",),
    other_dates=(Date(type="coverage", value="2020"), Date(type="created", value="2020/2021")),
    relations=(
        Relation(type="references", term="cites", uri="http://a.example/1"),
        Relation(type="isPartOf", term="inSeries", scheme="ISSN", number="1234-5679"),
    ),
    host=Host(title="誌", pages="A1-A9", identifiers=(Identifier(scheme="ISBN", value="9784000000000"),)),
    see_also=("https://a.example/1",),
)
SCHEMAS = {"jpcoar_1.0": "1.0", "jpcoar_2.0": "2.0", "jpcoar": "2.1"}


def written(prefix: str) -> str:
    return WRITERS[prefix].write(RECORD).decode()


@pytest.mark.parametrize("prefix", SCHEMAS)
def test_the_namespace_is_that_of_the_version(prefix):
    root = parse(WRITERS[prefix].write(RECORD))
    assert etree.QName(root).namespace == WRITERS[prefix].namespace == WRITERS[prefix].schema[:-14]
    assert f"/{SCHEMAS[prefix]}/" in WRITERS[prefix].namespace


@pytest.mark.parametrize("prefix", SCHEMAS)
def test_every_version_can_be_read_again(prefix):
    record = read(WRITERS[prefix].write(RECORD), "jpcoar").record
    title = "調査データ. — 第2版" if prefix == "jpcoar_1.0" else "調査データ"  # 1.0 has no element for the edition
    assert (record.title, record.creators[0].name, record.see_also) == (title, "山田", RECORD.see_also)
    assert record.publishers[0].name == "国会"


def test_new_terms_become_the_closest_older_ones():
    old, newer = written("jpcoar_1.0"), written("jpcoar_2.0")
    assert ">dataset</dc:type>" in old and ">survey data</dc:type>" in newer
    assert 'relationType="references"' in old and 'relationType="Cites"' in newer
    assert 'relationType="isPartOf"' in old and 'relationType="inSeries"' in newer
    assert 'nameIdentifierScheme="e-Rad"' in old and 'nameIdentifierScheme="e-Rad_Researcher"' in newer
    assert 'contributorType="Other"' in old and 'contributorType="Other"' in newer
    assert 'subjectScheme="Sci-Val"' in old and 'subjectScheme="SciVal"' in newer


@pytest.mark.parametrize("prefix", SCHEMAS)
def test_a_relation_of_no_known_kind_gets_none_in_any_version(prefix):
    record = BibliographicRecord(titles=RECORD.titles, relations=(Relation(type="relation", uri="http://a.example/1"),))
    document = WRITERS[prefix].write(record).decode()
    assert "http://a.example/1" in document and "relationType" not in document


def test_what_an_earlier_version_does_not_have_is_left_out():
    old, newer = written("jpcoar_1.0"), written("jpcoar_2.0")
    assert "dcndl:edition" not in old and "nameType" not in old and "2020/2021" not in old
    assert "dcndl:edition" in newer and "2020/2021" in newer
    assert "Coverage" not in old + newer
    assert "<dc:publisher" in old and "<jpcoar:publisher>" in newer


@EVERY_FIFTH
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("source", sorted(FOLDERS))
def test_what_is_valid_in_2_1_is_valid_in_earlier_versions(samples, source, version, step):
    older, newest = schema(samples, version), schema(samples, "2.1")
    for path, record in islice(records(samples, source), 0, None, step):
        if newest.validate(parse(WRITERS["jpcoar"].write(record))):
            assert older.validate(parse(WRITERS[f"jpcoar_{version}"].write(record))), (path, older.error_log)


def schema(samples, version: str) -> etree.XMLSchema:
    parser = etree.XMLParser(**PARSER_OPTIONS)
    parser.resolvers.add(LocalSchemas(samples.parent / "schemas"))
    return etree.XMLSchema(etree.parse(samples.parent / "schemas" / "jpcoar" / version / "jpcoar_scm.xsd", parser))


def test_publishers_of_version_1_are_names_without_their_details():
    root = parse(WRITERS["jpcoar_1.0"].write(RECORD))
    assert [publisher.text for publisher in root.iter("{*}publisher")] == ["国会"]
    assert not list(root.iter("{*}location"))
