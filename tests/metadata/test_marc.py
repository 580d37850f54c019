"""MARC 21 as records: NDL's own, those of others, and readings in 880."""

from pathlib import Path

import pytest

from metadata.crosswalks import CROSSWALKS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Identifier, Relation, Title
from metadata.validation.catalogue import sentence
from metadata.xml import parse
from tests.metadata.data.marcxml.all_fields import RECORD
from tests.metadata.documents import codes

DATA = Path(__file__).parent / "data" / "marcxml"
TITLE = '<datafield tag="245"><subfield code="a">T</subfield></datafield>'


def field(tag: str, ind2: str = " ", **subfields: str) -> str:
    inner = "".join(f'<subfield code="{code.strip("_")}">{text}</subfield>' for code, text in subfields.items())
    return f'<datafield tag="{tag}" ind1=" " ind2="{ind2}">{inner}</datafield>'


def read_marc(*fields: str, title: str = TITLE, leader: str = "00000nam a2200000 a 4500"):
    document = f"<record><leader>{leader}</leader>{title}{''.join(fields)}</record>"
    return read(document.encode(), "marcxml")


def test_all_fields_of_a_japanmarc_record_are_read():
    reading = read((DATA / "all_fields.xml").read_bytes(), "marcxml")
    assert reading.record == RECORD
    assert codes(reading) == ["marcxml.E009"]


def test_a_record_without_namespace_is_read_too():
    assert read_marc().record.title == "T"


def test_the_original_script_is_the_title_where_245_is_romanised():
    title = field("245", _6="880-01", a="Voina i mir")
    original = field("880", _6="245-01/(N", a="Война и мир")
    record = read_marc(original, title=title).record
    assert record.title == "Война и мир"
    assert record.alternatives == (Title(value="Voina i mir"),)


def test_a_parallel_title_is_an_alternative():
    record = read_marc(title=field("245", a="研究報告 =", b="Annual review.")).record
    assert (record.title, record.alternatives) == (
        "研究報告",
        (Title(value="Annual review", kind="parallel"),),
    )


def test_added_entries_are_contributors_beside_a_main_entry():
    record = read_marc(field("100", a="Hirsjärvi, Sirkka."), field("700", a="Remes, Pirkko,", e="toim.")).record
    assert [each.name for each in record.creators] == ["Hirsjärvi, Sirkka"]
    assert [(each.name, each.role) for each in record.contributors] == [("Remes, Pirkko", "toim")]


def test_an_article_stands_in_its_journal():
    host = field("773", t="図書館雑誌", g="vol. 12, no. 3, p. 45-67", x="0488-7484")
    record = read_marc(host, leader="00000naa a2200000 a 4500").record
    assert (record.host.title, record.host.volume, record.host.number) == ("図書館雑誌", "12", "3")
    assert (record.host.pages, record.host.issn) == ("45-67", ("04887484",))
    assert record.material_types[0].uri.endswith("Article")


def test_a_date_in_008_helps_where_nothing_is_printed():
    fixed = '<controlfield tag="008">010921s2000    fi |||||r|||||000|||fin| </controlfield>'
    record = read_marc(fixed).record
    assert (record.issued, record.languages, record.publication_places) == ("2000", ("fin",), ("FI",))


def test_links_to_the_book_and_to_something_about_it_are_kept_apart():
    record = read_marc(
        field("856", "0", u="https://a.example/1"), field("856", "2", u="https://a.example/toc", _3="Contents")
    ).record
    assert record.see_also == ("https://a.example/1",)
    assert record.relations == (Relation(type="relation", uri="https://a.example/toc", label="Contents"),)


def test_a_record_without_title_is_rejected():
    assert read_marc(title="").record is None


def test_what_an_abbreviation_ends_with_stays():
    assert read_marc(field("250", a="17. uud. p.")).record.editions == ("17. uud. p.",)


def test_any_record_leaves_as_marc_with_its_main_fields():
    book = BibliographicRecord(
        titles=(Title(value="猫", transcription="ネコ"),),
        identifiers=(Identifier(scheme="ISBN", value="9784101010014"),),
        issued="1906",
    )
    again = read(CROSSWALKS["marcxml"].write(book), "marcxml").record
    assert (again.titles, again.values("ISBN"), again.issued) == (book.titles, ("9784101010014",), "1906")


@pytest.mark.parametrize(("tag", "name"), [("200", "UNIMARC"), ("251", "JAPAN/MARC(M)")])
def test_another_dialect_is_refused_by_its_name(tag, name):
    found = read_marc(title=field(tag, a="坊っちゃん"))
    assert found.record is None
    (issue,) = [each for each in found.issues if each.code == "marcxml.E004"]
    assert issue.value.startswith(name)
    assert name in sentence(issue, "ja")


@pytest.mark.parametrize("title", ["C++", "できるポケット+", ".hack//", "Who's who?"])
def test_marks_that_belong_to_a_title_stay(title):
    assert read_marc(field("490", a=title), title=field("245", a=title)).record.series[0].value == title


def test_a_reading_in_latin_letters_is_told_by_its_script_code():
    title = field("245", _6="880-01", a="OnDeck ブック")
    record = read_marc(field("880", _6="245-01/$1", a="OnDeck"), title=title).record
    assert record.titles == (Title(value="OnDeck ブック", transcription="OnDeck"),)


def test_places_of_one_publisher_are_kept_together():
    record = read_marc(field("264", "1", a="New York ;", a_="London :", b="Wiley,", c="1999.")).record
    assert record.publishers == (Agent(name="Wiley", location="New York ; London"),)


def test_parts_of_an_enhanced_note_have_their_responsibility():
    record = read_marc(field("505", "0", t="駅前の宿 /", r="出久根達郎.")).record
    assert record.parts == (Title(value="駅前の宿", responsibility="出久根達郎"),)
    assert record.contents == ("駅前の宿 / 出久根達郎",)


def test_what_is_not_used_is_listed_by_subfield():
    document = f"<record>{TITLE}{field('996', a='x')}{field('245', h='[text]')}</record>"
    assert CROSSWALKS["marcxml"].unmapped(parse(document.encode())) == ["996$a", "245$h"]
