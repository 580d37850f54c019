"""Reading MARC 21: records of NDL, records of other libraries, and readings in 880."""

import pytest

from metadata.catalogue import sentence
from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Relation, Title
from metadata.xml.parsing import parse
from tests.metadata.data.marcxml.all_fields import RECORD
from tests.metadata.documents import codes
from tests.paths import ROOT

DATA = ROOT / "tests" / "metadata" / "data" / "marcxml"
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
    assert [creator.name for creator in record.creators] == ["Hirsjärvi, Sirkka"]
    assert [(contributor.name, contributor.role) for contributor in record.contributors] == [("Remes, Pirkko", "toim")]


def test_the_journal_of_an_article_is_its_host():
    host = field("773", t="図書館雑誌", g="vol. 12, no. 3, p. 45-67", x="0488-7484")
    record = read_marc(host, leader="00000naa a2200000 a 4500").record
    assert (record.host.title, record.host.volume, record.host.number) == ("図書館雑誌", "12", "3")
    assert (record.host.pages, record.host.issn) == ("45-67", ("04887484",))
    assert record.material_types[0].uri.endswith("Article")


def test_field_008_is_used_where_nothing_is_printed():
    fixed = '<controlfield tag="008">010921s2000    fi |||||r|||||000|||fin| </controlfield>'
    record = read_marc(fixed).record
    assert (record.issued, record.languages, record.publication_places) == ("2000", ("fin",), ("FI",))


def test_links_to_the_book_and_links_about_it_are_distinguished():
    record = read_marc(
        field("856", "0", u="https://a.example/1"), field("856", "2", u="https://a.example/toc", _3="Contents")
    ).record
    assert record.see_also == ("https://a.example/1",)
    assert record.relations == (Relation(type="relation", uri="https://a.example/toc", label="Contents"),)


def test_a_record_without_title_is_rejected():
    assert read_marc(title="").record is None


def test_the_full_stop_of_an_abbreviation_stays():
    assert read_marc(field("250", a="17. uud. p.")).record.editions == ("17. uud. p.",)


def test_a_record_keeps_its_main_fields_in_marc():
    book = BibliographicRecord(
        titles=(Title(value="猫", transcription="ネコ"),),
        identifiers=(Identifier(scheme="ISBN", value="9784101010014"),),
        issued="1906",
    )
    again = read(CROSSWALKS["marcxml"].write(book), "marcxml").record
    assert (again.titles, again.values("ISBN"), again.issued) == (book.titles, ("9784101010014",), "1906")


@pytest.mark.parametrize(("tag", "name"), [("200", "UNIMARC"), ("251", "JAPAN/MARC(M)")])
def test_another_dialect_is_rejected_with_its_name(tag, name):
    reading = read_marc(title=field(tag, a="坊っちゃん"))
    assert reading.record is None
    (issue,) = [issue for issue in reading.issues if issue.code == "marcxml.E004"]
    assert issue.value.startswith(name)
    assert name in sentence(issue, "ja")


@pytest.mark.parametrize("title", ["C++", "できるポケット+", ".hack//", "Who's who?"])
def test_punctuation_that_belongs_to_a_title_stays(title):
    assert read_marc(field("490", a=title), title=field("245", a=title)).record.series[0].value == title


def test_a_reading_in_latin_letters_is_recognised_by_its_script_code():
    title = field("245", _6="880-01", a="OnDeck ブック")
    record = read_marc(field("880", _6="245-01/$1", a="OnDeck"), title=title).record
    assert record.titles == (Title(value="OnDeck ブック", transcription="OnDeck"),)


def test_several_places_of_one_publisher_are_joined():
    record = read_marc(field("264", "1", a="New York ;", a_="London :", b="Wiley,", c="1999.")).record
    assert record.publishers == (Agent(name="Wiley", location="New York ; London"),)


def test_parts_of_an_enhanced_contents_note_have_their_responsibility():
    record = read_marc(field("505", "0", t="駅前の宿 /", r="出久根達郎.")).record
    assert record.parts == (Title(value="駅前の宿", responsibility="出久根達郎"),)
    assert record.contents == ("駅前の宿 / 出久根達郎",)


def test_unread_subfields_are_listed_as_unmapped():
    document = f"<record>{TITLE}{field('996', a='x')}{field('245', h='[text]')}</record>"
    assert CROSSWALKS["marcxml"].unmapped(parse(document.encode())) == ["996$a", "245$h"]


def test_brackets_that_span_several_subfields_are_removed():
    (publisher,) = read_marc(field("260", a="[New York :", b="Knopf],")).record.publishers
    assert (publisher.location, publisher.name) == ("New York", "Knopf")


def test_brackets_around_a_whole_text_stay():
    (publisher,) = read_marc(field("260", a="[S.l.] :", b="[s.n.],")).record.publishers
    assert (publisher.location, publisher.name) == ("[S.l.]", "[s.n.]")


@pytest.mark.parametrize("marked", ["&lt;&lt;Le&gt;&gt; chat", "\x98Le\x9c chat"])
def test_marks_of_non_sorting_parts_are_removed(marked):
    assert read_marc(title=field("245", a=marked)).record.title == "Le chat"


def test_the_source_of_a_doi_overrides_the_indicator():
    sent = field("024", a="10.1234/abc", _2="doi").replace('ind1=" "', 'ind1="2"')
    assert read_marc(sent).record.identifiers == (Identifier(scheme="DOI", value="10.1234/abc"),)


@pytest.mark.parametrize(("script", "text"), [("$1", "村上, 春樹,"), ("(N", "Мураками, Харуки,")])
def test_a_name_in_its_original_script_keeps_link_role_and_latin_form(script, text):
    link = "http://id.loc.gov/authorities/names/n1"
    latin = field("100", _6="880-01", a="Murakami, Haruki,", d="1949-", e="author.", _0=link)
    record = read_marc(latin, field("880", _6=f"100-01/{script}", a=text, d="1949-")).record
    (creator,) = record.creators
    assert (creator.name, creator.uri, creator.role) == (f"{text} 1949-", link, "author")
    assert creator.other_names == (Title(value="Murakami, Haruki, 1949-"),)
    assert read(CROSSWALKS["marcxml"].write(record), "marcxml").record.creators == (creator,)


def test_a_japanese_name_has_its_reading_and_its_latin_form():
    names = (
        field("700", _6="880-01", a="夏目, 漱石"),
        field("880", _6="700-01/$1", a="ナツメ, ソウセキ"),
        field("880", _6="700-01/(B", a="Natsume, Soseki"),
    )
    record = read_marc(*names).record
    latin = Title(value="Natsume, Soseki", language="ja-Latn")
    assert record.creators == (Agent(name="夏目, 漱石", transcription="ナツメ, ソウセキ", other_names=(latin,)),)
    assert read(CROSSWALKS["marcxml"].write(record), "marcxml").record.creators == record.creators


def test_the_issn_of_a_series_becomes_a_relation():
    record = read_marc(field("490", a="見本叢書,", x="0385-4000 ;", v="7")).record
    assert [title.value for title in record.series] == ["見本叢書 ; 7"]
    assert record.relations == (Relation(type="isPartOf", label="見本叢書", scheme="ISSN", number="0385-4000"),)
    assert read(CROSSWALKS["marcxml"].write(record), "marcxml").record == record


@pytest.mark.parametrize(
    ("known", "number", "agency"),
    [
        ({"source_identifiers": (Identifier(value="b1"),)}, "b1", ""),
        (
            {"identifiers": (Identifier(scheme="JPNO", value="1"), Identifier(scheme="NDLBibID", value="000002"))},
            "000002",
            "JTNDL",
        ),
        ({"uri": "https://opac.example.jp/bib/1"}, "https://opac.example.jp/bib/1", ""),
    ],
)
def test_a_record_is_written_with_its_control_number(known, number, agency):
    record = BibliographicRecord(titles=(Title(value="T"),), **known)
    written = CROSSWALKS["marcxml"].write(record)
    control = {child.get("tag"): child.text for child in parse(written) if child.tag.endswith("controlfield")}
    assert (control["001"], control.get("003", "")) == (number, agency)
    again = read(written, "marcxml")
    assert "marcxml.W102" not in codes(again)
    assert again.record.uri == record.uri
    assert read(CROSSWALKS["marcxml"].write(again.record), "marcxml").record == again.record


def written_fields(**values) -> list[tuple[str, list[tuple[str, str]]]]:
    record = BibliographicRecord(titles=(Title(value="T"),), **values)
    root = parse(CROSSWALKS["marcxml"].write(record))
    return [(element.get("tag"), [(sub.get("code"), sub.text) for sub in element]) for element in root]


def fixed(**values) -> str:
    root = parse(CROSSWALKS["marcxml"].write(BibliographicRecord(titles=(Title(value="T"),), **values)))
    return next(element.text for element in root if element.get("tag") == "008")


def test_a_record_that_is_given_on_has_our_number_and_domain():
    given = {
        "control_number": Identifier(scheme="books.example.jp", value="R100000001-Ix"),
        "repository_number": "R100000001",
        "source_identifiers": (Identifier(value="b1"),),
        "identifiers": (Identifier(scheme="NDLBibID", value="000002"),),
    }
    root = parse(CROSSWALKS["marcxml"].write(BibliographicRecord(titles=(Title(value="T"),), **given)))
    control = [(element.get("tag"), element.text) for element in root if element.tag.endswith("controlfield")]
    assert control[:2] == [("001", "R100000001-Ix"), ("003", "books.example.jp")]
    numbers = [subfields for tag, subfields in written_fields(**given) if tag == "035"]
    assert numbers == [[("a", "(JTNDL)000002")], [("a", "(R100000001)b1")]]


@pytest.mark.parametrize(
    ("subfields", "leader"),
    [
        ({"a": "ICML", "n": "2nd", "d": "1998", "c": "Tokyo"}, "00000nam a2200000uc 4500"),
        ({"a": "ICML", "n": "(2nd :", "d": "1998 :", "c": "Tokyo)"}, "00000nam a2200000 a 4500"),
    ],
)
def test_a_conference_keeps_its_subfields(subfields, leader):
    record = read_marc(field("711", **subfields, j="host"), leader=leader).record
    (meeting,) = record.creators
    assert (meeting.name, meeting.role, meeting.is_body) == ("ICML (2nd : 1998 : Tokyo)", "host", True)
    assert ("711", [("a", "ICML"), ("n", "2nd"), ("d", "1998"), ("c", "Tokyo"), ("j", "host")]) in written_fields(
        creators=record.creators
    )
    again = read(CROSSWALKS["marcxml"].write(record), "marcxml").record
    assert again.creators == record.creators


def test_each_of_several_publishers_keeps_its_place():
    publishers = (Agent(name="甲社", location="東京"), Agent(name="乙社", location="大阪"))
    expected = [("a", "東京"), ("b", "甲社"), ("a", "大阪"), ("b", "乙社")]
    assert ("264", expected) in written_fields(publishers=publishers)


JOURNAL, NEWSPAPER, BOOK = (
    MaterialType(uri=f"http://ndl.go.jp/ndltype/{name}", label=label)
    for name, label in (("Journal", "雑誌"), ("Newspaper", "新聞"), ("Book", "図書"))
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {"material_types": (BOOK,), "issued": "2005-03", "publication_places": ("JP",), "languages": ("jpn",)},
            "||||||e200503  ja |||||||||||||| ||jpn d",
        ),
        (
            {"material_types": (JOURNAL,), "issued": "1990", "periodicities": ("月刊",)},
            "||||||u1990uuuuxx m| |||||||||   ||und d",
        ),
        ({"material_types": (NEWSPAPER,)}, "||||||nuuuuuuuuxx || n||||||||   ||und d"),
        (
            {"material_types": (BOOK,), "degree_names": ("博士(工学)",), "audiences": ("児童",)},
            "||||||nuuuuuuuuxx ||||j|m   |||| ||und d",
        ),
        ({"material_types": (BOOK,), "formats": ("large print",)}, "||||||nuuuuuuuuxx |||||d|||||||| ||und d"),
        (
            {"material_types": (BOOK,), "creators": (Agent(name="ICML", kind="Meeting"),)},
            "||||||nuuuuuuuuxx |||||||||||1|| ||und d",
        ),
    ],
)
def test_field_008_says_what_the_record_says(values, expected):
    assert fixed(**values) == expected
    assert len(expected) == 40


def test_a_newspaper_is_one_after_a_round_trip():
    record = read(
        CROSSWALKS["marcxml"].write(BibliographicRecord(titles=(Title(value="T"),), material_types=(NEWSPAPER,))),
        "marcxml",
    ).record
    assert record.material_types == (NEWSPAPER,)
