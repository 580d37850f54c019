"""Reading DC-NDL(RDF) in all its shapes."""

import pytest

from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import Agent, Date, Host, Identifier, Relation, Subject, Title
from metadata.xml.parsing import parse
from tests.metadata.data.dcndl.all_fields import RECORD
from tests.metadata.documents import codes, dcndl, identifier, read_dcndl
from tests.paths import ROOT

DATA = ROOT / "tests" / "metadata" / "data" / "dcndl"


def read_file(name: str):
    return read((DATA / f"{name}.xml").read_bytes(), "dcndl")


def test_every_field_is_read_without_issues():
    assert read_file("all_fields").record == RECORD
    assert read_file("all_fields").issues == ()


def test_elements_without_value_are_skipped_and_counted():
    reading = read_file("blank")
    assert reading.record.title == "空の要素ばかりの本"
    assert reading.record.creators == reading.record.subjects == reading.record.identifiers == ()
    assert [issue.value for issue in reading.issues if issue.code == "chars.N011"] == ["11"]


def test_a_record_without_mandatory_elements_is_rejected_with_all_reasons():
    reading = read_file("missing")
    assert reading.record is None
    assert {"dcndl.E001", "dcndl.E002", "dcndl.E003"} <= set(codes(reading))


def test_two_nodes_with_the_same_subject_are_one_description():
    reading = read_file("two_bib_resources")
    assert (reading.record.title, reading.record.volume, reading.record.issued) == ("草枕", "下", "1950")
    assert reading.issues == ()


def test_the_shape_of_2021_is_read():
    record = read_file("old_shape").record
    assert record.contents == ("現代の顔 / 例太郎 / p3", "タウン / p5")
    assert record.identifiers[0] == Identifier(scheme="ISSN", value="04887484")
    assert record.creators == (Agent(name="例新聞社"),)
    assert record.issued == "1956-02-19"
    assert record.see_also == ("http://opac.example.jp/books/104-00",)


def test_the_shape_of_version_3_is_read():
    assert read_file("v3_shape").record.host == Host(title="例学会誌", volume="12", number="3", pages="45-67")


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


def test_an_identifier_keeps_its_printed_form_if_it_is_not_the_normal_form():
    record = read_dcndl(identifier("ISBN", "４-１０-１０１００１-３"), identifier("DOI", "10.11501/ABC")).record
    assert record.identifiers == (
        Identifier(scheme="ISBN", value="9784101010014", printed="４-１０-１０１００１-３"),
        Identifier(scheme="DOI", value="10.11501/abc", printed="10.11501/ABC"),
    )


def test_an_isbn_only_in_see_also_becomes_an_identifier():
    reading = read_dcndl('<rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/4101010013"/>')
    assert reading.record.values("ISBN") == ("9784101010014",)
    assert codes(reading) == ["dcndl.N012"]


def test_invalid_identifiers_are_stored_separately():
    wrong = identifier("ISBN", "978-4-10-101001-9") + identifier("ISSN", "0488-7485") + identifier("JPNO", "12")
    reading = read_dcndl(wrong)
    assert [identifier.scheme for identifier in reading.record.invalid_identifiers] == ["ISBN", "ISSN", "JPNO"]
    assert reading.record.identifiers == ()
    assert codes(reading) == ["dcndl.E013", "dcndl.E016", "dcndl.E016"]


def test_the_same_isbn_in_two_forms_is_one_identifier():
    record = read_dcndl(identifier("ISBN", "4-10-101001-3"), identifier("ISBN", "9784101010014")).record
    assert record.values("ISBN") == ("9784101010014",)


def test_classes_are_read_from_their_uris():
    record = read_dcndl(
        '<dcterms:subject rdf:resource="http://id.ndl.go.jp/class/ndlc/KH334"/>',
        '<dcterms:subject rdf:resource="http://dewey.info/class/813.54/e22/"/>',
        '<dcterms:subject rdf:resource="http://dewey.info/class/[Fic]/"/>',
    ).record
    assert [(subject.scheme, subject.value) for subject in record.subjects] == [
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


def test_same_as_is_a_relation_that_survives_a_round_trip():
    record = read_dcndl(
        '<owl:sameAs rdf:resource="https://x.example.jp/1" xmlns:owl="http://www.w3.org/2002/07/owl#"/>'
    ).record
    assert record.relations == (Relation(type="relation", uri="https://x.example.jp/1", term="sameAs"),)
    for prefix in ("dcndl", "dcndl_simple"):
        assert b'owl:sameAs rdf:resource="https://x.example.jp/1"' in CROSSWALKS[prefix].write(record)
        assert read(CROSSWALKS[prefix].write(record), prefix).record.relations == record.relations


def test_the_description_of_a_part_is_read():
    node = "<dcterms:title>草枕</dcterms:title><dcndl:description>付録</dcndl:description>"
    record = read_dcndl(
        f"<dcndl:partInformation><rdf:Description>{node}</rdf:Description></dcndl:partInformation>"
    ).record
    assert record.parts == (Title(value="草枕", kind="付録"),)
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record.parts == record.parts


def test_unread_elements_are_listed_as_unmapped():
    root = parse(
        dcndl("<dcndl:recordStatus>新規</dcndl:recordStatus><dcterms:educationLevel>大学</dcterms:educationLevel>")
    )
    assert CROSSWALKS["dcndl"].unmapped(root) == [
        "dcndl:BibResource/dcndl:recordStatus",
        "dcndl:BibResource/dcterms:educationLevel",
    ]


def test_fields_of_serials_theses_and_digitised_copies_are_read():
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
