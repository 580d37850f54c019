"""Which descriptions are grouped, which are not, and that there is a sentence for every outcome."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import JOIN, VETO, WEIGHTS, Evidence, compare, decide, extract_features, score, sentence
from aggregator.matching.comparison.compare import outcomes
from aggregator.matching.comparison.decide import CERTAIN, REVIEW, classify_score
from aggregator.matching.explain import SENTENCES
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.aggregator.matching.books import book

ISBN, OTHER_ISBN = "9784003101018", "9784003101025"
FULL = {"author": "夏目漱石", "publisher": "岩波書店", "year": "1990"}


def joined(a: BibliographicRecord, b: BibliographicRecord) -> bool:
    return decide("b", compare(extract_features(a), extract_features(b))).joined


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (book("こころ", isbn=ISBN), book("こゝろ".replace("ゝ", "こ"), isbn="4-00-310101-4", year="1990")),
        (
            book("こころ", **FULL),
            book("ココロ", author="夏目, 漱石, 1867-1916", publisher="㈱岩波書店", year="1990-04"),
        ),
        (book("學問ノススメ", **FULL), book("学問のすすめ", **FULL)),
        (book("こころ", author="夏目漱石", year="1990"), book("こころ", author="夏目漱石著", year="1990")),
        (book("こころ", publisher="岩波書店", year="1990"), book("こころ", publisher="岩波書店", year="1990")),
        (book("罪と罰 上", isbn=ISBN, year="1999"), book("罪と罰", volume="上巻", isbn=ISBN, year="1999")),
        (book("こころ", isbn=ISBN, **FULL), book("こころ", isbn=ISBN, volume="1", **FULL)),
        (book("こころ : 小説", isbn=ISBN, year="1990"), book("こころ", isbn=ISBN, year="1990")),
        (
            book("こころ", isbn=ISBN, author="夏目漱石", year="1990"),
            book("こころ", isbn=ISBN, author="夏目漱石", year="1995"),
        ),
        (
            book("日本の歴史", yomi="ニホン ノ レキシ", isbn=ISBN, year="1990"),
            book("ニホンノレキシ", isbn=ISBN, year="1990"),
        ),
        (book("こころ", isbn=ISBN, **FULL), book("こころ", isbn=ISBN, type_="ElectronicResource", **FULL)),
    ],
)
def test_descriptions_of_one_book_join(a: BibliographicRecord, b: BibliographicRecord) -> None:
    assert joined(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (book("こころ", isbn=ISBN), book("破戒", isbn=ISBN)),
        (book("", isbn=ISBN), book("", isbn=ISBN)),
        (book("罪と罰 上", isbn=ISBN, **FULL), book("罪と罰 下", isbn=ISBN, **FULL)),
        (book("漱石全集", volume="1", isbn=ISBN, **FULL), book("漱石全集", volume="全2巻", isbn=ISBN, **FULL)),
        (book("こころ", volume="1", **FULL), book("こころ", **FULL)),
        (book("こころ", isbn=ISBN, edition="第2版", **FULL), book("こころ", isbn=ISBN, edition="第3版", **FULL)),
        (book("こころ", isbn=ISBN, **FULL), book("こころ", isbn=OTHER_ISBN, **FULL)),
        (
            book("こころ", isbn=ISBN, extent="300p ; 19cm", **FULL),
            book("こころ", isbn=ISBN, type_="ElectronicResource", **FULL),
        ),
        (book("こころ", **FULL), book("こころ", type_="ElectronicResource", **FULL)),
        (book("こころ", extent="300p", **FULL), book("こころ", extent="4巻", **FULL)),
        (book("こころ", isbn=ISBN, **FULL), book("こころ", isbn=ISBN, type_="Journal", **FULL)),
        (
            book("こころ", author="夏目漱石", publisher="岩波書店", year="1990"),
            book("こころ", author="夏目漱石", publisher="岩波書店", year="1914"),
        ),
        (book("こころ"), book("こころ")),
        (book("こころ", year="1990"), book("こころ", year="1990")),
        (book("白書 平成10年版", **FULL), book("白書 平成11年版", **FULL)),
        (book("ぱふ", isbn=ISBN, **FULL), book("別冊ぱふ", isbn=ISBN, **FULL)),
    ],
)
def test_descriptions_of_possibly_different_books_are_not_grouped(
    a: BibliographicRecord, b: BibliographicRecord
) -> None:
    assert not joined(a, b)


def test_an_isbn_on_several_books_counts_little() -> None:
    a, b = extract_features(book("こころ", isbn=ISBN)), extract_features(book("こころ", isbn=ISBN))
    assert score(compare(a, b, {ISBN: "suspect"})) < score(compare(a, b))


_TEXTS = st.sampled_from(
    ["", "こころ", "こころ 上", "こころ 下", "ココロ : 小説", "全2巻", "1", "2", "第2版", "Soseki, Natsume"]
)
_BOOKS = st.builds(
    book,
    _TEXTS,
    volume=_TEXTS,
    author=_TEXTS,
    publisher=_TEXTS,
    edition=_TEXTS,
    yomi=_TEXTS,
    isbn=st.sampled_from(["", ISBN, OTHER_ISBN, f"{ISBN} {OTHER_ISBN}"]),
    set_isbn=st.sampled_from(["", ISBN]),
    year=st.sampled_from(["", "1990", "1991", "2000"]),
    type_=st.sampled_from(["", "Book", "Journal"]),
)


@given(_BOOKS, _BOOKS)
def test_comparing_is_symmetrical(a: BibliographicRecord, b: BibliographicRecord) -> None:
    assert compare(extract_features(a), extract_features(b)) == compare(extract_features(b), extract_features(a))


def test_no_sum_of_weights_outbids_a_veto() -> None:
    best = {rule: max(weight for (other, _), weight in WEIGHTS.items() if other == rule) for rule, _ in WEIGHTS}
    assert sum(best.values()) + VETO < JOIN
    assert score((Evidence("isbn", "same", 3.0), Evidence("volume", "different", VETO))) == VETO


@pytest.mark.parametrize(("rule_outcome", "language"), list(itertools.product(WEIGHTS, ("ja", "en"))))
def test_every_outcome_has_a_sentence(rule_outcome: tuple[str, str], language: str) -> None:
    text = sentence(Evidence(*rule_outcome, WEIGHTS[rule_outcome]), language)
    assert SENTENCES[rule_outcome].in_language(language) in text


def test_a_sentence_shows_the_weight_or_the_veto() -> None:
    assert sentence(Evidence("isbn", "same", 3.0), "en-gb") == "The ISBN agrees (+3.0)"
    assert sentence(Evidence("volume", "different", VETO), "ja") == "巻次が異なる（同定しない）"


def test_an_outcome_of_an_older_matcher_is_still_shown() -> None:
    assert sentence(Evidence("weather", "fine", 1.0), "en") == "weather: fine (+1.0)"


def outcome_of(a: BibliographicRecord, b: BibliographicRecord, rule: str) -> str:
    return dict(outcomes(extract_features(a), extract_features(b))).get(rule, "")


@pytest.mark.parametrize(
    ("rule", "outcome", "a", "b"),
    [
        ("year", "month", book("a", year="1990-05"), book("a", year="1990-05-12")),
        ("year", "next_month", book("a", year="1990-05"), book("a", year="1990-06")),
        ("year", "other_month", book("a", year="1990-05"), book("a", year="1990-12")),
        ("year", "same", book("a", year="1990-05"), book("a", year="1990")),
        ("year", "far", book("a", year="1990-05"), book("a", year="1995")),
        ("year", "far_months", book("a", year="1990-05"), book("a", year="1995-05")),
        ("volume", "set_counted", book("a", extent="2冊"), book("a", extent="2 v.")),
        ("volume", "same_of_set", book("a", volume="上", extent="2冊"), book("a", volume="上", extent="165p")),
        ("volume", "set_miscounted", book("a", extent="2冊"), book("a", extent="4冊")),
        ("volume", "set", book("a", extent="2冊"), book("a", volume="全2巻")),
        (
            "reprint",
            "elsewhere",
            book("a", publisher="有斐閣", year="1909"),
            book("a", publisher="講談社", year="1969"),
        ),
        ("pages", "same", book("a", extent="297p"), book("a", extent="xii, 297 p.")),
        ("pages", "close", book("a", extent="297p"), book("a", extent="305p")),
        ("pages", "far", book("a", extent="297p"), book("a", extent="97p")),
        ("pages", "same", book("a", extent="1,040 p."), book("a", extent="xv, 1040 p.")),
        ("isbn", "same", book("a", isbn=ISBN), book("a", isbn=ISBN)),
        ("isbn", "one_of", book("a", isbn=ISBN), book("a", isbn=f"{ISBN} {OTHER_ISBN}")),
        ("isbn", "different", book("a", isbn=ISBN), book("a", isbn=OTHER_ISBN)),
        ("isbn", "different_volume", book("a", isbn=ISBN), book("a", isbn=OTHER_ISBN, volume="1")),
        ("edition", "one_side_undated", book("a", edition="第2版"), book("a", year="1990")),
        ("publisher", "similar", book("a", publisher="中央公論社"), book("a", publisher="中央公論新社")),
        ("publisher", "same", book("a", publisher="CUP"), book("a", publisher="Cambridge University Press Ltd.")),
        ("publisher", "same", book("a", publisher="Baker & Scribner"), book("a", publisher="Baker and Scribner")),
        ("publisher", "different", book("a", publisher="CUP"), book("a", publisher="Occupational Health Press")),
        ("author", "same", book("a", author="Garvis-Graves, Tracey"), book("a", author="Tracey Garvis-Graves")),
        ("author", "similar", book("a", author="石ノ森章太郎"), book("a", author="[著]石森章太郎")),
        ("publisher", "same", book("a", publisher="ちくま文庫、筑摩書房"), book("a", publisher="筑摩書房")),
        ("publisher", "", book("a", publisher="オーム社"), book("a", publisher="オライリー・ジャパン")),
        ("publisher", "", book("a", publisher="unknown"), book("a", publisher="みすず書房")),
        ("year", "reprinted", book("a", year="1980"), book("a", year="2001", edition="初版第3刷")),
        ("year", "reprinted", book("a", year="1980-04"), book("a", year="1980-09", edition="第3刷")),
        ("year", "far", book("a", year="1980"), book("a", year="1990", edition="第1刷")),
        ("publisher", "same", book("a", publisher="東京 : 岩波書店"), book("a", publisher="岩波書店")),
        (
            "publisher",
            "same",
            book("a", publisher="CRC Press"),
            book("a", publisher="CRC Press, Taylor & Francis"),
        ),
        ("volume", "unclear", book("a", volume="特別編"), book("a", volume="特別編 [3]")),
        ("volume", "different", book("a", volume="パワーアップ編"), book("a", volume="ステップアップ編")),
        ("size", "different", book("a", extent="338p ; 16cm"), book("a", extent="261p ; 20cm")),
        ("length", "same", book("a", extent="1巻 (1時間37分)"), book("a", extent="DVD 1枚 (97分)")),
        ("length", "different", book("a", extent="1巻 (9時間56分)"), book("a", extent="7巻 (10時間30分)")),
        ("carrier", "different", book("a", extent="203p ; 19cm"), book("a", extent="CD 1枚", type_="")),
        ("carrier", "unsure", book("a"), book("a", type_="ElectronicResource")),
        ("carrier", "unsure_isbn", book("a", isbn=ISBN), book("a", isbn=ISBN, type_="ElectronicResource")),
        (
            "title",
            "unrelated",
            book("Figure 5 from revision of the genus"),
            book("Figure 15 from the revision of the genus"),
        ),
        ("title", "romanised", book("認識問題"), book("Ninshiki mondai")),
        ("title", "reading", book("大塚物語", yomi="オオツカ モノガタリ"), book("Ōtsuka monogatari")),
        ("title", "unrelated", book("認識問題", yomi="ニンシキ モンダイ"), book("Toukyou monogatari")),
        ("title", "core", book("詩集近代 : 春の歌"), book("詩集近代 : 春の歌と秋の歌")),
        ("author", "same", book("a", author="齋藤茂吉"), book("a", author="斉藤, 茂𠮷, 1882-1953")),
        ("title", "core_short", book("詩集 : 春"), book("詩集")),
        ("title", "core", book("近代日本の文学史 : 春"), book("近代日本の文学史")),
        (
            "title",
            "reordered",
            book("Current issues in hadron physics, proceedings of the Rencontre de Moriond"),
            book("Proceedings of the Rencontre de Moriond, current issues in hadron physics"),
        ),
    ],
)
def test_fields_have_levels(rule: str, outcome: str, a: BibliographicRecord, b: BibliographicRecord) -> None:
    assert outcome_of(a, b, rule) == outcome_of(b, a, rule) == outcome


def test_a_romanised_author_is_compared_with_the_reading() -> None:
    def author(name: str, reading: str = "") -> BibliographicRecord:
        return BibliographicRecord(titles=(Title(value="a"),), creators=(Agent(name=name, transcription=reading),))

    japanese = author("内海健寿", "ウツミ, ケンジュ")
    assert outcome_of(japanese, author("Utsumi, Kenju"), "author") == "romanised"
    assert outcome_of(author("日高万里", "ヒダカ バンリ"), author("Hidakabanri"), "author") == "romanised"
    assert outcome_of(japanese, author("Utsunomiya, Kenji"), "author") == ""


def test_jpnos_that_differ_are_near_a_veto() -> None:
    one, other = (
        extract_features(
            BibliographicRecord(
                titles=(Title(value="空っぽの心"),),
                publishers=(Agent(name="GIZA"),),
                creators=(Agent(name="SARD UNDERGROUND"),),
                issued="2022-05",
                identifiers=(Identifier(scheme="JPNO", value=number),),
            )
        )
        for number in ("23811173", "23811167")
    )
    assert not decide("b", compare(one, other)).joined


def test_titles_that_differ_are_never_certain() -> None:
    one, other = (
        extract_features(book(f"名探偵コナン : {name}", isbn=ISBN, extent="203p", **FULL))
        for name in ("摩天楼", "十四番目の標的")
    )
    evidence = compare(one, other)
    assert evidence[-1].rule == "limit"
    assert JOIN < score(evidence) < CERTAIN


def test_equal_pages_count_less_for_books_of_one_publisher_with_other_titles() -> None:
    books = [
        book(f"コナン : {name}", extent="203p", publisher=firm)
        for name, firm in (("春", "小学館"), ("秋", "小学館"), ("夏", ""))
    ]
    assert outcome_of(books[0], books[1], "pages") == "common"
    assert outcome_of(books[0], books[2], "pages") == "same"


def under_series(title: str, volume: str, volume_title: str) -> BibliographicRecord:
    return BibliographicRecord(
        titles=(Title(value=title),),
        volumes=(Title(value=volume),) if volume else (),
        volume_titles=(Title(value=volume_title),),
    )


def in_series(title: str, series: str, volume: str = "") -> BibliographicRecord:
    return BibliographicRecord(
        titles=(Title(value=title),), series=(Title(value=series),), volumes=(Title(value=volume),) if volume else ()
    )


@pytest.mark.parametrize(
    ("a", "b", "volume"),
    [
        (under_series("Hex Hall", "3", "Spell Bound"), in_series("Spell Bound", "Hex Hall ; 3"), "part_same"),
        (
            under_series("Hex Hall", "3", "Spell Bound"),
            in_series("Spell Bound", "Hex Hall ; 3", "2"),
            "part_same_one_side",
        ),
        (under_series("Hex Hall", "3", "Spell Bound"), in_series("Spell Bound", "Hex Hall ; 4"), "part_different"),
        (
            under_series("The Giver", "1", "The Giver"),
            in_series("The Giver", "The Giver ; 1", "4"),
            "part_same_one_side",
        ),
        (under_series("Hex Hall", "3", "Rough sets XXII"), in_series("Rough sets XXII", "Hex Hall ; 3"), "part_same"),
        (under_series("Hex Hall", "", "Spell : bound"), in_series("Spell bound", "", "2"), "part_one_side"),
    ],
)
def test_a_record_entered_under_its_series_is_compared_by_its_volume_title(
    a: BibliographicRecord, b: BibliographicRecord, volume: str
) -> None:
    assert outcome_of(a, b, "title") == "part"
    assert outcome_of(a, b, "volume") == outcome_of(b, a, "volume") == volume


@pytest.mark.parametrize(
    ("points", "meaning"),
    [
        (CERTAIN + 1, "join"),
        (CERTAIN, "join"),
        ((CERTAIN + REVIEW) / 2, "review"),
        (REVIEW, "review"),
        (REVIEW - 0.01, "apart"),
    ],
)
def test_a_score_means_that_a_pair_is_joined_looked_at_or_left_apart(points, meaning):
    assert classify_score(points) == meaning


@pytest.mark.parametrize(
    ("other", "support"),
    [
        ({}, "title_only"),
        ({"publisher": "岩波書店"}, "none"),
        ({"year": "1950"}, "none"),
        ({"author": "別人太郎"}, "none"),
    ],
)
def test_a_description_with_more_than_a_title_is_held_to_what_it_says(other, support):
    full = extract_features(book("日本の近代文学とその時代", author="夏目漱石", year="1990"))
    brief = extract_features(book("日本の近代文学とその時代", **other))
    assert ("support", support) in outcomes(full, brief)
