"""Records of all kinds that citations distinguish, for the tests of the citation formats."""

from metadata.record import (
    Agent,
    BibliographicRecord,
    Date,
    Host,
    Identifier,
    Item,
    MaterialType,
    Relation,
    Subject,
    Title,
)

PAGE = "https://books.example.jp/books/R900000001-I1"


def kind(name: str, label: str = "") -> MaterialType:
    return MaterialType(uri=f"http://ndl.go.jp/ndltype/{name}", label=label)


BOTCHAN = BibliographicRecord(
    uri=PAGE,
    titles=(Title(value="坊っちゃん", transcription="ボッチャン"), Title(value="Botchan", language="en")),
    volumes=(Title(value="上"),),
    series=(Title(value="見本文庫 ; 12"),),
    editions=("改版",),
    creators=(
        Agent(
            name="夏目, 漱石, 1867-1916",
            transcription="ナツメ, ソウセキ, 1867-1916",
            uri="http://id.ndl.go.jp/auth/entity/00054222",
        ),
    ),
    contributors=(Agent(name="見本, 花子", role="編"), Agent(name="McClellan, Edwin", role="Translator")),
    publishers=(Agent(name="岩波書店", transcription="イワナミ ショテン", location="東京"),),
    publication_places=("JP",),
    issued="1950",
    dates=("1950.1",),
    identifiers=(Identifier(scheme="ISBN", value="9784003101032"), Identifier(scheme="JPNO", value="50000001")),
    subjects=(
        Subject(value="日本文学", scheme="NDLSH", uri="http://id.ndl.go.jp/auth/ndlsh/00568351"),
        Subject(value="913.6", scheme="NDC10"),
    ),
    languages=("jpn",),
    extents=("198p ; 15cm",),
    notes=("解説あり",),
    material_types=(kind("Book", "図書"),),
    items=(Item(holding_agent="見本図書館", call_number="913.6-N58", see_also=("https://library.example.jp/1",)),),
)
ARTICLE = BibliographicRecord(
    uri=PAGE,
    titles=(Title(value="書誌同定の評価", transcription="ショシ ドウテイ ノ ヒョウカ"),),
    creators=(Agent(name="見本, 太郎", transcription="ミホン, タロウ"), Agent(name="Smith, John Jr.")),
    issued="2019-03-15",
    host=Host(title="見本大学紀要", volume="12", number="3", pages="pp. 45-67", issn=("18806971",)),
    identifiers=(Identifier(scheme="DOI", value="10.1234/abc_1"),),
    languages=("jpn", "eng"),
    abstracts=("一行目\n二行目",),
    material_types=(kind("Article", "departmental bulletin paper"),),
)
THESIS = BibliographicRecord(
    titles=(Title(value="On Pipes & Flutes: 100% of {them}", language="en"),),
    creators=(Agent(name="寺田, 寅彦", transcription="テラダ, トラヒコ"),),
    contributors=(Agent(name="田中, 指導", role="Supervisor"),),
    issued="",
    other_dates=(Date(type="dateGranted", value="1908-10-05"),),
    degree_names=("博士（理学）",),
    degree_grantors=(Agent(name="見本大学"),),
    dissertation_numbers=("甲第5384号",),
    languages=("eng",),
    material_types=(kind("DoctoralDissertation", "doctoral thesis"),),
    see_also=("https://repository.example.jp/1",),
)
JOURNAL = BibliographicRecord(
    titles=(Title(value="図書館雑誌", transcription="トショカン ザッシ"),),
    creators=(Agent(name="日本図書館協会", transcription="ニホン トショカン キョウカイ"),),
    identifiers=(Identifier(scheme="ISSN", value="03854000"),),
    issued="1907",
    material_types=(kind("Journal", "雑誌"),),
)
DATASET = BibliographicRecord(
    titles=(Title(value="見本データ"),),
    creators=(Agent(name="見本研究所", kind="Organizational"),),
    abstracts=("気象の観測値",),
    issued="2020",
    formats=("text/csv",),
    material_types=(kind("ElectronicResource", "dataset"),),
    relations=(Relation(type="isPartOf", label="見本事業", uri="https://data.example.jp/"),),
)
CHAPTER = BibliographicRecord(
    titles=(Title(value="第2章"),),
    host=Host(title="見本論集", pages="10-20", identifiers=(Identifier(scheme="ISBN", value="9784003101018"),)),
    material_types=(kind("Article", "book part"),),
)
ALL = (BOTCHAN, ARTICLE, THESIS, JOURNAL, DATASET, CHAPTER)
