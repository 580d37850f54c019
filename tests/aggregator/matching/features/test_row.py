"""Feature rows and blocking keys: what different spellings of one book have in common."""

import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import (
    KEYS_AT_MOST,
    Features,
    decode_features,
    encode_features,
    extract_features,
    match_keys,
    recall_features,
)
from aggregator.matching.features import carriers, row, titles
from aggregator.matching.features.names import person_form, person_forms, publisher_form
from metadata.record import Agent, BibliographicRecord, Host, Identifier, MaterialType, Title
from tests.aggregator.matching.books import book


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("夏目, 漱石, 1867-1916", "夏目漱石"),
        ("夏目 漱石著", "夏目漱石"),
        ("高橋/しん", "高橋しん"),
        ("齋藤茂吉／編", "斎藤茂吉"),
        ("Lynch, Thomas J.", "Thomas Lynch"),
        ("SANDERSON, BRANDON", "Brandon Sanderson"),
        ("Zug, Mark, author.", "Mark Zug"),
        ("[著]石森章太郎", "石森章太郎"),
    ],
)
def test_names_of_one_person_have_one_form(one: str, other: str) -> None:
    assert person_form(one) == person_form(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("株式会社岩波書店", "岩波書店"),
        ("㈱筑摩書房", "筑摩書房"),
        ("Academic Press, Inc.", "Academic"),
        ("講談社 (発売)", "講談社"),
    ],
)
def test_publishers_lose_their_legal_form(one: str, other: str) -> None:
    assert publisher_form(one) == publisher_form(other) != ""


def test_a_bar_separates_family_and_given_name_but_also_a_role() -> None:
    assert person_forms(("宮尾‖しげを",)) == person_forms(("宮尾しげを",))
    assert person_forms(("清閑寺健∥著",)) == ("清閑寺健",)


def test_other_persons_who_are_only_counted_are_no_name() -> None:
    assert person_forms(("泉谷周三郎", "ほか7名")) == ("泉谷周三郎",)


def test_a_publisher_name_without_any_other_word_is_kept() -> None:
    assert publisher_form("The Press") == "thepress"


def test_a_volume_field_takes_precedence_over_the_title() -> None:
    assert extract_features(book("罪と罰 1", volume="上")).volume == "上"


def test_a_volume_in_the_title_gives_the_same_row_as_a_volume_field() -> None:
    assert extract_features(book("罪と罰 第1巻", year="1990-05")) == extract_features(
        book("罪と罰", volume="1", year="1990-05")
    )


def test_an_extent_of_several_volumes_marks_a_set_unless_a_volume_is_stated() -> None:
    assert extract_features(book("こころ", extent="2冊")).is_set
    assert not extract_features(book("こころ", volume="1", extent="2冊")).is_set


@pytest.mark.parametrize(
    ("name", "kind", "carrier"),
    [
        ("Book", "book", "paper"),
        ("Journal", "serial", ""),
        ("Article", "article", ""),
        ("ElectronicResource", "", "digital"),
        ("DVD", "", "video"),
        ("GovernmentPublication", "", ""),
    ],
)
def test_types_give_kind_and_carrier(name: str, kind: str, carrier: str) -> None:
    row = extract_features(book("a", type_=name))
    assert (row.kind, row.carrier or row.likely) == (kind, carrier)


@pytest.mark.parametrize(
    ("extent", "type_", "carrier", "likely"),
    [
        ("203p", "Book", "", "paper"),
        ("203p ; 19cm", "Book", "paper", ""),
        ("203p ; 19cm + CD-ROM 1枚", "Book", "paper", ""),
        ("322p, CD 1枚", "Book", "", "paper"),
        ("4巻", "Book", "braille", ""),
        ("3巻 (250p)", "Book", "", "paper"),
        ("4巻", "JapaneseClassicalBook", "", ""),
        ("1巻 (9時間56分)", "Book", "media", ""),
        ("CD 1枚", "", "sound", ""),
        ("DVD 1枚 (120分)", "Book", "video", ""),
        ("1 online resource (300 pages)", "Book", "digital", ""),
        ("録音ディスク 1枚 ; 12cm", "", "sound", ""),
        ("32p ; 31cm", "Braille", "braille", ""),
        ("300p ; 19cm", "ElectronicResource", "", "digital"),
        ("300p", "ElectronicResource", "digital", ""),
        ("", "DoctoralDissertation", "", "paper"),
    ],
)
def test_the_carrier_is_sure_where_several_signs_agree(extent: str, type_: str, carrier: str, likely: str) -> None:
    row = extract_features(book("a", type_=type_, extent=extent))
    assert (row.carrier, row.likely) == (carrier, likely)


def test_notes_urls_and_qualifiers_of_isbns_are_signs_of_the_carrier() -> None:
    def carrier(**fields: Any) -> str:
        return extract_features(BibliographicRecord(titles=(Title(value="a"),), **fields)).carrier

    qualified = Identifier(scheme="ISBN", value="9784003101018", printed="4003101014 (ebook)")
    assert carrier(identifiers=(qualified,)) == "digital"
    assert carrier(notes=("点字資料",)) == "braille"
    assert carrier(notes=("電子書籍版もあり、点字版は別に刊行されている。",)) == ""
    assert carrier(see_also=("https://example.org/files/a.pdf",)) == "digital"


def test_a_designation_before_the_title_is_no_part_of_it() -> None:
    row = extract_features(book("［シネマ・デイジー］劇場版", type_=""))
    assert (row.title, row.carrier) == ("劇場版", "sound")


def test_a_statement_of_responsibility_separates_persons_by_commas() -> None:
    def persons(text: str) -> tuple[str, ...]:
        return extract_features(BibliographicRecord(responsibility=(text,))).persons

    assert persons("川畑貴裕,稲生俊雄") == ("川畑貴裕", "稲生俊雄")
    assert persons("Ernst Cassirer, Yoshitaka Yamamoto") == ("cassirer e", "yamamoto y")
    assert persons("リディア・ケイン, ネイト・ピーダーセン 著 福井久美子 訳")[-1] == "福井久美子"
    assert persons("夏目, 漱石") == ("夏目漱石",)


def test_an_edition_may_begin_a_title() -> None:
    assert extract_features(book("新版・小熊秀雄全集")).edition == "n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("恋愛小説集 : 他九篇", "恋愛小説集 : 他9篇"),
        ("平凡（上）", "平凡・上"),
        ("時代 ―小説―", "時代 －小説－"),
        ("海野十三全集　第11巻　四次元漂流", "海野十三全集・第11巻・四次元漂流"),
        ("叢書「青踏」の女たち　第10巻　水野仙子集", "叢書『青踏』の女たち　第10巻『水野仙子集』"),
        ("明治文學全集82　明治女流文學集（二）", "明治文學全集　82　明治女流文學集（二）"),
        ("○", "○"),
    ],
)
def test_titles_with_other_punctuation_have_the_same_row_and_keys(one: str, other: str) -> None:
    rows = extract_features(book(one)), extract_features(book(other))
    assert rows[0] == rows[1]
    assert match_keys(rows[0]) == match_keys(rows[1]) != ()


def test_isbn_and_set_isbn_are_kept_apart() -> None:
    row = extract_features(book("a", isbn="4003101014", set_isbn="9784000000000"))
    assert (row.isbns, row.set_isbns) == (("9784003101018",), ("9784000000000",))
    keys = match_keys(row)
    assert not set(keys) & set(match_keys(extract_features(book("b", set_isbn="4003101014"))))


def test_two_books_of_one_series_share_no_key() -> None:
    one, other = (
        BibliographicRecord(titles=(Title(value=title),), series=(Title(value="岩波文庫"),), issued="1990")
        for title in ("こころ", "破戒")
    )
    assert not set(match_keys(extract_features(one))) & set(match_keys(extract_features(other)))


def test_a_book_entered_under_its_series_shares_a_key_with_its_own_title() -> None:
    under_series = BibliographicRecord(
        titles=(Title(value="日本文学全集"),), volume_titles=(Title(value="こころ"),), issued="1990"
    )
    assert set(match_keys(extract_features(under_series))) & set(
        match_keys(extract_features(book("こころ", year="1990")))
    )


def test_an_article_is_not_identified_by_the_issn_of_its_journal() -> None:
    numbers = (Identifier(scheme="ISSN", value="00280836"),)
    article = (MaterialType(uri="http://ndl.go.jp/ndltype/Article"),)
    assert extract_features(BibliographicRecord(identifiers=numbers)).issns == ("00280836",)
    assert extract_features(BibliographicRecord(identifiers=numbers, material_types=article)).issns == ()


def test_an_empty_record_has_a_row_and_no_keys() -> None:
    assert match_keys(extract_features(BibliographicRecord())) == ()


@pytest.mark.parametrize(("issued", "month"), [("1990-05-03", 5), ("1990-05", 5), ("1990", 0), ("1990-00", 0)])
def test_the_month_is_known_where_it_is_stated(issued: str, month: int) -> None:
    assert extract_features(book("a", year=issued)).month == month


@pytest.mark.parametrize(
    ("extent", "pages"),
    [
        ("297p ; 19cm", 297),
        ("297頁", 297),
        ("xii, 467 pages : ill. ; 24 cm", 467),
        ("106 leaves ; 28 cm", 106),
        ("1 v., 7 leaves of plates", 0),
        ("35丁", 35),
        ("5 p. L., 3-376, [1] p", 376),
        ("viii, [9]-504 p. 12 col. maps", 504),
        ("pp. 24", 24),
        ("2 v. (xv, 874 p.)", 874),
        ("16p 21cm", 16),
        ("216p ; 18×12cm", 216),
        ("１７０ｐ ; １９ｃｍ", 170),
        ("xv, 1,040 p", 1040),
        ("7,203p", 203),
        ("1冊 (ページ付なし)", 0),
        ("1冊 ; 19cm", 0),
        ("3 v. ; 22 cm", 0),
        ("DVD 1枚 (120分)", 0),
    ],
)
def test_the_number_of_pages_is_the_last_page_stated(extent: str, pages: int) -> None:
    assert extract_features(book("a", extent=extent)).pages == pages


def test_an_unreadable_year_is_unknown() -> None:
    assert extract_features(BibliographicRecord(issued="19??")).year == 0


def test_keys_are_the_same_in_every_process() -> None:
    assert match_keys(Features(title="ココロ")) == (5285921557237028938,)


def test_keys_are_few_and_fit_into_a_database_column() -> None:
    numbers = tuple(Identifier(scheme="ISBN", value=f"{n:013}") for n in range(50))
    record = BibliographicRecord(
        titles=(Title(value="Some long title of a book", transcription="x"),),
        issued="1990",
        identifiers=numbers,
        host=Host(),
    )
    keys = match_keys(extract_features(record))
    assert 0 < len(keys) <= KEYS_AT_MOST
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_rows_are_stored_and_read_again() -> None:
    row = extract_features(book("罪と罰 上", isbn="4003101014", author="ドストエフスキー", year="1999"))
    assert decode_features(encode_features(row)) == row
    with pytest.raises(msgspec.DecodeError):
        decode_features(b"")


_STATEMENTS = st.text() | st.text(alphabet="0123456789一二十百上下巻第全冊版vVIX.()- ") | st.just("9" * 5000)


@given(_STATEMENTS, _STATEMENTS, st.text(), _STATEMENTS)
def test_any_text_gives_a_row(title: str, volume: str, author: str, extent: str) -> None:
    record = book(title, volume=volume, author=author, extent=extent, edition=volume, publisher=author, yomi=title)
    assert len(match_keys(extract_features(record))) <= KEYS_AT_MOST


LONG = [sign * 20_000 for sign in ("-", "(", " ", "= ", "1 ")]
# A pattern that can divide these in several ways must not try all of them: each pair doubles their number.
DIVISIBLE = [beginning * count + end for count in (22, 20_000) for beginning, end in (("編著", "x画"), ("[著]", "x著"))]


@pytest.mark.parametrize("text", [*LONG, *DIVISIBLE], ids=lambda text: repr(text[:2]) + str(len(text)))
def test_a_long_text_takes_little_time_in_any_field(text: str) -> None:
    title, book_title = Title(value=text, transcription=text), Title(value="本")
    agent = Agent(name=text)
    for record in (
        BibliographicRecord(titles=(title,)),
        BibliographicRecord(titles=(book_title,), creators=(agent,) * 100),
        BibliographicRecord(titles=(book_title,), responsibility=(text,)),
        BibliographicRecord(titles=(book_title,), publishers=(agent,)),
        BibliographicRecord(titles=(book_title,), series=(title,)),
        BibliographicRecord(titles=(book_title,), alternatives=(title,)),
        book("本", volume=text, edition=text, extent=text),
    ):
        begun = time.process_time()
        extract_features(record)
        assert time.process_time() - begun < 1  # more than five where time grows with the square of the length


def test_types_without_a_uri_are_unknown() -> None:
    assert extract_features(BibliographicRecord(material_types=(MaterialType(label="図書"),))).kind == ""


def test_identifiers_are_compared_within_their_kind_each_once() -> None:
    """An ISSN, its linking ISSN and the number of a national library are no ISBNs, and none of them is another's."""
    stated = {
        "ISBN": ("9784003101032", "9784003101018", "9784003101018"),
        "SetISBN": ("9784003101025",),
        "ISSN": ("0028-0836",),
        "ISSNL": ("0028-0844",),
        "JPNO": ("20123456",),
        "NCID": ("BN01234567",),
    }
    identifiers = tuple(Identifier(value=value, scheme=scheme) for scheme, values in stated.items() for value in values)
    row = extract_features(msgspec.structs.replace(book("こころ"), identifiers=identifiers))
    assert (row.isbns, row.set_isbns) == (("9784003101018", "9784003101032"), ("9784003101025",))
    assert row.issns == ("0028-0836", "0028-0844")
    assert row.ids == ("JPNO:20123456", "NCID:BN01234567")


def test_a_further_title_is_neither_empty_nor_the_main_one() -> None:
    alternatives = (Title(value="心"), Title(value="　"), Title(value="こころ"))
    assert extract_features(msgspec.structs.replace(book("こころ"), alternatives=alternatives)).entries == ("心",)


@pytest.mark.parametrize(("entered", "read"), [("Blessing Way, The", "The Blessing Way"), ("Gun, A", "A Gun")])
def test_an_article_at_the_end_belongs_to_the_beginning(entered: str, read: str) -> None:
    assert extract_features(book(entered)).title == extract_features(book(read)).title != ""


def test_a_copy_of_a_description_has_the_remembered_features() -> None:
    record = book("夜の図書館", author="図書, 太郎", extent="207p ; 19cm")
    first = recall_features(msgspec.structs.replace(record, uri="http://one.example/1"))
    again = recall_features(
        msgspec.structs.replace(record, uri="http://two.example/2", see_also=("http://two.example",))
    )
    assert again is first
    assert first == extract_features(record)
    on_line = msgspec.structs.replace(record, see_also=("http://two.example/2.pdf",))
    assert recall_features(on_line) == extract_features(on_line) != first


# Properties of a record, and the fields that they are made of.
DERIVED = {"title": "titles", "volume": "volumes", "edition": "editions", "year": "issued"}


def test_a_description_has_all_fields_that_features_are_made_of() -> None:
    sources = [Path(module.__file__ or "").read_text(encoding="utf-8") for module in (carriers, row, titles)]
    named = {DERIVED.get(name, name) for source in sources for name in re.findall(r"\brecord\.([a-z_]+)", source)}
    assert named & set(BibliographicRecord.__struct_fields__) == {*row.FIELDS, "see_also", "files"}


def test_a_very_long_description_is_not_remembered() -> None:
    """Thousands of them would fill the memory."""
    record = BibliographicRecord(titles=(Title(value="長い書名" * 2000),))
    assert recall_features(record) == extract_features(record)
    assert max(map(len, row._RECENT), default=0) <= row._LONGEST_REMEMBERED
