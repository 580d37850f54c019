"""Reading junii2 through JPCOAR, in its own namespace and the old ones."""

import msgspec
import pytest

from metadata.formats import CROSSWALKS
from metadata.issue import Reading
from metadata.reading import read
from metadata.record import Identifier, Subject
from metadata.vocabularies.namespaces import JUNII2
from tests.metadata.documents import codes

CORRECT = {
    "title": "<title>尺八の音響学</title>",
    "kind": "<NIItype>Journal Article</NIItype>",
    "uri": "<URI>https://hdl.handle.net/2115/1</URI>",
    "issued": "<dateofissued>2017-03</dateofissued>",
}
ETD = (
    "<fullTextURL>https://repo.example.jp/a.pdf</fullTextURL><textversion>ETD</textversion>"
    "<grantid>12601甲第5384号</grantid><dateofgranted>2017-03-25</dateofgranted><degreename>博士（理学）</degreename>"
    "<grantor>東京大学</grantor>"
)
CREATOR = "<creator>寺田, 寅彦</creator>"
THESIS = "<NIItype>Thesis or Dissertation</NIItype>"


def read_junii2(*parts: str, root: str = "junii2", namespace: str = JUNII2, **replaced: str) -> Reading:
    inside = "".join((CORRECT | replaced).values()) + "".join(parts)
    return read(f'<{root} xmlns="{namespace}">{inside}</{root}>'.encode(), "junii2")


def test_a_correct_record_has_no_issues():
    assert codes(read_junii2(title=CORRECT["title"] + CREATOR)) == []


@pytest.mark.parametrize(("root", "namespace"), [("meta", "http://ju.nii.ac.jp/junii2"), ("junii2", "")])
def test_old_forms_are_read_and_reported(root, namespace):
    reading = read_junii2(root=root, namespace=namespace)
    assert reading.record.title == "尺八の音響学"
    assert codes(reading) == ["junii2.N001"]


@pytest.mark.parametrize(
    ("replaced", "code"),
    [
        ({"title": ""}, "junii2.E003"),
        ({"kind": ""}, "junii2.E004"),
        ({"kind": "<NIItype>Bulletin</NIItype>"}, "junii2.E004"),
        ({"kind": THESIS}, "jpcoar.E008"),
        ({"uri": ""}, "junii2.E005"),
        ({"uri": "<URI>/2115/1</URI>"}, "junii2.E105"),
        ({"kind": CORRECT["kind"] + ETD}, "junii2.E019"),
        ({"kind": THESIS + ETD.replace("12601", "")}, "junii2.E020"),
        ({"kind": THESIS + ETD.replace("-25", "")}, "junii2.E120"),
    ],
)
def test_missing_mandatory_elements_reject_the_record(replaced, code):
    reading = read_junii2(**replaced)
    assert reading.record is None
    assert code in codes(reading)


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ("<titel>a</titel>", "junii2.W002"),
        ("<creator>寺田, 寅彦</creator>", "junii2.W102"),
        ("<title>b</title>", "junii2.W003"),
        ("<creator>寺田寅彦</creator>", "junii2.W006"),
        ("<creator>寺田, 寅彦</creator><creator>テラダ, トラヒコ</creator>", "junii2.N006"),
        ("<NIIsubject>尺八学</NIIsubject>", "junii2.E007"),
        ("<NDC>文学</NDC>", "junii2.E008"),
        ("<NDLC>A 1</NDLC>", "junii2.W008"),
        ("<format>PDF</format>", "junii2.W009"),
        ("<doi>10.12345/a</doi>", "junii2.N010"),
        ("<pmid>12345</pmid>", "junii2.N010"),
        ("<doi>a/b</doi>", "junii2.W010"),
        ("<isbn>978-4-10-101001-5</isbn>", "junii2.E011"),
        ("<isbn>なし</isbn>", "junii2.W011"),
        ("<volume>1巻2号</volume>", "junii2.W013"),
        ("<NIIspatial>見本町</NIIspatial>", "junii2.W016"),
        ("<source>尺八研究会</source>", "junii2.I025"),
        ("<textversion>author</textversion>", "jpcoar.W020"),
        ('<creator id="https://orcid.org/0000-0002-1825-0098">寺田, 寅彦</creator>', "jpcoar.W022"),
        ('<selfDOI ra="JaLC">info:doi/10.15017/1</selfDOI>', "doi.E006"),
        ("<textversion>final</textversion>", "junii2.E017"),
        ("<selfDOI>info:doi/10.15017/1</selfDOI>", "doi.E001"),
        ("<grantid>甲1</grantid>", "junii2.W020"),
        ("<grantor>東京大学</grantor>", "junii2.W021"),
        ("<volume>1</volume><volume>2</volume>", "junii2.E022"),
        ("<fullTextURL>a.pdf</fullTextURL>", "junii2.E023"),
        ("<issn>1234-5678</issn>", "jpcoar.E034"),
        ("<language>ja</language>", "jpcoar.N018"),
    ],
)
def test_minor_issues_are_reported_and_the_record_is_registered(extra, code):
    reading = read_junii2(extra)
    assert reading.record is not None
    assert code in codes(reading)


def test_a_missing_date_of_issue_is_reported():
    assert codes(read_junii2(issued="")) == ["junii2.I014"]


def test_an_electronic_thesis_is_a_doctoral_thesis():
    record = read_junii2(title=CORRECT["title"] + CREATOR, kind=THESIS + ETD).record
    assert record.material_types[0].label == "doctoral thesis"
    assert record.dissertation_numbers == ("甲第5384号",)
    (grantor,) = record.degree_grantors
    assert (grantor.name, grantor.identifiers) == ("東京大学", (Identifier(scheme="kakenhi", value="12601"),))
    assert record.see_also == ("https://hdl.handle.net/2115/1", "https://repo.example.jp/a.pdf")
    assert read(CROSSWALKS["junii2"].write(record), "junii2").record == record


def test_an_isbn_belongs_to_a_book_but_not_to_a_paper():
    isbn = "<isbn>978-4-10-101001-4</isbn>"
    assert read_junii2(isbn, kind="<NIItype>Book</NIItype>").record.values("ISBN") == ("9784101010014",)
    record = read_junii2(isbn).record
    assert record.values("ISBN") == ()
    assert record.relations[0].number == "978-4-10-101001-4"


def test_a_wrong_isbn_of_a_book_is_stored_separately():
    record = read_junii2("<isbn>978-4-10-101001-5</isbn>", kind="<NIItype>Book</NIItype>").record
    assert record.invalid_identifiers == (Identifier(scheme="ISBN", value="978-4-10-101001-5"),)
    assert (record.relations, record.values("ISBN")) == ((), ())
    assert read(CROSSWALKS["junii2"].write(record), "junii2").record == record


def test_a_creator_in_katakana_is_the_reading_of_the_creator_before():
    record = read_junii2("<creator>寺田, 寅彦</creator><creator>テラダ, トラヒコ</creator>").record
    assert [(creator.name, creator.transcription) for creator in record.creators] == [
        ("寺田, 寅彦", "テラダ, トラヒコ")
    ]


def test_a_class_number_has_its_edition():
    assert read_junii2('<NDC version="9">768.15</NDC>').record.subjects == (Subject(value="768.15", scheme="NDC9"),)


def test_issues_show_the_new_value():
    changes = {
        issue.code: (issue.value, issue.result)
        for issue in read_junii2(
            "<NIIsubject>尺八学</NIIsubject><doi>10.12345/a</doi><textversion>final</textversion>"
        ).issues
    }
    assert changes["junii2.E007"] == ("尺八学", "subject")
    assert changes["junii2.N010"] == ("10.12345/a", "info:doi/10.12345/a")
    assert changes["junii2.E017"] == ("final", "none")


def test_values_outside_the_vocabularies_are_replaced():
    record = read_junii2(
        "<NIIsubject>尺八学</NIIsubject><NIIsubject>文学</NIIsubject><textversion>final</textversion>"
    ).record
    assert [(subject.value, subject.scheme) for subject in record.subjects] == [("尺八学", ""), ("文学", "NIIsubject")]
    assert record.version_type == "NA"


def test_rules_for_dois_name_the_elements_of_junii2():
    found = read_junii2('<selfDOI ra="JaLC">info:doi/10.15017/1</selfDOI>').issues
    assert {issue.code: issue.field for issue in found if issue.code.startswith("doi.E")} == {
        "doi.E005": "fullTextURL",
        "doi.E006": "volume",
    }


def test_issues_caused_by_the_conversion_are_not_reported():
    sent = '<issn>0387-5911</issn><pmid>info:pmid/1</pmid><NDC version="9">768.15</NDC><rights>CC BY</rights>'
    assert [code for code in codes(read_junii2(sent)) if code.startswith("jpcoar.")] == []


def test_printed_dates_are_written_as_w3cdtf():
    record = msgspec.structs.replace(read_junii2(issued="").record, issued="1987", dates=("昭62.10", "秋"))
    written = CROSSWALKS["junii2"].write(record)
    assert b"<date>1987-10</date>" in written
    assert codes(read(written, "junii2")) == []


def test_class_numbers_are_written_without_a_language():
    subjects = (Subject(value="768.15", scheme="NDC9", language="ja"), Subject(value="尺八", language="ja"))
    written = CROSSWALKS["junii2"].write(msgspec.structs.replace(read_junii2().record, subjects=subjects)).decode()
    assert '<NDC version="9">768.15</NDC>' in written
    assert '<subject lang="ja">尺八</subject>' in written


@pytest.mark.parametrize(
    ("extra", "kind", "code"),
    [
        ("<NCID>XX1</NCID>", "", "jpcoar.E034"),
        ('<selfDOI ra="Foo">info:doi/10.15017/1</selfDOI>', "", "doi.E001"),
        ("<volume>第5巻</volume>", "", "jpcoar.N035"),
        ("", THESIS + ETD.replace("2017-03-25", "2015年"), "junii2.E120"),
    ],
)
def test_an_error_is_reported_only_once(extra, kind, code):
    reading = read_junii2(extra, **({"title": CORRECT["title"] + CREATOR, "kind": kind} if kind else {}))
    assert [other for other in codes(reading) if other not in {"junii2.W102", "jpcoar.I139"}] == [code]


def test_a_doi_of_an_unknown_agency_is_not_a_registration():
    record = read_junii2('<selfDOI ra="Foo">info:doi/10.15017/1</selfDOI>').record
    assert (record.values("DOI"), record.registrations) == (("10.15017/1",), ())
