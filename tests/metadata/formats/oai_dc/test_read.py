"""Reading oai_dc: only the form of a value shows what it means."""

import pytest

from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import Agent, Host, Identifier, MaterialType, Relation, Title
from metadata.xml.parsing import parse
from tests.metadata.data.oai_dc.all_fields import RECORD
from tests.metadata.documents import codes, read_oai_dc
from tests.metadata.formats.normal_numbers import with_normal_numbers
from tests.paths import ROOT

DATA = ROOT / "tests" / "metadata" / "data" / "oai_dc"


def test_every_element_is_read():
    reading = read((DATA / "all_fields.xml").read_bytes(), "oai_dc")
    assert reading.record == RECORD
    assert codes(reading) == ["oai_dc.N010", "oai_dc.I007"]


def test_a_correct_record_has_no_issues():
    assert codes(read_oai_dc()) == []


@pytest.mark.parametrize("title", ["", "<dc:title/>", "<dc:title> \n </dc:title>"])
def test_a_record_without_title_is_rejected(title):
    reading = read_oai_dc(title=title)
    assert reading.record is None
    assert "oai_dc.E003" in codes(reading)


@pytest.mark.parametrize(
    ("extra", "replaced", "code"),
    [
        ("<dc:creator>b</dc:creator>何か", {}, "oai_dc.W005"),
        ('<x:extent xmlns:x="http://purl.org/dc/terms/">3 p.</x:extent>', {}, "oai_dc.W002"),
        ("", {"page": ""}, "oai_dc.W004"),
        ("", {"date": ""}, "oai_dc.W007"),
        ("", {"date": "<dc:date>2019-05-02T03:04:05Z</dc:date>"}, "oai_dc.W007"),
        ("<dc:identifier>ISBN 978-4-10-101001-0</dc:identifier>", {}, "oai_dc.E009"),
        ("<dc:identifier>https://doi.org/abc</dc:identifier>", {}, "oai_dc.E009"),
        ("<dc:source>ISSN 1234-5678</dc:source>", {}, "oai_dc.E009"),
        ("<dc:relation>doi:10.1/x</dc:relation>", {}, "oai_dc.E009"),
        ("<dc:identifier>submit</dc:identifier>", {}, "oai_dc.E011"),
        ("<dc:language>English</dc:language>", {}, "oai_dc.N010"),
        ("<dc:identifier>/bib/1</dc:identifier>", {}, "oai_dc.E011"),
    ],
)
def test_minor_issues_are_reported_and_the_record_is_registered(extra, replaced, code):
    reading = read_oai_dc(extra, **replaced)
    assert reading.record is not None
    assert codes(reading) == [code]


@pytest.mark.parametrize(
    "start",
    [
        "<dc>",
        '<dc xmlns="http://purl.org/dc/elements/1.1/">',
        '<dc xmlns="http://www.openarchives.org/OAI/2.0/oai_dc"><title xmlns="http://purl.org/dc/elements/1.1/">猫</title>',
    ],
)
def test_a_root_without_its_namespace_is_read(start):
    inner = "<title>猫</title><date>1950</date><identifier>http://x.jp/1</identifier>"
    reading = read(f"{start}{inner}</dc>".encode(), "oai_dc")
    assert reading.record.title == "猫"
    assert codes(reading)[0] == "oai_dc.N001"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("urn:isbn:9784101010014", Identifier(scheme="ISBN", value="9784101010014")),
        ("ISBN 4-10-101001-3", Identifier(scheme="ISBN", value="9784101010014", printed="4-10-101001-3")),
        ("9784101010014", Identifier(scheme="ISBN", value="9784101010014")),
        ("doi:10.1234/5", Identifier(scheme="DOI", value="10.1234/5")),
        ("https://ci.nii.ac.jp/ncid/BB06916424", Identifier(scheme="NIIBibID", value="BB06916424")),
        ("1234567890123", Identifier(value="1234567890123")),
        ("ISBN 978-4-10-101001-4 (set)", Identifier(scheme="SetISBN", value="9784101010014")),
        ("OCLC: ocm12345678", Identifier(scheme="OCLCNO", value="12345678")),
        ("TRCMARCNO:12345678", Identifier(scheme="TRCMARCNO", value="12345678")),
        ("JP20412345", Identifier(scheme="JPNO", value="20412345", printed="JP20412345")),
        ("submission-7", Identifier(value="submission-7")),
    ],
)
def test_identifiers_are_recognised_by_their_form_and_written_in_it(text, expected):
    record = read_oai_dc(f"<dc:identifier>{text}</dc:identifier>").record
    assert record.identifiers == (expected,)
    assert read(CROSSWALKS["oai_dc"].write(record), "oai_dc").record == with_normal_numbers(record)


def test_a_wrong_isbn_is_not_written():
    record = read_oai_dc("<dc:identifier>ISBN 978-4-10-101001-0</dc:identifier>").record
    assert b"101001-0" not in CROSSWALKS["oai_dc"].write(record)


def test_the_date_of_publication_is_written_before_printed_dates():
    record = read_oai_dc(date="<dc:date>昭62.10</dc:date>").record
    written = CROSSWALKS["oai_dc"].write(record)
    assert [date.text for date in parse(written).iter("{*}date")] == ["1987-10", "昭62.10"]
    assert read(written, "oai_dc").record == record


def test_an_isbn_among_the_relations_belongs_to_the_host():
    record = read_oai_dc("<dc:relation>isbn:9784101010014</dc:relation>").record
    assert (record.host.identifiers, record.relations) == ((Identifier(scheme="ISBN", value="9784101010014"),), ())
    assert read(CROSSWALKS["oai_dc"].write(record), "oai_dc").record == record


@pytest.mark.parametrize(
    "text",
    [
        "図書館雑誌, 109(3), 12-23, 2015",
        "図書館雑誌 109巻3号 12-23頁",
        "図書館雑誌. 109(3), p.12-23",
        "図書館雑誌, vol. 109, no. 3, pp. 12-23",
    ],
)
def test_a_citation_in_dc_source_is_the_host(text):
    host = read_oai_dc(f"<dc:source>{text}</dc:source>").record.host
    assert host == Host(title="図書館雑誌", volume="109", number="3", pages="12-23")


def test_an_invalid_isbn_is_stored_separately():
    record = read_oai_dc("<dc:identifier>ISBN 978-4-10-101001-0</dc:identifier>").record
    assert record.identifiers == ()
    assert record.invalid_identifiers == (Identifier(scheme="ISBN", value="ISBN 978-4-10-101001-0"),)


def test_the_japanese_title_comes_first():
    titles = '<dc:title xml:lang="en">Cats</dc:title><dc:title xml:lang="ja">猫</dc:title>'
    record = read_oai_dc(title=titles).record
    assert (record.title, record.alternatives) == ("猫", (Title(value="Cats", language="en"),))


def test_a_kana_title_alone_is_the_title():
    record = read_oai_dc(title='<dc:title xml:lang="ja-Kana">ネコ</dc:title>').record
    assert record.titles == (Title(value="ネコ", language="ja-Kana"),)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["2019-05-02T03:04:05Z", "2018-09-12", "2018-09"], "2018-09"),
        (["2003-05-06T00:00:00Z"], "2003-05-06"),
        (["c2001"], "2001"),
        (["昭和62年"], "1987"),
    ],
)
def test_the_date_of_publication_is_the_earliest_and_coarsest(dates, expected):
    written = "".join(f"<dc:date>{date}</dc:date>" for date in dates)
    assert read_oai_dc(date=written).record.issued == expected


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("Article", "http://ndl.go.jp/ndltype/Article"),
        ("http://purl.org/dc/dcmitype/Sound", "http://purl.org/dc/dcmitype/Sound"),
        ("doctoral thesis", "http://ndl.go.jp/ndltype/DoctoralDissertation"),
        ("図書", "http://ndl.go.jp/ndltype/Book"),
        ("Text", ""),
    ],
)
def test_types_are_mapped_to_the_list_of_ndl(text, uri):
    assert read_oai_dc(f"<dc:type>{text}</dc:type>").record.material_types == (MaterialType(uri=uri, label=text),)


def test_a_source_that_is_no_citation_stays_a_relation():
    record = read_oai_dc("<dc:source>arXiv</dc:source>").record
    assert record.relations == (Relation(type="source", label="arXiv"),)


def test_statements_of_responsibility_are_recognised():
    record = read_oai_dc("<dc:creator>夏目漱石著</dc:creator>").record
    assert (record.creators, record.responsibility) == ((Agent(name="夏目漱石著"),), ("夏目漱石著",))


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ("<dc:type>Inaugural address</dc:type>", "oai_dc.I008"),
        ("<dc:language>other</dc:language>", "oai_dc.W010"),
        ("<dc:date>2019-06-25</dc:date>", "oai_dc.I007"),
        ('<dc:identifier scheme="ISBN">978-4-10-101001-4</dc:identifier>', "oai_dc.W102"),
    ],
)
def test_values_that_break_a_rule_are_reported(parts, code):
    assert codes(read_oai_dc(parts)) == [code]


@pytest.mark.parametrize(
    "parts",
    [
        "<dc:type>text</dc:type><dc:type>Book</dc:type>",
        "<dc:language>yue</dc:language>",
        "<dc:date>1950-10</dc:date>",
        '<dc:subject xml:lang="ja">猫</dc:subject>',
    ],
)
def test_correct_values_are_not_reported(parts):
    assert codes(read_oai_dc(parts)) == []


def test_the_issue_of_a_language_shows_its_code():
    assert [(issue.value, issue.result) for issue in read_oai_dc("<dc:language>ja</dc:language>").issues] == [
        ("ja", "jpn")
    ]


def test_the_issue_of_several_dates_shows_the_chosen_one():
    assert read_oai_dc("<dc:date>2019-06-25</dc:date>").issues[0].result == "1950"
