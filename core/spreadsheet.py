"""CSV files for spreadsheet programs. Pure. No cell is taken for a formula, and Excel reads Japanese text."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Sequence

# Characters that spreadsheets take for the start of a formula, also in full width.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return CSV (RFC 4180) in UTF-8 with a byte order mark, which Excel needs; every cell is quoted."""
    return b"".join(csv_lines(header, rows))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Yield the lines of `as_csv` one at a time, so that a response can be sent while the rows are read."""
    yield codecs.BOM_UTF8 + _line(header)
    for row in rows:
        yield _line([_cell(value) for value in row])


def _line(cells: Sequence[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(cells)
    return text.getvalue().encode()


def _cell(value: object) -> str:
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text
