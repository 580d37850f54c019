"""Lists of libraries as files (CSV, TSV), read and written: the list of ISIL of the National Diet Library, CiNii's list
of participants, and our own columns. No database access.

Columns are recognised by their heads, in Japanese or English; unknown columns are passed over. Empty cells are ignored.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from aggregator.libraries.identify import FA, ISIL, NDL, Code, code_of
from aggregator.libraries.list_cells import POSTCODE, codes_in, prefecture_of, value_of
from core.spreadsheet import as_csv
from metadata.text.folding import fold_tight

FIELDS = (
    *("name", "reading", "name_en", "short_name", "kind", "prefecture", "municipality", "address", "latitude"),
    *("longitude", "telephone", "hours", "closed_days", "page", "link_template", "lends", "ill_terms", "closed_on"),
    "remarks",
)
CODES: Mapping[str, str] = {"ndl_lib_code": NDL, "isil": ISIL, "fa": FA}  # column -> scheme
COLUMNS = (*CODES, "codes", *FIELDS, "parent")  # of our own lists
MOST_ROWS = 20_000
QUOTE = "'"  # before cells that a spreadsheet would take for a formula
POSTAL = "postal"

HEADS: Mapping[str, tuple[str, ...]] = {
    "ndl_lib_code": ("NDLLibCode", "NDL図書館コード", "図書館コード", "NDL library code"),
    "isil": ("ISILコード", "図書館識別子"),
    "fa": ("FA番号", "FAID", "FANO", "図書館ID", "参加組織ID", "NACSIS FA id", "library id"),
    "codes": ("コード", "その他のコード", "other codes"),
    "name": (
        *("名称", "図書館名", "館名", "機関名", "機関名称", "機関の名称", "機関名(日本語)", "参加組織名", "組織名"),
        *("institution name in Japanese", "library", "library name"),
    ),
    "reading": (
        *("よみ", "読み", "カナ", "名称よみ", "名称(よみ)", "図書館名ヨミ", "館名ヨミ", "機関名(カナ)", "機関名ヨミ"),
        *("機関名(よみ)", "参加組織名ヨミ", "institution name in Japanese (kana form)", "kana", "name_yomi"),
    ),
    "name_en": (
        *("英語名", "英文名", "英名", "名称(英語)", "機関名(英語)", "機関名(英文)", "機関名(英字)", "英語名称"),
        *("institution name in English", "English name"),
    ),
    "short_name": ("略称", "館名略称", "参加組織略称", "abbreviation"),
    "kind": ("種別", "館種", "設置者種別", "図書館種別", "機関種別", "type"),
    "prefecture": ("都道府県", "都道府県コード", "都道府県名", "地域", "地域コード", "pref"),
    "municipality": ("市区町村", "市区町村コード", "市町村", "自治体コード", "市区町村名", "city"),
    "address": ("住所", "所在地", "postal address"),
    POSTAL: ("郵便番号", "postal code", "zip", "zipcode", "zip code"),
    "latitude": ("緯度", "lat"),
    "longitude": ("経度", "lon", "lng", "long"),
    "telephone": ("電話", "電話番号", "TEL", "telephone number", "phone"),
    "hours": ("開館時間", "opening hours"),
    "closed_days": ("休館日", "closed days"),
    "page": ("URL", "ホームページ", "ウェブサイト", "ウェブページ", "home page", "website"),
    "link_template": ("リンクテンプレート", "リンクの形式", "OpenURL", "link template"),
    "lends": ("相互貸借", "貸出可否", "ILL"),
    "ill_terms": ("相互貸借の条件", "ILL条件", "ILL terms"),
    "closed_on": ("閉館日", "廃止日", "廃止年月日", "closed on"),
    "remarks": ("備考", "注記", "note"),
    "parent": ("本館", "親館", "本館コード", "parent library", "branch of"),
}
_COLUMN_OF = {fold_tight(head): column for column, heads in HEADS.items() for head in (column, *heads)}


class UnreadableList(ValueError):
    """The file cannot be read as a list of libraries. The message says why."""


@dataclass(frozen=True, slots=True)
class Row:
    """A library of a list. line: where it begins in the file. values: what the list says, by field. parent: the code of
    the library of which it is a branch.
    """

    line: int
    codes: tuple[Code, ...]
    values: Mapping[str, object]
    parent: Code | None = None
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryList:
    """A list that was read. passed_over: the heads of the columns that are not known."""

    rows: tuple[Row, ...]
    passed_over: tuple[str, ...] = ()


def decode(content: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16 with a byte order mark, or the Shift_JIS of spreadsheets."""
    unicode = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    for encoding in (unicode, "cp932"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UnreadableList(_("The file is neither in UTF-8 nor in Shift_JIS."))


def read(text: str) -> LibraryList:
    """Read a list. Raises UnreadableList; what is wrong with single rows is in the rows."""
    plain = text.lstrip("\ufeff")
    separator = "\t" if "\t" in plain.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(plain, newline=""), delimiter=separator, strict=separator == ",")
    lines = _lines(reader)
    try:
        _line, heads = next(lines, (0, []))
        columns = _columns(heads)
        rows = tuple(_row(line, columns, cells) for line, cells in _bounded(lines))
    except csv.Error as error:
        raise UnreadableList(_("Line %(line)s is not valid CSV.") % {"line": reader.line_num}) from error
    if not rows:
        raise UnreadableList(_("The file has no rows."))
    return LibraryList(rows, tuple(head[:60] for head, column in zip(heads, columns, strict=True) if not column))


def write(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return libraries as CSV in our own columns, which `read` reads."""
    return as_csv(COLUMNS, ([_quoted(row.get(name, "")) for name in COLUMNS] for row in rows))


def _lines(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with the numbers of their first lines."""
    begins = 1
    for cells in reader:
        if any(map(str.strip, cells)):
            yield begins, cells
        begins = reader.line_num + 1  # type: ignore[attr-defined]  # csv.reader is not a plain iterator


def _bounded(lines: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines, 1):
        if number > MOST_ROWS:
            raise UnreadableList(_("At most %(count)s rows are allowed.") % {"count": MOST_ROWS})
        yield line


def _columns(heads: Sequence[str]) -> list[str]:
    """The columns of the heads; "" for one that is not known."""
    columns = [_COLUMN_OF.get(fold_tight(head), "") for head in heads]
    known = [column for column in columns if column]
    if twice := next((column for column in known if known.count(column) > 1), ""):
        raise UnreadableList(_("Two columns have the same meaning: “%(name)s”.") % {"name": twice})
    if not {*CODES, "codes"}.intersection(known):
        raise UnreadableList(
            _(
                "The first line has no column with codes, such as ISIL, FA番号 or NDLLibCode. "
                "Columns available: %(names)s"
            )
            % {"names": ", ".join(COLUMNS)}
        )
    return columns


def _row(line: int, columns: Sequence[str], cells: Sequence[str]) -> Row:
    errors: list[str] = []
    if len(cells) > len(columns):
        errors.append(_("The row has more cells than the first line."))
    given = {
        column: text
        for column, cell in zip(columns, cells, strict=False)
        if column and (text := cell.strip().removeprefix(QUOTE))
    }
    codes = _codes(given, errors)
    if not codes and not errors:
        errors.append(_("The row has no code."))
    return Row(line, codes, _values(given, errors), _parent(given, errors), tuple(errors))


def _codes(given: Mapping[str, str], errors: list[str]) -> tuple[Code, ...]:
    codes = [code for column, scheme in CODES.items() if (code := code_of(scheme, given.get(column, "")))]
    try:
        codes += codes_in(given.get("codes", ""))
    except ValueError as error:
        errors.append(str(error))
    return tuple(dict.fromkeys(codes))


def _parent(given: Mapping[str, str], errors: list[str]) -> Code | None:
    cell = given.get("parent", "")
    if "=" not in cell:
        return code_of("", cell)
    try:
        return next(codes_in(cell), None)
    except ValueError as error:
        errors.append(str(error))
        return None


def _values(given: Mapping[str, str], errors: list[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for field in FIELDS:
        if field not in given:
            continue
        try:
            value = value_of(field, given[field])
        except ValueError as error:
            errors.append(f"{field}: {error}")
            continue
        if value != "":
            values[field] = value
    return _placed(values, given.get(POSTAL, ""))


def _placed(values: dict[str, object], postal: str) -> dict[str, object]:
    """Complete the place: the prefecture by the municipality or the address, the address by the postal code."""
    municipality, address = str(values.get("municipality", "")), str(values.get("address", ""))
    if place := municipality[:2] or prefecture_of(address):
        values.setdefault("prefecture", place)
    if municipality and values["prefecture"] != municipality[:2]:
        del values["municipality"]  # the known municipality of this name is in another prefecture
    if postal and address and not POSTCODE.match(address):
        values["address"] = f"〒{postal.removeprefix('〒')} {address}"
    return values


def _quoted(value: object) -> object:
    return f"{QUOTE}{value}" if isinstance(value, str) and value.startswith(QUOTE) else value
