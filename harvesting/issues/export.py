"""Lists of findings as files: CSV, JSON, Excel. Streamed; no cell is ever a formula. No HTTP, no queries of its own.

XlsxWriter (BSD, no dependencies) writes rows to disk as they come ("constant_memory") and never asks for a formula
unless it is told to; pyexcelerate keeps the whole sheet in memory.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

import xlsxwriter
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from core.database.batches import chunks
from core.spreadsheet import csv_lines
from harvesting.issues.excerpts import visible
from harvesting.issues.lists import Row
from harvesting.issues.wording import Told, told
from harvesting.models import ResolvedIssue

MOST = 1_000_000  # rows of a text file
MOST_IN_EXCEL = 100_000  # a sheet holds a million, but nobody waits for it, and no page may take that long
STEP = 500
PIECE = 64 * 1024  # bytes

COLUMNS = (
    *("provider", "identifier", "id", "code", "severity", "place", "value", "changed_to"),
    *("message", "remedy", "first_found", "harvest", "how", "resolved"),
)


def as_csv(rows: Iterable[Row]) -> Iterator[bytes]:
    """One line for each finding, the values behind the headings COLUMNS."""
    return csv_lines(COLUMNS, _cells(rows))


def as_json(rows: Iterable[Row]) -> Iterator[bytes]:
    """One array of objects with the names COLUMNS."""
    yield b"["
    between = b"\n"
    for cells in _cells(rows):
        yield between + json.dumps(dict(zip(COLUMNS, cells, strict=True)), ensure_ascii=False).encode()
        between = b",\n"
    yield b"\n]\n"


def as_excel(rows: Iterable[Row]) -> IO[bytes]:
    """A workbook with one sheet, in a file that goes when it is closed."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 the response closes it
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet(_("Findings")[:31])
        bold = book.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        _widths(sheet)
        for place, name in enumerate(COLUMNS):
            sheet.write_string(0, place, name, bold)
        for line, cells in enumerate(_cells(rows), 1):
            for place, text in enumerate(cells):
                sheet.write_string(line, place, visible(text))
    file.seek(0)
    return file


def _widths(sheet: "xlsxwriter.worksheet.Worksheet") -> None:
    for first, last, width in ((0, 0, 12), (1, 2, 30), (3, 4, 14), (5, 7, 30), (8, 9, 60), (10, 13, 18)):
        sheet.set_column(first, last, width)


def _cells(rows: Iterable[Row]) -> Iterator[tuple[str, ...]]:
    for some in chunks(rows, STEP):
        yield from map(_of_one, told(some))


def _of_one(each: Told) -> tuple[str, ...]:
    row = each.row
    if row is None:
        raise ValueError("a rule in general is no line of a file")
    record = row.source_record
    resolved = row if isinstance(row, ResolvedIssue) else None
    run = row.harvest if isinstance(row, ResolvedIssue) else row.harvest_id
    return (
        record.repository.number,
        record.identifier,
        record.public_id,
        row.code,
        row.severity,
        row.field,
        row.value,
        row.result,
        each.sentence,
        each.remedy,
        _moment(row.found_at),
        str(run or ""),
        resolved.how if resolved else "",
        _moment(resolved.resolved_at) if resolved else "",
    )


def _moment(value: object) -> str:
    return localtime(value).isoformat(timespec="seconds") if value else ""  # type: ignore[arg-type]


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """A file piece by piece, closed behind the last."""
    with file:
        while piece := file.read(PIECE):
            yield piece
