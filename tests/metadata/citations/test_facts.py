"""The facts of a citation: kinds, names and their parts, dates, pages, cite keys."""

import pytest
from msgspec import structs

from metadata.citations.facts import bcp47, cite
from metadata.citations.keys import cite_key, romanise
from metadata.citations.kinds import kind_of
from metadata.citations.names import names
from metadata.record import Agent, BibliographicRecord, Date, Host, Identifier, MaterialType, Title
from tests.metadata.citations.examples import ARTICLE, BOTCHAN, CHAPTER, DATASET, JOURNAL, PAGE, THESIS, kind


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("夏目, 漱石, 1867-1916", ("夏目", "漱石", "")),
        ("夏目,漱石", ("夏目", "漱石", "")),
        ("Hus, Jan, ca 1371-1415", ("Hus", "Jan", "")),
        ("Opitz, Martin 1597-1639", ("Opitz", "Martin", "")),
        ("King, Martin Luther, Jr., 1929-1968", ("King", "Martin Luther", "Jr.")),
        ("Harman, D. K. (Donna K.)", ("Harman", "D. K.", "")),
        ("Argus, Arabella.", ("Argus", "Arabella", "")),
        ("林, 和弘, pub. 2016", ("林", "和弘", "")),
        ("展, 偉静(教育学専攻)", ("展", "偉静", "")),
    ],
)
def test_a_name_with_a_comma_is_split_and_dates_are_dropped(name, parts):
    [found] = names(BibliographicRecord(creators=(Agent(name=name),)))
    assert ((found.family, found.given, found.suffix), found.kind) == (parts, "person")


@pytest.mark.parametrize(
    ("name", "natural"),
    [
        ("夏目, 漱石", "夏目漱石"),
        ("McClellan, Edwin", "Edwin McClellan"),
        ("ドイル, アーサー・コナン", "ドイル, アーサー・コナン"),
        ("国土地理院", "国土地理院"),
    ],
)
def test_a_name_in_natural_order(name, natural):
    assert names(BibliographicRecord(creators=(Agent(name=name),)))[0].natural == natural


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        (Agent(name="国土地理院", transcription="コクド チリイン"), "body"),
        (Agent(name="乃南アサ", transcription="ノナミ, アサ, 1960-"), "person"),
        (Agent(name="McLoughlin Bros., inc"), "body"),
        (Agent(name="見本, 研究室", kind="Organizational"), "body"),
        (Agent(name="乃南アサ", transcription="ノナミ アサ", kind="Personal"), "person"),
        (Agent(name="Plato, 427?-347?"), "person"),
        (Agent(name="John Doe"), ""),
    ],
)
def test_a_name_that_the_record_does_not_divide_stays_whole(agent, kind):
    [found] = names(BibliographicRecord(creators=(agent,)))
    assert (found.family, found.literal, found.kind) == ("", agent.name.removesuffix(", 427?-347?"), kind)


def test_a_name_that_the_record_says_is_a_persons_is_divided():
    [found] = names(BibliographicRecord(creators=(Agent(name="夏目, 漱石, 1867-1916", kind="Personal"),)))
    assert (found.family, found.given, found.kind) == ("夏目", "漱石", "person")


def test_editors_and_translators_are_distinguished_from_authors():
    found = [(name.inverted, name.role) for name in names(BOTCHAN)]
    assert found == [("夏目, 漱石", "author"), ("見本, 花子", "editor"), ("McClellan, Edwin", "translator")]


def test_the_illustrator_of_a_picture_book_is_cited_as_author():
    [found] = names(BibliographicRecord(creators=(Agent(name="見本, 花子", role="絵"),)))
    assert found.role == "author"


def test_without_creators_the_statement_of_responsibility_is_used():
    record = BibliographicRecord(responsibility=("奥村晴彦 著 ; 見本花子訳",))
    assert [(name.literal, name.role) for name in names(record)] == [("奥村晴彦", "author"), ("見本花子", "translator")]


def test_without_creators_contributors_without_a_role_are_authors():
    record = BibliographicRecord(contributors=(Agent(name="Smidts, A."), Agent(name="田中, 指導", role="Supervisor")))
    assert [name.role for name in names(record)] == ["author", "contributor"]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (BOTCHAN, "book"),
        (ARTICLE, "article"),
        (CHAPTER, "chapter"),
        (THESIS, "doctoral thesis"),
        (JOURNAL, "journal"),
        (DATASET, "dataset"),
        (BibliographicRecord(material_types=(kind("Book", "master thesis"),)), "master's thesis"),
        (
            BibliographicRecord(degree_names=("修士（文学）",), material_types=(kind("Book", "図書"),)),
            "master's thesis",
        ),
        (BibliographicRecord(host=Host(title="見本"), material_types=(kind("ConferenceProceeding"),)), "paper"),
        (BibliographicRecord(material_types=(kind("ConferenceProceeding"),)), "proceedings"),
        (BibliographicRecord(material_types=(kind("GovernmentPublication"), kind("Map"))), "map"),
        (BibliographicRecord(material_types=(kind("Book"), kind("MusicScore"))), "score"),
        (BibliographicRecord(material_types=(kind("SoundDisc"),)), "sound"),
        (BibliographicRecord(material_types=(MaterialType(label="info:eu-repo/semantics/bookPart"),)), "chapter"),
        (BibliographicRecord(identifiers=(Identifier(scheme="ISBN", value="9784003101032"),)), "book"),
        (BibliographicRecord(host=Host(title="見本")), "article"),
        (BibliographicRecord(), "document"),
    ],
)
def test_the_kind_of_publication(record, expected):
    assert kind_of(record) == expected


def test_a_printed_month_is_used_and_the_timestamp_of_a_server_is_not():
    assert cite(BOTCHAN).date == "1950-01"
    assert cite(structs.replace(BOTCHAN, dates=("2021-11-08T15:39:42Z", "1950"))).date == "1950"
    assert cite(THESIS).date == "1908-10-05"
    assert cite(BibliographicRecord(other_dates=(Date(type="modified", value="2020"),))).date == ""


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("pp. 45-67", ("45", "67")),
        ("45–67p", ("45", "67")),
        ("p590~p593", ("590", "593")),
        ("e12", ("e12", "")),
        ("3-5, 9", ("3-5, 9", "")),
    ],
)
def test_pages_are_a_range_or_unchanged(pages, expected):
    found = cite(BibliographicRecord(host=Host(title="見本", pages=pages)))
    assert (found.first_page, found.last_page) == expected


def test_page_count_series_and_volume_of_a_book():
    found = cite(BOTCHAN)
    assert (found.page_count, found.series, found.series_number, found.volume) == ("198", "見本文庫", "12", "上")


@pytest.mark.parametrize(
    ("volume", "number"),
    [
        ("第3巻", "3"),
        ("3巻", "3"),
        ("vol. 12", "12"),
        ("第3巻 人間", "第3巻 人間"),
        ("1988年版", "1988年版"),
        ("上", "上"),
    ],
)
def test_a_numbered_volume_is_cited_by_its_number(volume, number):
    assert cite(BibliographicRecord(volumes=(Title(value=volume),))).volume == number


@pytest.mark.parametrize(("extent", "count"), [("viii, 303 p. ; 15 cm", "303"), ("1冊 ; 17×17cm", ""), ("404p", "404")])
def test_the_number_of_pages_is_read_from_the_extent(extent, count):
    assert cite(BibliographicRecord(extents=(extent,))).page_count == count


@pytest.mark.parametrize(("code", "tag"), [("jpn", "ja"), ("ger", "de"), ("frr", "frr"), ("und", ""), ("other", "")])
def test_languages_become_bcp_47_tags(code, tag):
    assert bcp47(code) == tag


@pytest.mark.parametrize(
    ("kana", "letters"),
    [
        ("ボッチャン", "botchan"),
        ("しゅっぱん", "shuppan"),
        ("ヴァイオリン", "vaiorin"),
        ("コーヒー", "kohi"),
        ("ｼﾞｭﾝｲﾁ", "junichi"),
        ("ファッション", "fasshon"),
        ("ッ", ""),
    ],
)
def test_kana_are_romanised_in_hepburn(kana, letters):
    assert romanise(kana) == letters


def test_a_cite_key_is_made_from_reading_year_and_url():
    assert cite_key(BOTCHAN, names(BOTCHAN), "1950").startswith("natsume1950-")
    other = structs.replace(BOTCHAN, uri=f"{PAGE}2")
    assert cite_key(other, names(other), "1950") != cite_key(BOTCHAN, names(BOTCHAN), "1950")


@pytest.mark.parametrize(
    ("record", "start"),
    [
        (BibliographicRecord(creators=(Agent(name="Třešňák, Vlastimil"),)), "tresnak-"),
        (
            BibliographicRecord(creators=(Agent(name="夏目漱石", other_names=(Title(value="Natsume, S."),)),)),
            "natsume-",
        ),
        (BibliographicRecord(titles=(Title(value="The Tale of Genji"),)), "tale-"),
        (BibliographicRecord(titles=(Title(value="日本の歴史"),)), "record-"),
    ],
)
def test_a_cite_key_is_always_ascii(record, start):
    assert cite_key(record, names(record), "").startswith(start)


def test_statements_in_isbd_punctuation_are_split():
    record = BibliographicRecord(
        host=Host(title="社会経済史学 = Socio-economic history / 社会経済史学会 編"),
        publishers=(Agent(name="東京 : 社会経済史学会 ; 1931-"),),
    )
    found = cite(record)
    assert (found.container, found.place, found.publisher) == ("社会経済史学", "東京", "社会経済史学会")
