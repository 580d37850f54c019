"""Tables as files that spreadsheets open. Pure: no cell is ever taken for a formula, and Excel reads the Japanese."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Sequence

# What spreadsheets take for the beginning of a formula, also in full width.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """CSV (RFC 4180) in UTF-8 with the mark by which Excel knows it; every cell quoted."""
    return b"".join(csv_lines(header, rows))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """The same line by line, for what is sent while it is read."""
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
