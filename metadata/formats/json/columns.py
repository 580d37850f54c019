"""Reads rows of tables as records: which headings name a column, and what its cells become. Pure; reads no files.

A cell may hold several values where the record does, separated by ; ； | or a line break.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Subject, Title
from metadata.text.folding import fold_tight
from metadata.vocabularies.dcndl import material_type_uri
from metadata.xml.parsing import strip_illegal

IGNORED = frozenset({"", "-", "ignore"})  # what a mapping may give in place of a name, to ignore the column
_SEVERAL = re.compile(r"\s*[;；|｜\n]\s*")


class Column(NamedTuple):
    """What the cells of a column become.

    field: the field of the record, "" for information about the row itself; several: whether a cell may hold many
    values.
    """

    field: str
    read: Callable[[str], Any]
    several: bool = True


def _identifier(scheme: str) -> Column:
    return Column("identifiers", lambda text: Identifier(scheme=scheme, value=text))


def _subject(scheme: str) -> Column:
    return Column("subjects", lambda text: Subject(value=text, scheme=scheme))


def _title(field: str) -> Column:
    return Column(field, lambda text: Title(value=text), several=field not in {"titles", "volumes"})


def _plain(field: str, *, several: bool = False) -> Column:
    return Column(field, str, several)


# Names that a mapping may give to a column. Readings belong to the values of their field, in the same order.
COLUMNS: dict[str, Column] = {
    "identifier": Column("", str, False),
    "datestamp": Column("", str, False),
    "deleted": Column("", str, False),
    "title": _title("titles"),
    "title_reading": Column("titles", str, False),
    "alternative": _title("alternatives"),
    "volume": _title("volumes"),
    "volume_title": _title("volume_titles"),
    "series": _title("series"),
    "series_reading": Column("series", str),
    "edition": _plain("editions"),
    "creator": Column("creators", lambda text: Agent(name=text)),
    "creator_reading": Column("creators", str),
    "contributor": Column("contributors", lambda text: Agent(name=text)),
    "responsibility": _plain("responsibility"),
    "publisher": Column("publishers", lambda text: Agent(name=text)),
    "publisher_reading": Column("publishers", str),
    "place": Column("places", str),
    "issued": _plain("issued"),
    "isbn": _identifier("ISBN"),
    "set_isbn": _identifier("SetISBN"),
    "issn": _identifier("ISSN"),
    "doi": _identifier("DOI"),
    "jpno": _identifier("JPNO"),
    "ncid": _identifier("NIIBibID"),
    "ndl_bib_id": _identifier("NDLBibID"),
    "subject": _subject(""),
    "ndc": _subject("NDC"),
    "ndc8": _subject("NDC8"),
    "ndc9": _subject("NDC9"),
    "ndc10": _subject("NDC10"),
    "ndlc": _subject("NDLC"),
    "language": _plain("languages", several=True),
    "extent": _plain("extents"),
    "price": _plain("prices"),
    "type": Column("material_types", lambda text: MaterialType(uri=material_type_uri(text), label=text)),
    "note": _plain("notes"),
    "abstract": _plain("abstracts"),
    "contents": _plain("contents", several=True),
    "rights": _plain("rights"),
    "url": _plain("see_also", several=True),
    "thumbnail": _plain("thumbnails", several=True),
    "call_number": Column("items", str, False),
    "location": Column("items", str, False),
    "holding_agent": Column("items", str, False),
}

# Headings as Japanese and English systems write them, compared without blanks, case and kana forms.
_HEADINGS = {
    "identifier": "識別子 ID レコードID 書誌ID 書誌番号 資料番号 資料コード 管理番号 登録番号 番号 record_id bibid",
    "datestamp": "更新日 更新日時 最終更新日 データ更新日 datestamp updated modified",
    "deleted": "削除 削除フラグ deleted",
    "title": "タイトル 書名 題名 本タイトル 資料名 誌名 標題 書名・誌名 タイトル名 title name",
    "title_reading": "タイトルヨミ タイトルよみ 書名ヨミ 書名よみ 書名カナ タイトルカナ "
    "ヨミ よみ タイトル読み 書名読み title_reading title_kana",
    "alternative": "別タイトル 別書名 副書名 その他のタイトル alternative alternative_title",
    "volume": "巻 巻次 巻号 巻数 巻冊次 volume vol",
    "volume_title": "各巻タイトル 巻タイトル 部編名 volume_title",
    "series": "シリーズ シリーズ名 叢書名 双書名 series",
    "series_reading": "シリーズヨミ シリーズ名ヨミ 叢書名ヨミ series_reading",
    "edition": "版 版次 版表示 edition",
    "creator": "著者 著者名 著者等 作者 編著者 編著者名 著編者 著者標目 責任者 author authors creator creators",
    "creator_reading": "著者ヨミ 著者よみ 著者名ヨミ 著者カナ "
    "著者名カナ 著者読み author_reading creator_reading author_kana",
    "contributor": "寄与者 訳者 編者 contributor contributors translator editor",
    "responsibility": "責任表示 著者表示 responsibility",
    "publisher": "出版者 出版社 発行者 発行所 出版社名 出版者名 発行元 publisher",
    "publisher_reading": "出版者ヨミ 出版社ヨミ publisher_reading",
    "place": "出版地 発行地 place",
    "issued": "出版年 出版年月 出版年月日 発行年 発行年月 発行年月日 刊行年 "
    "発売日 出版日 年 date year issued published publication_date",
    "isbn": "ISBN ISBN13 ISBN10 ISBN-13 ISBN-10 ISBNコード 国際標準図書番号",
    "set_isbn": "セットISBN set_isbn",
    "issn": "ISSN",
    "doi": "DOI",
    "jpno": "全国書誌番号 JPNO JP番号",
    "ncid": "NCID NII書誌ID",
    "ndl_bib_id": "国立国会図書館書誌ID NDL書誌ID NDLBibID",
    "subject": "件名 キーワード 主題 subject subjects keyword keywords",
    "ndc": "NDC 分類 分類記号 分類番号 日本十進分類 日本十進分類法",
    "ndc8": "NDC8 NDC(8)",
    "ndc9": "NDC9 NDC(9)",
    "ndc10": "NDC10 NDC(10)",
    "ndlc": "NDLC 国立国会図書館分類",
    "language": "言語 本文言語 language lang",
    "extent": "ページ ページ数 頁数 形態 形態事項 数量 大きさ 数量・大きさ pages extent",
    "price": "価格 定価 本体価格 price",
    "type": "資料種別 種別 資料区分 媒体 type",
    "note": "注記 備考 note notes",
    "abstract": "内容紹介 要旨 抄録 要約 内容 あらすじ 解題 abstract description summary",
    "contents": "目次 内容細目 contents",
    "rights": "権利 ライセンス rights licence license",
    "url": "URL リンク 詳細URL アドレス link url",
    "thumbnail": "書影 サムネイル thumbnail image",
    "call_number": "請求記号 ラベル call_number",
    "location": "配架場所 配置場所 所在 所蔵場所 場所 location",
    "holding_agent": "所蔵館 所蔵 図書館名 館名 library holding",
}
_BY_HEADING = {fold_tight(word): name for name, words in _HEADINGS.items() for word in (*words.split(), name)}
_YES = frozenset({"1", "true", "yes", "y", "削除", "済", "○", "はい", "deleted", "d"})


class Row(NamedTuple):
    """A row as a record, with the information about the row itself."""

    record: BibliographicRecord
    identifier: str = ""
    datestamp: str = ""
    deleted: bool = False


def known_heading(heading: str) -> str:
    """Return the column that the wording of a heading means ("書名" → "title"), or "" for an unknown heading."""
    return _BY_HEADING.get(fold_tight(heading), "")


def map_headings(headings: Iterable[str], columns: Mapping[str, str]) -> list[str]:
    """Return the name of the column for each heading, "" for none.

    columns: heading → name, as registered for the provider. All other headings are recognised by their wording. Instead
    of a column ("title"), the name may be the field of the record that it fills ("titles").
    """
    registered = {fold_tight(heading): name for heading, name in columns.items()}
    return [_canonical(registered.get(fold_tight(heading), known_heading(heading))) for heading in headings]


def _canonical(name: str) -> str:
    if name in COLUMNS or name in IGNORED:
        return "" if name in IGNORED else name
    return _BY_FIELD.get(name, "")


# Field of the record → its first column.
_BY_FIELD: dict[str, str] = {}
for _name, _column in COLUMNS.items():
    if _column.field:
        _BY_FIELD.setdefault(_column.field, _name)


def read_row(cells: Iterable[tuple[str, str]]) -> Row:
    """Read the record of one row. cells: (column, text); a column may occur several times; empty cells are ignored."""
    texts: dict[str, list[str]] = {}
    for name, text in cells:
        text = strip_illegal(text).strip()
        if name and text:
            values = _SEVERAL.split(text) if COLUMNS[name].several else [text]
            texts.setdefault(name, []).extend(filter(None, values))
    about = {name: texts.pop(name, [""])[0] for name in ("identifier", "datestamp", "deleted")}
    return Row(_record(texts), about["identifier"], about["datestamp"], about["deleted"].lower() in _YES)


def _record(texts: dict[str, list[str]]) -> BibliographicRecord:
    readings = {COLUMNS[name].field: texts.pop(name) for name in list(texts) if name.endswith("_reading")}
    holding: dict[str, Any] = {
        name: " ; ".join(texts.pop(name, ())) for name in ("holding_agent", "call_number", "location")
    }
    places = texts.pop("place", [])
    fields: dict[str, Any] = {}
    for name, values in texts.items():
        column = COLUMNS[name]
        converted = list(map(column.read, values))
        if column.field == "issued":
            fields["issued"] = converted[0]
        else:
            fields.setdefault(column.field, []).extend(converted)
    if len(places) == len(fields.get("publishers", ())):
        fields["publishers"] = _filled(fields.get("publishers", []), places, "location")
    for field, texts_of_field in readings.items():
        fields[field] = _filled(fields.get(field, []), texts_of_field, "transcription")
    if any(holding.values()):
        fields["items"] = [Item(**holding)]
    complete: dict[str, Any] = {
        name: value if isinstance(value, str) else tuple(value) for name, value in fields.items()
    }
    return BibliographicRecord(**complete)


def _filled(values: list[Any], parts: list[str], name: str) -> list[Any]:
    """Return the values with the attribute `name` set to the part in the same position, if there are as many parts."""
    if len(values) != len(parts):
        return values
    return [msgspec.structs.replace(value, **{name: part}) for value, part in zip(values, parts, strict=True)]
