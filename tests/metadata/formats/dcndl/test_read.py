"""DC-NDL(RDF) in all its shapes."""

import pytest

from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import Agent, Date, Host, Identifier, Relation, Subject, Title
from metadata.xml.parsing import parse
from tests.metadata.data.dcndl.all_fields import RECORD
from tests.metadata.documents import codes, dcndl, identifier, read_dcndl
from tests.paths import ROOT

DATA = ROOT / "tests" / "metadata" / "data" / "dcndl"


def reading(name: str):
    return read((DATA / f"{name}.xml").read_bytes(), "dcndl")


def test_every_field_is_read_and_nothing_is_wrong_with_it():
    assert reading("all_fields").record == RECORD
    assert reading("all_fields").issues == ()


def test_elements_without_value_are_skipped_and_counted():
    found = reading("blank")
    assert found.record.title == "空の要素ばかりの本"
    assert found.record.creators == found.record.subjects == found.record.identifiers == ()
    assert [issue.value for issue in found.issues if issue.code == "chars.N011"] == ["11"]


def test_a_record_without_what_is_mandatory_is_rejected_with_each_reason():
    found = reading("missing")
    assert found.record is None
    assert {"dcndl.E001", "dcndl.E002", "dcndl.E003"} <= set(codes(found))


def test_two_nodes_with_one_subject_are_one_description_whatever_their_prefixes():
    found = reading("two_bib_resources")
    assert (found.record.title, found.record.volume, found.record.issued) == ("草枕", "下", "1950")
    assert found.issues == ()


def test_the_shape_of_2021_is_read():
    record = reading("old_shape").record
    assert record.contents == ("現代の顔 / 例太郎 / p3", "タウン / p5")
    assert record.identifiers[0] == Identifier(scheme="ISSN", value="04887484")
    assert record.creators == (Agent(name="例新聞社"),)
    assert record.issued == "1956-02-19"
    assert record.see_also == ("http://opac.example.jp/books/104-00",)


def test_the_shape_of_version_3_is_read():
    assert reading("v3_shape").record.host == Host(title="例学会誌", volume="12", number="3", pages="45-67")


@pytest.mark.parametrize(
    "element",
    [
        identifier("SetISBN", "978-4-10-101099-1"),
        identifier("setISBN", "978-4-10-101099-1"),
        "<dcndl:SetISBN>978-4-10-101099-1</dcndl:SetISBN>",
    ],
)
def test_a_set_isbn_is_read_in_three_spellings(element):
    record = read_dcndl(element).record
    assert record.identifiers == (Identifier(scheme="SetISBN", value="9784101010991"),)
    assert record.values("ISBN") == ()


def test_a_number_is_kept_as_printed_when_it_is_more_than_the_normal_form():
    record = read_dcndl(identifier("ISBN", "４-１０-１０１００１-３"), identifier("DOI", "10.11501/ABC")).record
    assert record.identifiers == (
        Identifier(scheme="ISBN", value="9784101010014", printed="４-１０-１０１００１-３"),
        Identifier(scheme="DOI", value="10.11501/abc", printed="10.11501/ABC"),
    )


def test_an_isbn_only_in_see_also_is_taken_over():
    found = read_dcndl('<rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/4101010013"/>')
    assert found.record.values("ISBN") == ("9784101010014",)
    assert codes(found) == ["dcndl.N012"]


def test_numbers_that_are_wrong_are_kept_apart_and_never_match():
    wrong = identifier("ISBN", "978-4-10-101001-9") + identifier("ISSN", "0488-7485") + identifier("JPNO", "12")
    found = read_dcndl(wrong)
    assert [each.scheme for each in found.record.invalid_identifiers] == ["ISBN", "ISSN", "JPNO"]
    assert found.record.identifiers == ()
    assert codes(found) == ["dcndl.E013", "dcndl.E016", "dcndl.E016"]


def test_one_number_in_two_forms_is_one_identifier():
    record = read_dcndl(identifier("ISBN", "4-10-101001-3"), identifier("ISBN", "9784101010014")).record
    assert record.values("ISBN") == ("9784101010014",)


def test_classes_are_read_from_their_uris():
    record = read_dcndl(
        '<dcterms:subject rdf:resource="http://id.ndl.go.jp/class/ndlc/KH334"/>',
        '<dcterms:subject rdf:resource="http://dewey.info/class/813.54/e22/"/>',
        '<dcterms:subject rdf:resource="http://dewey.info/class/[Fic]/"/>',
    ).record
    assert [(each.scheme, each.value) for each in record.subjects] == [
        ("NDLC", "KH334"),
        ("DDC", "813.54"),
        ("DDC", ""),
    ]


def test_a_keyword_may_be_a_literal():
    assert read_dcndl("<dcterms:subject>猫</dcterms:subject>").record.subjects == (Subject(value="猫"),)


def test_the_language_of_a_title_is_kept():
    title = '<dc:title xml:lang="en"><rdf:Description><rdf:value>Botchan</rdf:value></rdf:Description></dc:title>'
    assert read_dcndl(title=title).record.titles == (Title(value="Botchan", language="en"),)


def test_links_keep_their_kind():
    record = read_dcndl('<dcterms:isReplacedBy rdf:resource="https://opac.example.jp/bib/2"/>').record
    assert record.relations == (Relation(type="isReplacedBy", uri="https://opac.example.jp/bib/2"),)


def test_the_same_resource_elsewhere_is_a_relation_that_comes_back():
    record = read_dcndl(
        '<owl:sameAs rdf:resource="https://x.example.jp/1" xmlns:owl="http://www.w3.org/2002/07/owl#"/>'
    ).record
    assert record.relations == (Relation(type="relation", uri="https://x.example.jp/1", term="sameAs"),)
    for prefix in ("dcndl", "dcndl_simple"):
        assert b'owl:sameAs rdf:resource="https://x.example.jp/1"' in CROSSWALKS[prefix].write(record)
        assert read(CROSSWALKS[prefix].write(record), prefix).record.relations == record.relations


def test_what_is_said_of_a_part_is_kept():
    node = "<dcterms:title>草枕</dcterms:title><dcndl:description>付録</dcndl:description>"
    record = read_dcndl(
        f"<dcndl:partInformation><rdf:Description>{node}</rdf:Description></dcndl:partInformation>"
    ).record
    assert record.parts == (Title(value="草枕", kind="付録"),)
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record.parts == record.parts


def test_what_no_reader_takes_is_listed():
    root = parse(
        dcndl("<dcndl:recordStatus>新規</dcndl:recordStatus><dcterms:educationLevel>大学</dcterms:educationLevel>")
    )
    assert CROSSWALKS["dcndl"].unmapped(root) == [
        "dcndl:BibResource/dcndl:recordStatus",
        "dcndl:BibResource/dcterms:educationLevel",
    ]


def test_what_serials_theses_and_digitised_copies_have_is_kept():
    record = read_dcndl(
        "<dcndl:volumeRange>1号-20号</dcndl:volumeRange><dcndl:publicationStatus>刊行終了</dcndl:publicationStatus>"
        "<dcndl:publicationPeriodicity>年刊</dcndl:publicationPeriodicity>"
        "<dcterms:issued>1972</dcterms:issued><dcterms:issued>1994</dcterms:issued>"
        "<dcndl:digitizedPublisher>国立国会図書館</dcndl:digitizedPublisher>"
        "<dcterms:dateDigitized>2011-03-31</dcterms:dateDigitized>"
        "<dcndl:dissertationNumber>甲第1号</dcndl:dissertationNumber><dcndl:degreeName>博士（文学）</dcndl:degreeName>"
    ).record
    assert (record.volume_ranges, record.periodicities) == (("1号-20号",), ("年刊",))
    assert (record.issued, record.publication_statuses) == ("1972", ("刊行終了",))
    assert record.other_dates == (Date(type="dateDigitized", value="2011-03-31"), Date(type="issued", value="1994"))
    assert record.digitized_publishers == (Agent(name="国立国会図書館"),)
    assert (record.dissertation_numbers, record.degree_names) == (("甲第1号",), ("博士（文学）",))
