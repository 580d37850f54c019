"""Merging: one rule per field, nothing lost, nothing repeated, independent of order."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merge import RULES, merge
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    Subject,
    Title,
)

RICH = BibliographicRecord(
    uri="http://example.jp/1",
    titles=(Title(value="学問のすすめ"),),
    creators=(Agent(name="福沢, 諭吉, 1835-1901"),),
    publishers=(Agent(name="岩波書店", location="東京"),),
    issued="1942",
    languages=("jpn",),
    extents=("206p",),
    items=(Item(holding_agent="A"),),
    notes=("初版は明治5年",),
    subjects=(Subject(value="人生訓", scheme="NDLSH"),),
)
THIN = BibliographicRecord(
    titles=(Title(value="學問ノスヽメ".replace("ヽ", "ス"), transcription="ガクモン ノ ススメ"),),
    issued="1942-12",
    creators=(Agent(name="福澤諭吉著", transcription="フクザワ ユキチ"),),
    publishers=(Agent(name="株式会社岩波書店"),),
    identifiers=(Identifier(scheme="ISBN", value="9784003310236"),),
    items=(Item(holding_agent="B"),),
    subjects=(Subject(value="人生訓", scheme="NDLSH", uri="http://id.ndl.go.jp/auth/ndlsh/1"),),
)


def test_a_single_record_without_items_is_returned_itself() -> None:
    record = msgspec.structs.replace(RICH, items=())
    assert merge([record]) is record
    assert merge([RICH]) == record


def test_every_field_has_a_rule() -> None:
    assert tuple(RULES) == BibliographicRecord.__struct_fields__


def test_the_title_comes_from_the_best_record_and_its_reading_from_another() -> None:
    assert merge([THIN, RICH]).titles == (Title(value="学問のすすめ", transcription="ガクモン ノ ススメ"),)


def test_the_title_for_display_is_the_merged_title_where_only_another_title_has_one() -> None:
    merged = merge([RICH, msgspec.structs.replace(THIN, display_title="學問ノススメ. 全")])
    assert merged.display_title == merged.title == "学問のすすめ"


def test_a_merged_record_has_the_codes_of_all_records_once() -> None:
    codes = [
        msgspec.structs.replace(RICH, sub_category="112"),
        msgspec.structs.replace(THIN, sub_category="A00001 112"),
    ]
    assert sorted(merge(codes).sub_category.split()) == ["112", "A00001"]


def test_persons_and_publishers_are_named_once() -> None:
    merged = merge([THIN, RICH])
    assert [agent.name for agent in merged.creators] == ["福沢, 諭吉, 1835-1901"]
    assert [agent.name for agent in merged.publishers] == ["岩波書店"]


def test_a_person_gets_the_identifiers_and_affiliations_of_all_records() -> None:
    orcid = (Identifier(scheme="ORCID", value="0000-0001-0002-0003"),)
    one = BibliographicRecord(creators=(Agent(name="例, 太郎", transcription="レイ, タロウ", role="著", uri="u"),))
    two = BibliographicRecord(creators=(Agent(name="例太郎", identifiers=orcid, affiliations=(Agent(name="例大学"),)),))
    [creator] = merge([one, two]).creators
    assert (creator.transcription, creator.uri) == ("レイ, タロウ", "u")
    assert (creator.identifiers, [agent.name for agent in creator.affiliations]) == (orcid, ["例大学"])


def test_a_file_an_award_and_a_conference_are_named_once_in_their_fullest_form() -> None:
    one = BibliographicRecord(
        files=(File(uri="https://x.example.jp/1.pdf"),),
        fundings=(Funding(funder=Agent(name=""), award=Identifier(value="JP15H02781")),),
        conferences=(Conference(names=(Title(value="例会議"),), start="2016"),),
    )
    two = BibliographicRecord(
        files=(File(uri="https://x.example.jp/1.pdf", type="fulltext"), File(uri="https://x.example.jp/2.pdf")),
        fundings=(
            Funding(
                funder=Agent(name="例財団"),
                award=Identifier(scheme="JGN", value="JP15H02781"),
                titles=(Title(value="研究"),),
            ),
        ),
        conferences=(Conference(names=(Title(value="例会議"),), start="2016", country="JPN"),),
    )
    merged = merge([one, two])
    assert merged.files == two.files
    assert merged.fundings == two.fundings
    assert merged.conferences == two.conferences


def test_the_fuller_form_of_a_subject_is_taken() -> None:
    assert merge([RICH, THIN]).subjects == THIN.subjects


def test_data_of_only_one_record_are_included() -> None:
    merged = merge([RICH, THIN])
    assert merged.identifiers == THIN.identifiers
    assert (merged.notes, merged.extents, merged.languages) == (RICH.notes, RICH.extents, RICH.languages)


def test_a_merged_record_has_no_items_but_says_that_one_can_be_read_freely() -> None:
    free = msgspec.structs.replace(THIN, items=(Item(availability="インターネット公開（保護期間満了）"),))
    for records in ([free], [RICH, free]):
        merged = merge(records)
        assert (merged.items, merged.access_rights) == ((), ("インターネット公開（保護期間満了）",))


def _copies(record: BibliographicRecord, count: int) -> list[BibliographicRecord]:
    """Records that repeat a description; each has an address, a link and an item of its own, some have a note."""
    return [
        msgspec.structs.replace(
            record,
            uri=f"https://library.example/{number}",
            see_also=(f"https://library.example/{number}",),
            items=(Item(call_number=str(number)),),
            notes=(*record.notes, *([f"寄贈 {number}"] if number % 3 == 0 else [])),
        )
        for number in range(count)
    ]


def test_thirty_copies_of_one_wrong_description_do_not_outvote_two_different_right_ones() -> None:
    wrong = _titled("坊つちゃん", issued="1950", editions=("初版",), extents=("99p",))
    right = [_titled("坊っちゃん", issued="1906", editions=("改版",), extents=("206p",), languages=("jpn",))]
    right.append(msgspec.structs.replace(right[0], creators=(Agent(name="夏目漱石"),)))
    merged = merge([*_copies(wrong, 30), *right])
    assert (merged.title, merged.issued, merged.editions, merged.extents) == (
        *("坊っちゃん", "1906", ("改版",), ("206p",)),
    )


def test_a_further_copy_of_a_description_changes_nothing() -> None:
    copies = _copies(RICH, 3)
    assert merge([THIN, *copies]) == merge([THIN, *copies[:2]])


def test_nothing_that_a_copy_adds_to_its_description_is_lost() -> None:
    assert merge(_copies(RICH, 7)).notes == (*RICH.notes, "寄贈 0", "寄贈 3", "寄贈 6")


def test_the_most_exact_date_that_agrees_is_taken() -> None:
    assert merge([RICH, THIN]).issued == "1942-12"
    assert merge([RICH, msgspec.structs.replace(THIN, issued="1950-01")]).issued == "1942"


def test_an_articles_host_comes_from_one_record() -> None:
    a = BibliographicRecord(host=Host(title="図書", volume="1"), titles=(Title(value="x"),), issued="1990")
    b = BibliographicRecord(host=Host(title="圖書", pages="1-3"))
    assert merge([b, a]).host == a.host


def test_merging_a_merged_record_again_changes_nothing() -> None:
    once = merge([RICH, THIN])
    assert merge([once, RICH, THIN]) == once


def _titled(*titles: str, **fields: object) -> BibliographicRecord:
    return BibliographicRecord(titles=tuple(Title(value=title) for title in titles), **fields)


@pytest.mark.parametrize(
    ("titles", "merged_value"),
    [
        (["図書館の話", "図書館の話", "図書館のはなし"], "図書館の話"),  # the title of most records
        (["図書館の話", "図書館の話 : 入門", "図書館の話"], "図書館の話 : 入門"),  # the fullest form
        (["トショカン ノ ハナシ", "図書館の話"], "図書館の話"),  # kana may be the reading
        (["瘋癲老人日記 (文春文庫)", "瘋癲老人日記"], "瘋癲老人日記"),
        (["ＳＯＮＣＨＯＨ", "SONCHOH", "ＳＯＮＣＨＯＨ"], "SONCHOH"),
        (["THE LEGACY", "The legacy"], "The legacy"),
    ],
)
def test_the_title_is_what_most_print_in_its_fullest_and_plainest_form(titles: list[str], merged_value: str) -> None:
    assert merge([_titled(title) for title in titles]).title == merged_value


def test_a_volume_stays_in_the_title_only_if_no_record_has_a_volume_field() -> None:
    assert merge([_titled("上海 2"), _titled("上海")]).title == "上海 2"
    assert merge([_titled("上海 2"), _titled("上海", volumes=(Title(value="第2巻"),))]).title == "上海"


def test_a_series_behind_the_title_becomes_the_series() -> None:
    for printed in ("瘋癲老人日記 (文春文庫)", "瘋癲老人日記（文春文庫）"):
        assert merge([_titled(printed), _titled("瘋癲老人日記")]).series == (Title(value="文春文庫"),)


def test_another_title_of_the_book_is_found_as_an_alternative() -> None:
    merged = merge([_titled("ONE PIECE"), _titled("ONE PIECE"), _titled("ワンピース")])
    assert (merged.title, merged.alternatives) == ("ONE PIECE", (Title(value="ワンピース"),))


def test_an_alternative_title_that_is_the_main_title_is_not_repeated() -> None:
    one = _titled("ONE PIECE")
    merged = merge([one, one, _titled("ワンピース", alternatives=(Title(value="One piece"),))])
    assert merged.alternatives == (Title(value="ワンピース"),)


@pytest.mark.parametrize(
    ("dates", "merged_value"),
    [
        (["1992", "1991", "1991"], "1991"),
        (["2003", "1991"], "1991"),  # the earliest of equals: a later year is that of a printing
        (["1997", "1997-06", "1997-06-22"], "1997-06-22"),
        (["1997", "1997-06-01", "1997-06-22"], "1997-06"),
    ],
)
def test_the_year_is_the_most_frequent_or_else_the_earliest(dates: list[str], merged_value: str) -> None:
    assert merge([_titled("本", issued=date) for date in dates]).issued == merged_value


def test_the_printed_date_is_one_of_the_date_of_issue() -> None:
    one = _titled("本", issued="1992", dates=("1992.1",), notes=("a",), languages=("jpn",))
    two = _titled("本", issued="1991", dates=("1991.10",))
    assert merge([one, two]).dates == ("1991.10",)


def test_the_most_trusted_record_wins_over_the_majority() -> None:
    years = ("1992", "1992", "1990")
    records = [_titled("本", issued=year, prices=(f"{price}円",)) for price, year in enumerate(years)]
    assert merge(records, [0, 0, 1]).issued == "1990"
    assert merge(records, [1, 1, 1]).issued == "1992"
    assert merge([_titled("本"), *records], [5, 0, 0, 0]).issued == "1992"  # the most trusted record has no date


def test_the_fullest_of_the_agreeing_extents_is_taken() -> None:
    extents = [("206p",), ("206p ; 19cm",), ("2冊",)]
    assert merge([_titled("本", extents=extent) for extent in extents]).extents == ("206p ; 19cm",)


def _by(*names: str, **values: str) -> BibliographicRecord:
    return BibliographicRecord(creators=tuple(Agent(name=name, **values) for name in names))


def test_a_romanised_name_is_matched_by_the_reading() -> None:
    [person] = merge([_by("村上春樹", transcription="ムラカミ, ハルキ"), _by("Murakami, Haruki")]).creators
    assert (person.name, person.other_names) == ("村上春樹", (Title(value="Murakami, Haruki"),))
    two = _by("村上春樹", "村上治美", transcription="ムラカミ, ハルミ")
    assert len(merge([two, _by("Murakami, H.")]).creators) == 3  # "H." may be either of the two


def test_a_romanised_name_is_matched_by_several_descriptions_of_one_person() -> None:
    names = ("村上春樹", "村上, 春樹, 1949-", "村上春樹 著")
    [person] = merge(
        [*(_by(name, transcription="ムラカミ, ハルキ") for name in names), _by("Murakami, Haruki")]
    ).creators
    assert person.other_names == (Title(value="Murakami, Haruki"),)


def test_several_names_sent_as_one_are_several_persons() -> None:
    merged = merge([_by("Necia T. Gibson／Bill Kirk"), _by("GIBSON, NECIA T.", "Kirk, B."), _by("Gibson, Necia T.")])
    assert [agent.name for agent in merged.creators] == ["Gibson, Necia T.", "Kirk, B."]


def test_a_creator_is_not_repeated_as_a_contributor() -> None:
    one = BibliographicRecord(creators=(Agent(name="例太郎"),))
    two = BibliographicRecord(
        contributors=(Agent(name="例太郎"), Agent(name="例花子"), Agent(name="例太郎", role="訳"))
    )
    assert [(agent.name, agent.role) for agent in merge([one, two]).contributors] == [("例花子", ""), ("例太郎", "訳")]


def test_a_series_with_its_number_replaces_the_series_without() -> None:
    series = ("岩波文庫", "岩波文庫 ; 青102-1", "別の叢書")
    merged = merge([_titled("本", series=(Title(value=title),)) for title in series])
    assert {title.value for title in merged.series} == {"岩波文庫 ; 青102-1", "別の叢書"}


def test_a_keyword_that_is_also_a_heading_is_not_repeated() -> None:
    one, two = Subject(value="図書館"), Subject(value="図書館", scheme="NDLSH")
    merged = merge([_titled("本", subjects=(one, Subject(value="歴史"))), _titled("本", subjects=(two,))])
    assert set(merged.subjects) == {Subject(value="歴史"), two}


def test_a_truncated_text_is_left_out_beside_the_whole() -> None:
    whole = "この本は図書館の歴史を古代から現代まで述べる。写真を多く収める。"
    assert merge([_titled("本", abstracts=(whole[:24],)), _titled("本", abstracts=(whole,))]).abstracts == (whole,)


_WORDS = st.sampled_from(["", "学問", "學問", "ガクモン", "abc", "ABC"])
_RECORDS = st.builds(
    BibliographicRecord,
    uri=_WORDS,
    issued=st.sampled_from(["", "1942", "1942-12", "1950"]),
    titles=st.lists(st.builds(Title, value=_WORDS, transcription=_WORDS), max_size=2).map(tuple),
    creators=st.lists(st.builds(Agent, name=_WORDS, role=_WORDS, uri=_WORDS), max_size=2).map(tuple),
    notes=st.lists(_WORDS, max_size=2).map(tuple),
    items=st.lists(st.builds(Item, call_number=_WORDS), max_size=2).map(tuple),
)


@given(st.lists(_RECORDS, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(records: list[BibliographicRecord], dice: random.Random) -> None:
    shuffled = records.copy()
    dice.shuffle(shuffled)
    assert merge(shuffled) == merge(records)
