"""Reading items of feeds: RSS 1.0, RSS 2.0, Atom, and the elements of their modules."""

import pytest

from metadata.issue import Reading
from metadata.reading import read
from metadata.record import Agent, Relation, Subject
from tests.metadata.data.rss.all_fields import RECORD
from tests.metadata.documents import codes
from tests.paths import ROOT

DATA = ROOT / "tests" / "metadata" / "data" / "rss"
_ITEM = """<item xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/"
  >{}</item>"""
LINK = "<link>https://opac.example.jp/1</link>"


def read_item(*parts: str, title: str = "<title>猫</title>", link: str = LINK) -> Reading:
    return read(_ITEM.format(title + link + "".join(parts)).encode(), "rss")


def test_all_fields_of_an_item_are_read():
    reading = read((DATA / "all_fields.xml").read_bytes(), "rss")
    assert reading.record == RECORD
    assert codes(reading) == ["rss.N012", "rss.E009", "rss.N010"]


def test_an_item_of_rss_1_is_read():
    item = """<item xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/" xmlns:dcterms="http://purl.org/dc/terms/"
      rdf:about="https://ci.nii.ac.jp/ncid/BB12345676"><title>本</title><link>https://ci.nii.ac.jp/ncid/BB12345676</link>
      <prism:publicationDate>2005</prism:publicationDate>
      <dcterms:hasPart rdf:resource="urn:isbn:4101010013"/></item>"""
    record = read(item.encode(), "rss").record
    assert (record.title, record.issued, record.values("ISBN")) == ("本", "2005", ("9784101010014",))
    assert record.values("NIIBibID") == ("BB12345676",)


def test_an_entry_of_atom_is_read():
    entry = """<entry xmlns="http://www.w3.org/2005/Atom"><title>猫</title><id>urn:isbn:4101010013</id>
      <link href="https://opac.example.jp/1"/><link rel="self" href="https://x.example.jp/"/>
      <author><name>夏目漱石</name></author><category term="小説"/><updated>2026-01-01T00:00:00Z</updated></entry>"""
    record = read(entry.encode(), "rss").record
    assert (record.uri, record.creators) == ("https://opac.example.jp/1", (Agent(name="夏目漱石"),))
    assert (record.values("ISBN"), record.subjects) == (("9784101010014",), (Subject(value="小説"),))


def test_several_isbns_of_parts_are_not_those_of_the_book():
    parts = "".join(f'<dcterms:hasPart rdf:resource="urn:isbn:{isbn}"/>' for isbn in ("4101010013", "410101003X"))
    record = read_item(parts).record
    assert record.values("ISBN") == ()
    assert [relation.type for relation in record.relations] == ["hasPart", "hasPart"]


@pytest.mark.parametrize(
    ("author", "creators", "responsibility"),
    [
        ("夏目漱石 著", ["夏目漱石"], ("夏目漱石 著",)),
        ("井山弘幸, 城戸淳 訳", ["井山弘幸", "城戸淳"], ("井山弘幸, 城戸淳 訳",)),
        ("夏目漱石著", ["夏目漱石"], ("夏目漱石著",)),
        ("夏目漱石,森鴎外", ["夏目漱石", "森鴎外"], ()),
        ("夏目, 漱石, 1867-1916", ["夏目, 漱石, 1867-1916"], ()),
        ("info@example.jp (夏目漱石)", ["夏目漱石"], ()),
        ("info@example.jp", [], ()),
    ],
)
def test_the_form_of_an_author_element_decides_its_meaning(author, creators, responsibility):
    record = read_item(f"<author>{author}</author>").record
    assert [creator.name for creator in record.creators] == creators
    assert record.responsibility == responsibility


def test_an_author_element_beside_creators_is_the_statement_of_responsibility():
    record = read_item("<dc:creator>夏目, 漱石</dc:creator><author>夏目漱石作、森鴎外解説</author>").record
    assert [creator.name for creator in record.creators] == ["夏目, 漱石"]
    assert record.responsibility == ("夏目漱石作、森鴎外解説",)


def test_an_author_element_that_repeats_the_creators_is_ignored():
    record = read_item("<dc:creator>夏目, 漱石</dc:creator><author>夏目, 漱石</author>").record
    assert record.responsibility == ()


def test_html_in_a_description_is_removed():
    record = read_item("<description>&lt;p&gt;古い &lt;b&gt;本&lt;/b&gt; &amp;amp; 話&lt;/p&gt;</description>").record
    assert record.notes == ("古い 本 & 話",)


def test_a_date_with_a_time_of_day_is_not_the_date_of_publication():
    reading = read_item("<dc:date>2005-11-17T20:16:23+09:00</dc:date>")
    assert (reading.record.issued, codes(reading)) == ("", ["rss.W005", "rss.W007"])


def test_a_category_is_a_known_type_or_else_keywords():
    record = read_item("<category>雑誌</category><category>デジタル</category><category>図書館,読書</category>").record
    assert [material_type.label for material_type in record.material_types] == ["雑誌", "デジタル"]
    assert [material_type.uri for material_type in record.material_types] == ["http://ndl.go.jp/ndltype/Journal", ""]
    assert [subject.value for subject in record.subjects] == ["図書館", "読書"]


def test_an_enclosure_is_a_has_format_relation():
    record = read_item('<enclosure url="https://opac.example.jp/1.pdf" type="application/pdf" length="1"/>').record
    assert record.relations == (Relation(type="hasFormat", uri="https://opac.example.jp/1.pdf"),)


def test_an_item_without_title_is_rejected():
    assert read_item(title="").record is None
    assert codes(read_item(title="<title> </title>"))[-2:] == ["rss.E003", "rss.W007"]


def test_the_registered_prefix_does_not_matter():
    assert "oai.W004" not in codes(read(_ITEM.format(f"<title>猫</title>{LINK}").encode(), "dcndl"))


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ("", "rss.W005"),
        ("<dc:description>小説</dc:description>", "rss.N005"),
        ("<description>&lt;p&gt;小説&lt;/p&gt;</description>", "rss.N012"),
        ('<dc:identifier xsi:type="dcndl:ABC">12345</dc:identifier>', "rss.W011"),
        ("<author>夏目漱石,森鴎外</author>", "rss.I013"),
        ("<dcterms:issued>2022.2</dcterms:issued>", "rss.N009"),
        ('<dcterms:issued xsi:type="dcterms:W3CDTF">不明</dcterms:issued>', "rss.E109"),
        ("<dc:language>xqz</dc:language>", "dcndl.W020"),
        ('<dc:subject xsi:type="dcndl:NDC9">９１３</dc:subject>', "dcndl.W023"),
    ],
)
def test_values_that_break_a_rule_are_reported(parts, code):
    assert code in codes(read_item(parts))


def test_an_item_with_a_description_and_a_year_has_no_issues():
    assert codes(read_item("<description>小説</description>", "<dcterms:issued>1950</dcterms:issued>")) == []


def test_a_guid_is_the_page_unless_it_is_no_permalink():
    reading = read_item("<guid>https://opac.example.jp/1</guid>", link="")
    assert reading.record.see_also == ("https://opac.example.jp/1",)
    assert "rss.N004" in codes(reading)
    opaque = read_item('<guid isPermaLink="false">https://opac.example.jp/1</guid>', link="")
    assert opaque.record is None
    assert "rss.E001" in codes(opaque)


def test_an_item_without_modules_is_reported_with_its_link():
    reading = read_item(title="")
    assert [issue.value for issue in reading.issues if issue.code == "rss.W014"] == ["https://opac.example.jp/1"]


def test_issues_show_the_normalised_value():
    reading = read_item("<dcterms:issued>2022.2</dcterms:issued>", "<dc:language>ja</dc:language>")
    results = {issue.code: (issue.value, issue.result) for issue in reading.issues}
    assert results["rss.N009"] == ("2022.2", "2022-02")
    assert results["rss.N010"] == ("ja", "jpn")
