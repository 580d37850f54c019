"""Japanese as people type it finds what catalogues print, and vice versa: for every engine."""

import pytest

from aggregator.search.base import Document, Query, SearchIndex
from tests.aggregator.search.hits import ids

KOKORO = Document(
    id=1,
    titles=("こころ", "ココロ"),
    creators=("夏目, 漱石", "ナツメ, ソウセキ"),
    isbns=("9784101010137",),
    year=1914,
)
CAT = Document(
    id=2,
    titles=("吾輩は猫である", "吾輩は猫である 上", "ワガハイ ワ ネコ デ アル", "ワガハイ ハ ネコ デ アル", "上"),
    creators=("夏目, 漱石", "ナツメ, ソウセキ"),
    year=1905,
)
UNIVERSITY = Document(
    id=3, titles=("東京大學の歴史", "トーキョー ダイガク ノ レキシ"), creators=("大江, 健三郎", "オオエ, ケンザブロウ")
)
REPORT = Document(
    id=4, titles=("レポートとインターフェースの書き方 : デジタル入門",), creators=("Tanaka, Shin'ichirō",)
)
PHOENIX = Document(
    id=5, titles=("火の鳥 : 未来編", "火の鳥 2", "2", "ヒノトリ"), creators=("手塚, 治虫", "テズカ, オサム")
)
WAR = Document(id=6, titles=("第二次世界大戦史 第三版",), creators=("McCartney, Paul",))
LATIN = Document(id=7, titles=("Botchan",), creators=("Natsume, Sōseki",), isbns=("9784003101018",))
ALL = (KOKORO, CAT, UNIVERSITY, REPORT, PHOENIX, WAR, LATIN)


@pytest.fixture
def library(index: SearchIndex) -> SearchIndex:
    index.update(ALL)
    return index


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("Kokoro", [1]),
        ("kokoro natsume soseki", [1]),
        ("Natsume Soseki", [1, 2, 7]),
        ("Sōseki", [1, 2, 7]),
        ("sôseki", [1, 2, 7]),
        ("Souseki Natsume", [1, 2, 7]),
        ("Natume Sôseki", [1, 2, 7]),
        ("なつめそうせき", [1, 2, 7]),
        ("そーせき", [1, 2, 7]),
        ("wagahai wa neko de aru", [2]),
        ("wagahai ha neko dearu", [2]),
        ("とうきょうだいがく", [3]),
        ("トウキヨウ", [3]),
        ("Tôkyô daigaku", [3]),
        ("Tokyo", [3]),
        ("Ōe Kenzaburō", [3]),
        ("oe kenzaburo", [3]),
        ("Ooe", [3]),
        ("東京大学", [3]),
        ("リポート", [4]),
        ("インターフェイス", [4]),
        ("ディジタル", [4]),
        ("タナカ", [4]),
        ("shinichiro", [4]),
        ("シンイチロウ", [4]),
        ("botchan", [7]),
        ("ぼっちゃん", [7]),
        ("火の鳥 第2巻", [5]),
        ("火の鳥 第二巻", [5]),
        ("火の鳥 vol.2", [5]),
        ("火の鳥２", [5]),
        ("吾輩は猫である 上巻", [2]),
        ("第2次世界大戦", [6]),
        ("第２次世界大戦 3版", [6]),
        ("こころ 1914", [1]),
        ("猫 1905年", [2]),
        ("take", []),
        ("tsume", []),
    ],
)
def test_books_are_found_in_any_spelling(library: SearchIndex, typed: str, found: list[int]) -> None:
    assert sorted(ids(library.search(Query(q=typed)))) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("こころ 978-4-10-101013-7", [1]),
        ("ISBN 4 10 101013 7 夏目", [1]),
        ("9784101010137, 4-00-310101-4", [1, 7]),
        ("ISBN：４－１０－１０１０１３－７／9784003101018", [1, 7]),
        ("botchan -isbn:9784003101018", []),
    ],
)
def test_isbns_are_found_anywhere_in_the_text(library: SearchIndex, typed: str, found: list[int]) -> None:
    assert sorted(ids(library.search(Query(q=typed)))) == found


def test_readings_are_searched_in_their_field(library: SearchIndex) -> None:
    assert sorted(ids(library.search(Query(creator="soseki")))) == [1, 2, 7]
    assert library.search(Query(title="soseki")).total == 0
    assert ids(library.search(Query(title="kokoro"))) == [1]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("火の鳥 2", 12),
        ("火の鳥 第2巻", 12),
        ("ヒノトリ", 11),
        ("火の鳥", 11),
        ("手塚 火の鳥", 11),
        ("hinotori", 11),
    ],
)
def test_the_known_item_comes_first(index: SearchIndex, typed: str, first: int) -> None:
    index.update(
        [
            Document(
                id=10,
                titles=("火の鳥を読む 2 : 火の鳥の世界", "ヒノトリ オ ヨム"),
                creators=("手塚研究会",),
                holdings=50,
            ),
            Document(id=11, titles=("火の鳥", "ヒノトリ"), creators=("手塚治虫",), holdings=9),
            Document(id=12, titles=("火の鳥", "火の鳥 2", "ヒノトリ", "2"), creators=("手塚治虫",), holdings=1),
            Document(
                id=13, titles=("不死鳥", "フシチョウ"), texts=("火の鳥 火の鳥 第2巻 ヒノトリ",), creators=("手塚",)
            ),
        ]
    )
    assert ids(index.search(Query(q=typed)))[0] == first


def test_a_title_without_its_subtitle_is_the_title(index: SearchIndex) -> None:
    index.update(
        [
            Document(id=1, titles=("銀河鉄道の夜の世界 : 銀河鉄道の夜とは",)),
            Document(id=2, titles=("銀河鉄道の夜 : 童話集 他十四篇とその解説",)),
        ]
    )
    assert ids(index.search(Query(q="銀河鉄道の夜"))) == [2, 1]


def test_a_later_year_decides_among_equals_only(index: SearchIndex) -> None:
    index.update(
        [
            Document(id=1, titles=("民法",), year=1990),
            Document(id=2, titles=("民法",), year=2020),
            Document(id=3, titles=("民法",), year=1950, holdings=3),
        ]
    )
    assert ids(index.search(Query(q="民法"))) == [3, 2, 1]
