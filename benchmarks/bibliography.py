"""Made-up but lifelike bibliographic documents for the benchmarks."""

import random
from collections.abc import Iterator

from aggregator.search.base import Document, HoldingLibrary
from aggregator.search.suggest.entries import make_entries
from metadata.identifiers import normalise

# Words with their readings, common ones first: the weight falls from word to word, as in a real catalogue.
_TOPICS = """
日本 ニホン|研究 ケンキュウ|社会 シャカイ|世界 セカイ|歴史 レキシ|文化 ブンカ|教育 キョウイク|文学 ブンガク|経済 ケイザイ|政治 セイジ
東京 トウキョウ|現代 ゲンダイ|人間 ニンゲン|科学 カガク|技術 ギジュツ|英語 エイゴ|中国 チュウゴク|数学 スウガク|物理学 ブツリガク|化学 カガク
心理学 シンリガク|哲学 テツガク|宗教 シュウキョウ|仏教 ブッキョウ|法律 ホウリツ|憲法 ケンポウ|民法 ミンポウ|会計 カイケイ|経営 ケイエイ|労働 ロウドウ
福祉 フクシ|医療 イリョウ|看護 カンゴ|環境 カンキョウ|地域 チイキ|都市 トシ|農業 ノウギョウ|建築 ケンチク|土木 ドボク|機械 キカイ
電気 デンキ|電子 デンシ|情報 ジョウホウ|通信 ツウシン|音楽 オンガク|美術 ビジュツ|映画 エイガ|演劇 エンゲキ|写真 シャシン|料理 リョウリ
健康 ケンコウ|運動 ウンドウ|旅行 リョコウ|地理 チリ|京都 キョウト|大阪 オオサカ|北海道 ホッカイドウ|沖縄 オキナワ|九州 キュウシュウ|江戸 エド
明治 メイジ|昭和 ショウワ|戦争 センソウ|平和 ヘイワ|国際 コクサイ|関係 カンケイ|外交 ガイコウ|国語 コクゴ|言語 ゲンゴ|辞典 ジテン
図書館 トショカン|資料 シリョウ|統計 トウケイ|調査 チョウサ|報告 ホウコク|分析 ブンセキ|設計 セッケイ|構造 コウゾウ|理論 リロン|実験 ジッケン
生物 セイブツ|植物 ショクブツ|動物 ドウブツ|昆虫 コンチュウ|海洋 カイヨウ|気象 キショウ|地震 ジシン|天文 テンモン|宇宙 ウチュウ|地球 チキュウ
小説 ショウセツ|詩集 シシュウ|俳句 ハイク|短歌 タンカ|随筆 ズイヒツ|物語 モノガタリ|伝記 デンキ|日記 ニッキ|童話 ドウワ|絵本 エホン
家族 カゾク|女性 ジョセイ|子供 コドモ|高齢者 コウレイシャ|障害 ショウガイ|住宅 ジュウタク|交通 コウツウ|鉄道 テツドウ|自動車 ジドウシャ|航空 コウクウ
金融 キンユウ|銀行 ギンコウ|保険 ホケン|税金 ゼイキン|貿易 ボウエキ|産業 サンギョウ|企業 キギョウ|流通 リュウツウ|市場 シジョウ|消費 ショウヒ
思想 シソウ|倫理 リンリ|論理 ロンリ|記憶 キオク|感情 カンジョウ|言葉 コトバ|漢字 カンジ|古典 コテン|万葉集 マンヨウシュウ|源氏物語 ゲンジモノガタリ
猫 ネコ|犬 イヌ|海 ウミ|山 ヤマ|空 ソラ|花 ハナ|水 ミズ|火 ヒ|心 ココロ|命 イノチ|旅 タビ|夢 ユメ|森 モリ|川 カワ|星 ホシ|雪 ユキ|風 カゼ|雨 アメ|茶 チャ|米 コメ
データベース データベース|プログラミング プログラミング|ネットワーク ネットワーク|デザイン デザイン|システム システム|コンピュータ コンピュータ
Web Web|Java Java|Python Python|Linux Linux|library library|history history|Japanese Japanese|introduction introduction|theory theory
"""
_SHAPES = (
    "{a}の{b}|{A} ノ {B}",
    "{a}{b}入門|{A} {B} ニュウモン",
    "{a}と{b}|{A} ト {B}",
    "{a}{b}論|{A} {B}ロン",
    "{a}とは何か : {b}の視点から|{A} トワ ナニカ : {B} ノ シテン カラ",
    "図説{a}|ズセツ {A}",
    "{a}における{b}の{c}|{A} ニ オケル {B} ノ {C}",
    "はじめての{a}|ハジメテ ノ {A}",
    "{a}史|{A}シ",
    "{a}を読む : {b}・{c}・{d}|{A} オ ヨム : {B} {C} {D}",
    "新しい{a}の{b}|アタラシイ {A} ノ {B}",
    "{a}ハンドブック|{A} ハンドブック",
    "{a}学概論 : {b}と{c}をめぐって|{A}ガク ガイロン : {B} ト {C} オ メグッテ",
    "{a}大事典|{A} ダイジテン",
    "{a}への招待|{A} エノ ショウタイ",
    "わたしの{a}{b}帖|ワタクシ ノ {A} {B}チョウ",
)
_FAMILIES = """
佐藤 サトウ|鈴木 スズキ|高橋 タカハシ|田中 タナカ|伊藤 イトウ|渡辺 ワタナベ|山本 ヤマモト|中村 ナカムラ|小林 コバヤシ|加藤 カトウ|吉田 ヨシダ
山田 ヤマダ|佐々木 ササキ|山口 ヤマグチ|松本 マツモト|井上 イノウエ|木村 キムラ|林 ハヤシ|斎藤 サイトウ|清水 シミズ|山崎 ヤマザキ|森 モリ
池田 イケダ|橋本 ハシモト|阿部 アベ|石川 イシカワ|前田 マエダ|藤田 フジタ|岡田 オカダ|長谷川 ハセガワ|村上 ムラカミ|近藤 コンドウ|石井 イシイ
坂本 サカモト|遠藤 エンドウ|青木 アオキ|藤井 フジイ|西村 ニシムラ|福田 フクダ|太田 オオタ|三浦 ミウラ|岡本 オカモト|松田 マツダ|中川 ナカガワ
中野 ナカノ|原田 ハラダ|小川 オガワ|竹内 タケウチ|金子 カネコ|和田 ワダ|夏目 ナツメ|芥川 アクタガワ|宮沢 ミヤザワ|樋口 ヒグチ|与謝野 ヨサノ
"""
_GIVEN = """
茂 シゲル|清 キヨシ|実 ミノル|弘 ヒロシ|勇 イサム|博 ヒロシ|和子 カズコ|幸子 サチコ|節子 セツコ|洋子 ヨウコ|恵子 ケイコ|京子 キョウコ
誠 マコト|健一 ケンイチ|正 タダシ|武 タケシ|三郎 サブロウ|一郎 イチロウ|次郎 ジロウ|太郎 タロウ|美智子 ミチコ|由美 ユミ|直樹 ナオキ|大輔 ダイスケ
達也 タツヤ|智子 トモコ|真由美 マユミ|陽子 ヨウコ|隆 タカシ|修 オサム|剛 ツヨシ|学 マナブ|明 アキラ|進 ススム|昇 ノボル|豊 ユタカ|徹 トオル
賢治 ケンジ|龍之介 リュウノスケ|漱石 ソウセキ|晶子 アキコ|一葉 イチヨウ|鴎外 オウガイ|直哉 ナオヤ|治 オサム|康成 ヤスナリ|由紀夫 ユキオ
"""
_PUBLISHERS = """
岩波書店 講談社 新潮社 有斐閣 筑摩書房 中央公論新社 文藝春秋 集英社 小学館 東京大学出版会 勁草書房 朝倉書店 共立出版 丸善 みすず書房 平凡社
吉川弘文館 ミネルヴァ書房 医学書院 オーム社 日本評論社 角川書店 河出書房新社 早川書房 学研 河合出版 北大路書房 名古屋大学出版会 ナカニシヤ出版 慶應義塾大学出版会
""".split()
_SERIES = ("岩波文庫", "新潮文庫", "講談社学術文庫", "ちくま新書", "現代教養叢書", "専門図書館双書", "研究報告", "")
_LANGUAGES, _LANGUAGE_WEIGHTS = ("jpn", "eng", "chi", "ger", "fre", "kor"), (80, 14, 2, 2, 1, 1)
_TYPES = ("Book",) * 12 + ("Article",) * 5 + ("Journal", "Map", "Thesis", "Other")
# Number of providers that hold a book: mostly one, seldom many.
_HOLDERS = (1,) * 10 + (2,) * 5 + (3,) * 3 + (5, 8)


def _pairs(text: str) -> list[tuple[str, str]]:
    entries = (entry.split(" ") for line in text.split("\n") for entry in line.split("|") if entry)
    return [(word, reading) for word, reading in entries]


def _falling(count: int) -> list[float]:
    return [1 / (rank + 4) for rank in range(count)]


LIBRARIES = 1000
MOST_HOLDERS = 300  # libraries of one book


def _library(number: int) -> HoldingLibrary:
    region = f"{number % 47 + 1:02}{number % 30 + 200}"
    return HoldingLibrary(f"L{number}", region, (f"見本市立第{number}図書館", f"見本{number}", str(2000 + number)))


class Bibliography:
    """An endless supply of documents; the same seed gives the same ones."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._topics, self._families, self._given = _pairs(_TOPICS), _pairs(_FAMILIES), _pairs(_GIVEN)
        self._weights = _falling(len(self._topics))
        self._libraries = [_library(number) for number in range(LIBRARIES)]

    def _libraries_of_one(self) -> tuple[HoldingLibrary, ...]:
        """The libraries of a book: five on average, but very many for a few books."""
        number = min(int(self._random.paretovariate(0.9)), MOST_HOLDERS)
        return tuple(dict.fromkeys(self._random.choices(self._libraries, k=number)))

    def documents(self, count: int, first: int = 1) -> Iterator[Document]:
        """Yield the next documents of this supply. first: the id of the first one; the others follow."""
        for number in range(first, first + count):
            yield self._document(number)

    def _document(self, number: int) -> Document:
        pick = self._random
        title, reading, topics = self._title()
        authors = [self._author() for _ in range(pick.choice((1, 1, 1, 2, 3)))]
        publisher = pick.choice(_PUBLISHERS)
        note = pick.choice(("", "", "索引あり", "文献あり", f"{pick.randrange(1950, 2025)}年刊の複製"))
        return Document(
            id=number,
            titles=(title, reading),
            creators=tuple(form for author in authors for form in author),
            publishers=(publisher,),
            subjects=tuple(topics[:2]),
            texts=tuple(filter(None, (pick.choice(_SERIES), note))),
            isbns=self._isbns(),
            repositories=tuple(
                {f"R{100000000 + int(pick.expovariate(0.1)):09d}" for _ in range(pick.choice(_HOLDERS))}
            ),
            libraries=self._libraries_of_one(),
            types=(pick.choice(_TYPES),),
            year=2025 - int(min(pick.expovariate(0.05), 150)),
            holdings=pick.randrange(1, 9),
            languages=(pick.choices(_LANGUAGES, _LANGUAGE_WEIGHTS)[0],),
            ndcs=(f"{pick.randrange(1000):03d}",) if pick.random() < 0.8 else (),
            subject_values=tuple(dict.fromkeys(topics[:2])),
            creator_values=tuple(dict.fromkeys(name for name, _reading in authors)),
            publisher_values=(publisher,),
            online=pick.random() < 0.15,
            sort_title=reading,
            sort_creator=authors[0][1],
            suggestions=make_entries([(title, reading)], authors, [(topic,) for topic in topics[:2]]),
        )

    def _title(self) -> tuple[str, str, list[str]]:
        drawn = self._random.choices(self._topics, self._weights, k=4)
        words = dict(zip("abcd", (word for word, _ in drawn), strict=True))
        readings = dict(zip("ABCD", (reading for _, reading in drawn), strict=True))
        title, reading = self._random.choice(_SHAPES).format(**words, **readings).split("|")
        return title, reading, list(words.values())

    def _author(self) -> tuple[str, str]:
        family, given = self._random.choice(self._families), self._random.choice(self._given)
        return f"{family[0]}, {given[0]}", f"{family[1]}, {given[1]}"

    def _isbns(self) -> tuple[str, ...]:
        body = f"978{self._random.randrange(10**9):09d}"
        valid = (normalise("ISBN", f"{body}{check}") for check in range(10))
        return (next(filter(None, valid)),) if self._random.random() < 0.7 else ()
