"""Which values of a field count as the same, and which of them a merged record keeps."""

import pytest

from aggregator.merge import merge, statements, unanimous
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    File,
    Funding,
    Host,
    Identifier,
    MaterialType,
    Subject,
    Title,
)

LONG = "図書館の歴史を古代から現代まで述べる本"  # 19 characters: one fewer than a part of a text must have


def titled(title: str = "本", **fields: object) -> BibliographicRecord:
    return BibliographicRecord(titles=(Title(value=title),), **fields)


def merged(field: str, *values: object, **fields: object) -> object:
    """The value of a field in the record that is merged from records with these values."""
    return getattr(merge([titled(**{field: value}, **fields) for value in values]), field)


def agree(field: str, *values: object) -> bool:
    """Whether these values of a field count as the same statement."""
    records = [titled(**{field: value}) for value in values]
    return len(statements(merge(records), records)[field]) == 1


def by(name: str, **values: object) -> tuple[Agent, ...]:
    return (Agent(name=name, **values),)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("206p",), ("iv, 206頁 ; 挿図 ; 19cm",), True),
        (("206p",), ("206ページ",), True),
        (("206p",), ("206 PAGES",), True),
        (("12p, 206p",), ("206p",), True),  # the last number is that of the text
        (("206p",), ("206 plates",), False),  # not pages
        (("206p",), ("207p",), False),
        (("２０６p",), ("206p",), True),
        (("2冊",), ("2 冊",), True),
        (("206p", "付図1枚"), ("206p",), True),
    ],
)
def test_extents_agree_in_the_number_of_pages(one: tuple[str, ...], other: tuple[str, ...], same: bool) -> None:
    assert agree("extents", one, other) is same


def test_statements_of_edition_agree_however_they_are_worded() -> None:
    assert agree("editions", ("第2版",), ("2版",))
    assert agree("editions", ("復刻本",), ("復刻本 ",))
    assert not agree("editions", ("第2版",), ("第3版",))
    assert merged("editions", ("第2版",), ("第3版",), ("2版",)) == ("2版",)


def test_volumes_agree_in_their_numbers() -> None:
    assert agree("volumes", (Title(value="第2巻"),), (Title(value="2"),))
    assert not agree("volumes", (Title(value="第2巻"),), (Title(value="3"),))


def test_lists_of_prices_agree_as_wholes() -> None:
    assert agree("prices", ("100円", "（税別）"), ("１００円", "(税別)"))
    assert not agree("prices", ("100円",), ("100円", "税別"))


def test_a_text_of_marks_only_is_compared_as_it_is() -> None:
    assert not agree("formats", ("―",), ("…",))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Subject(value="図書館"), Subject(value="圖書館", scheme="NDLSH"), True),
        (Subject(uri="http://x.example/1"), Subject(uri="http://x.example/1", scheme="NDLSH"), True),
        (Subject(uri="http://x.example/1"), Subject(uri="http://x.example/2"), False),
    ],
)
def test_subjects_agree_in_their_heading_or_else_in_their_address(one: Subject, other: Subject, same: bool) -> None:
    assert agree("subjects", (one,), (other,)) is same


def test_the_same_heading_of_two_lists_is_kept_twice() -> None:
    both = (Subject(value="図書館", scheme="NDLSH"), Subject(value="図書館", scheme="BSH"))
    assert set(merged("subjects", both[:1], both[1:])) == set(both)


def test_identifiers_agree_in_scheme_and_value() -> None:
    isbn, other = Identifier(scheme="ISBN", value="9784003310236"), Identifier(scheme="SetISBN", value="9784003310236")
    assert set(merged("identifiers", (isbn,), (other,))) == {isbn, other}
    printed = Identifier(scheme="ISBN", value="9784003310236", printed="ISBN4003310233")
    assert merged("identifiers", (isbn,), (printed,)) == (printed,)  # the fuller form


def test_types_agree_in_their_address_or_else_in_their_label() -> None:
    book = MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書")
    assert agree("material_types", (book,), (MaterialType(uri=book.uri),))
    assert agree("material_types", (MaterialType(label="BOOK"),), (MaterialType(label="book"),))
    assert not agree("material_types", (book,), (MaterialType(label="図書"),))


def test_conferences_agree_in_their_first_name_and_their_date() -> None:
    names = (Title(value="例会議"),)
    started = Conference(names=names, start="2016")
    assert agree("conferences", (started,), (Conference(names=names, start="2016", country="JPN"),))
    assert agree("conferences", (started,), (Conference(names=names, date=Title(value="2016")),))
    assert not agree("conferences", (started,), (Conference(names=names, start="2017"),))
    assert agree("conferences", (started,), (Conference(names=(*names, Title(value="Example")), start="2016"),))
    assert not agree("conferences", (Conference(start="2016"),), (Conference(start="2017"),))  # without names


def test_files_agree_in_their_address_and_awards_in_their_number() -> None:
    assert not agree("files", (File(type="a"),), (File(type="b"),))
    awards = [(Funding(funder=Agent(name=""), award=Identifier(value=value)),) for value in ("JP1", "ｊｐ1")]
    assert agree("fundings", *awards)
    names = tuple(Funding(funder=Agent(name=name)) for name in ("甲", "乙"))
    assert len(merged("fundings", names[:1], names[1:])) == 2


def test_hosts_agree_in_their_title_and_the_fullest_is_taken() -> None:
    brief, full = Host(title="圖書"), Host(title="図書", volume="1", pages="1-3")
    assert agree("host", brief, full)
    assert merged("host", brief, full) == full


def test_a_title_is_compared_without_what_only_some_providers_give() -> None:
    forms = ("上海 : 旅の記録", "上海", "上海 (岩波文庫)", "上海 第2版")
    records = [titled(form, notes=(form,)) for form in forms]
    assert len(statements(merge(records), records)["titles"]) == 1


def test_a_very_long_title_is_compared_by_its_beginning() -> None:
    long = "あ漢" * 250
    for other, same in ((f"{long}続き", True), (f"{long[:-1]}字続き", False)):
        records = [titled(long), titled(other)]
        assert (len(statements(merge(records), records)["titles"]) == 1) is same


# Persons and bodies


@pytest.mark.parametrize(
    ("printed", "latin", "same"),
    [
        (by("村上春樹", transcription="ムラカミ, ハルキ"), by("Haruki Murakami"), True),
        (by("村上春樹", transcription="ムラカミ, ハルキ"), by("Murakami, H."), True),
        (by("村上春樹", transcription="ムラカミ, ハルキ"), by("Murakami, Ryu"), False),
        (by("大野晋", transcription="オオノ, ススム"), by("Ono, Susumu"), True),  # long vowels
        (by("大野晋", transcription="オオノ, ススム"), by("Ohno, Susumu"), True),
        (by("佐藤優", transcription="サトウ, マサル"), by("SATOU, MASARU"), True),
        (by("van Rossum, Guido"), by("Guido van Rossum"), True),
        (by("Rowling, J.K., author"), by("J.K. Rowling"), True),
        (by("Rowling, J.K."), by("Tolkien, J.R.R."), False),
        (by("夢野", transcription="ユメノ"), by("Yumeno"), True),
        (by("夢野", transcription="ユメノ"), by("Plato"), False),
        (by("キーン, ドナルド"), by("Keene, Donald"), False),  # nothing says that they are the same
    ],
)
def test_a_name_in_latin_letters_is_that_of_the_person_who_is_written_so(
    printed: tuple[Agent, ...], latin: tuple[Agent, ...], same: bool
) -> None:
    assert agree("creators", printed, latin) is same


def test_the_name_of_a_person_is_the_form_that_a_catalogue_prints() -> None:
    names = {
        "福沢, 諭吉": ("福沢諭吉著", "福沢, 諭吉"),
        "福沢, 諭吉, 1835-1901": ("福沢諭吉著", "福沢, 諭吉, 1835-1901"),
        "Kirk, Bill": ("KIRK, BILL", "Kirk, Bill"),
        "Kirk, William Henry": ("Kirk, William Henry, author", "Kirk, William Henry"),
    }
    for best, forms in names.items():
        for first, second in (forms, forms[::-1]):  # the fuller record comes first
            [person] = merge([titled(creators=by(first), languages=("jpn",)), titled(creators=by(second))]).creators
            assert person.name == best


def test_a_publisher_is_named_without_its_legal_form() -> None:
    for first, second in (("株式会社岩波書店", "岩波書店"), ("岩波書店", "株式会社岩波書店")):
        [publisher] = merge(
            [titled(publishers=by(first), languages=("jpn",)), titled(publishers=by(second))]
        ).publishers
        assert publisher.name == "岩波書店"


def test_what_any_description_states_of_a_person_is_kept() -> None:
    one = by("例, 太郎", other_names=(Title(value="太郎"),), uri="http://x.example/1", kind="person")
    two = by("例太郎", other_names=(Title(value="Taro"),), uri="http://x.example/2", location="東京", role="著")
    [person] = merged("creators", one, two)
    assert (person.name, person.kind, person.location, person.role) == ("例, 太郎", "person", "東京", "著")
    assert person.uri == "http://x.example/1"
    assert [name.value for name in person.other_names] == ["太郎", "Taro"]


def test_a_printed_name_comes_before_its_form_in_latin_letters_which_becomes_another_name() -> None:
    printed, latin = by("村上春樹", transcription="ムラカミ, ハルキ"), by("Murakami, Haruki")
    for order in ((printed, latin), (latin, printed)):
        [person] = merged("creators", *order)
        assert (person.name, person.other_names) == ("村上春樹", (Title(value="Murakami, Haruki"),))
    [alone] = merged("creators", by("Murakami, Haruki"), by("MURAKAMI, HARUKI"))
    assert (alone.name, alone.other_names) == ("Murakami, Haruki", ())


# Lists of texts


def test_of_equal_texts_one_is_kept_and_the_longest_of_long_ones() -> None:
    assert merged("audiences", ("一般", "児童"), ("児童", "学生")) == ("一般", "児童", "学生")
    assert merged("notes", ("初版",), ("初 版",)) == ("初 版",)


def test_a_text_is_part_of_another_only_if_that_can_be_no_chance() -> None:
    assert merged("abstracts", (LONG,), (f"{LONG}である",)) == (LONG, f"{LONG}である")
    assert merged("abstracts", (f"{LONG}だ",), (f"{LONG}だった",)) == (f"{LONG}だった",)


def test_an_undetermined_language_is_kept_only_where_no_record_says_more() -> None:
    assert set(merged("languages", ("und",), ("jpn", "und"), ("eng",))) == {"jpn", "eng"}
    assert merged("languages", ("und",), ("und", "und")) == ("und",)


def test_each_number_of_a_series_is_kept_once() -> None:
    one, two = Title(value="岩波文庫 ; 青102-1"), Title(value="岩波文庫 ; 青 102-1", transcription="イワナミ ブンコ")
    other = Title(value="岩波文庫 ; 青102-2")
    assert set(merged("series", (one,), (two,), (other,))) == {two, other}


def test_codes_in_one_text_keep_their_order() -> None:
    assert merged("sub_category", "A C", "B A") == "A C B"


# What depends on two fields


def test_the_printed_date_of_another_year_is_not_that_of_the_date_of_issue() -> None:
    records = [
        titled(issued="1991", notes=("a", "b"), languages=("jpn",)),
        titled(issued="1991-10", languages=("jpn",)),
        titled(issued="1992", dates=("1992.1",)),
    ]
    assert merge(records).dates == ()
    agreeing = titled(issued="1991", dates=("c1991",))
    assert merge([*records, agreeing]).dates == ("c1991",)
    exact = titled(issued="1991-10", dates=("1991.10",))
    assert merge([*records, agreeing, exact]).dates == ("1991.10",)


def test_the_title_for_display_belongs_to_the_main_title() -> None:
    records = [
        titled("山", languages=("jpn",)),
        titled("山", display_title="山. 上"),
        titled("川", display_title="川!"),
    ]
    assert merge(records).display_title == "山. 上"


def test_names_of_the_volume_the_series_and_the_reading_are_no_other_titles() -> None:
    best = titled(
        "図書館学",
        volume_titles=(Title(value="分類法", transcription="ブンルイホウ"),),
        series=(Title(value="図書館叢書 ; 3"),),
        parts=(Title(value="目録法"),),
        languages=("jpn",),
    )
    others = [
        titled(title) for title in ("分類法", "ブンルイホウ", "図書館叢書", "目録法", "図書館学 : 概論", "司書入門")
    ]
    assert merge([best, best, *others]).alternatives == (Title(value="司書入門"),)


def test_a_further_title_is_named_once() -> None:
    others = [titled(title, notes=(title,)) for title in ("ワンピース", "ワンピース : 漫画")]
    records = [titled("ONE PIECE", languages=("jpn",), prices=(price,)) for price in "123"]
    assert [title.value for title in merge([*records, *others]).alternatives] == ["ワンピース"]


def test_a_series_in_brackets_behind_another_title_is_not_that_of_the_book() -> None:
    assert merge([titled("山", languages=("jpn",)), titled("川 (岩波文庫)")]).series == ()
    stated = titled("山 (岩波文庫)", series=(Title(value="文庫の山"),))
    assert merge([titled("山", languages=("jpn",)), stated]).series == (Title(value="文庫の山"),)
    assert merge([titled("山(上)", languages=("jpn",)), titled("山(上)", notes=("a",))]).series == ()


def test_a_contributor_is_a_creator_only_in_the_same_role() -> None:
    creators = by("例太郎", role="著")
    contributors = (*by("例太郎", role="著"), *by("例太郎", role="訳"), *by("例太郎"), *by("例花子"))
    [first, second] = merge([titled(creators=creators), titled(contributors=contributors)]).contributors
    assert {(first.name, first.role), (second.name, second.role)} == {("例太郎", "訳"), ("例花子", "")}


# The main title


@pytest.mark.parametrize(
    ("prints", "best"),
    [
        (["上海 第2版", "上海"], "上海 第2版"),  # stands nowhere else
        (["山 : 副題", "山 : 別の副題", "山 : 副題。"], "山 : 副題"),  # the subtitle that most give
        (["ＡＢＣの本", "ABCの本"], "ABCの本"),
        (["DER BERG", "Der Berg", "der Berg", "DER BERG"], "DER BERG"),  # the most frequent print
        (["DER BERG", "Der Berg"], "Der Berg"),
    ],
)
def test_of_prints_of_one_title_the_fullest_and_plainest_is_taken(prints: list[str], best: str) -> None:
    records = [titled(title, prices=(f"{number}円",)) for number, title in enumerate(prints)]
    assert merge(records).title == merge(records[::-1]).title == best


def test_an_edition_behind_the_title_goes_where_a_record_has_a_field_for_it() -> None:
    records = [titled("上海 第2版"), titled("上海", editions=("第2版",))]
    assert merge(records).title == "上海"


def test_parallel_titles_of_all_records_follow_the_main_one_with_their_readings() -> None:
    one = BibliographicRecord(titles=(Title(value="山"), Title(value="Mountain")), languages=("jpn",))
    two = BibliographicRecord(
        titles=(
            Title(value="山", transcription="ヤマ"),
            Title(value="MOUNTAIN"),
            Title(value="Berg", transcription="b"),
        )
    )
    assert merge([one, two]).titles == (
        Title(value="山", transcription="ヤマ"),
        Title(value="Mountain"),
        Title(value="Berg", transcription="b"),
    )


def test_a_volume_has_its_reading_from_any_record() -> None:
    volumes = (
        (Title(value="上"),),
        (Title(value="上", transcription="ジョウ"),),
        (Title(value="下", transcription="ゲ"),),
    )
    assert merged("volumes", *volumes, languages=("jpn",)) == (Title(value="上", transcription="ジョウ"),)


def test_of_records_with_one_title_the_best_describes_it() -> None:
    best = BibliographicRecord(titles=(Title(value="山", language="ja"),), languages=("jpn",))
    other = BibliographicRecord(titles=(Title(value="山", language="zh"),))
    assert merge([other, best]).titles == best.titles


def test_the_most_frequent_print_is_taken_also_if_the_best_record_has_another() -> None:
    records = [titled("der Berg", languages=("ger",), prices=("1",)), *(titled("Der Berg", prices=(p,)) for p in "23")]
    assert merge(records).title == "Der Berg"


def test_three_names_sent_as_one_are_three_persons() -> None:
    [*persons] = merged("creators", by("例太郎／例花子／例次郎"), by("例花子"))
    assert {person.name for person in persons} == {"例太郎", "例花子", "例次郎"}


def test_only_the_first_title_of_another_record_is_another_title_of_the_book() -> None:
    other = BibliographicRecord(titles=(Title(value="ワンピース"), Title(value="海賊王")))
    records = [titled("ONE PIECE", languages=("jpn",), prices=(price,)) for price in "12"]
    assert [title.value for title in merge([*records, other]).alternatives] == ["ワンピース"]


def test_dates_that_agree_in_nothing_but_the_year_give_the_year() -> None:
    assert merged("issued", "1991-05", "1991-06") == "1991"
    assert not agree("issued", "1991", "1992")


@pytest.mark.parametrize(
    "field", ["version_type", "resource_version", "prices", "publication_places", "periodicities", "responsibility"]
)
def test_where_one_value_is_taken_it_is_that_of_the_most_trusted_record(field: str) -> None:
    usual, trusted = ("a", "b") if "version" in field else (("a",), ("b",))
    usually = [titled(**{field: usual, "extents": (f"{pages}p",)}) for pages in (100, 200)]
    records = [*usually, titled(**{field: trusted})]
    assert getattr(merge(records, [0, 0, 0]), field) == usual
    assert getattr(merge(records, [0, 0, 1]), field) == trusted


def test_a_field_with_another_title_in_another_record_is_not_unanimous() -> None:
    records = [titled("別の名"), *(titled("山", prices=(price,)) for price in "12")]
    found = statements(merge(records), records)["titles"]
    assert [statement.places for statement in found] == [(1, 2), (0,)]
    assert not unanimous(found)
