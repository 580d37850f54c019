"""Exports lists of issues as CSV, JSON or Excel files, streamed. No cell is ever a formula. No HTTP.

XlsxWriter (BSD licence, no dependencies) is used because it writes rows to disk as they come ("constant_memory") and
formulas only on request; pyexcelerate keeps the whole sheet in memory.
"""

import json
from collections.abc import Iterable, Iterator
from typing import IO

import xlsxwriter
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from core import temporary_files
from core.database.batches import chunks
from core.spreadsheet import csv_lines
from harvesting.issues.excerpts import show_invisible
from harvesting.issues.lists import Row
from harvesting.issues.wording import IssueWording, word_issues
from harvesting.models import ResolvedIssue

MOST = 1_000_000  # rows of a text file
MOST_IN_EXCEL = 100_000  # rows; a sheet can hold a million, but that would take longer than a request may
STEP = 500  # issues that are worded at a time
PIECE = 64 * 1024  # bytes

COLUMNS = (
    *("provider", "identifier", "id", "code", "severity", "place", "value", "changed_to"),
    *("message", "remedy", "first_found", "harvest", "how", "resolved"),
)


def as_csv(rows: Iterable[Row]) -> Iterator[bytes]:
    """A heading line with COLUMNS, then one line per issue."""
    return csv_lines(COLUMNS, _cells(rows))


def as_json(rows: Iterable[Row]) -> Iterator[bytes]:
    """An array with one object per issue; the keys are COLUMNS."""
    yield b"["
    separator = b"\n"
    for cells in _cells(rows):
        yield separator + json.dumps(dict(zip(COLUMNS, cells, strict=True)), ensure_ascii=False).encode()
        separator = b",\n"
    yield b"\n]\n"


def as_excel(rows: Iterable[Row]) -> IO[bytes]:
    """A workbook with one sheet, in a temporary file that disappears when it is closed."""
    file = temporary_files.unnamed()  # the response closes it
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet(_("Issues")[:31])
        bold = book.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        _widths(sheet)
        for column, name in enumerate(COLUMNS):
            sheet.write_string(0, column, name, bold)
        for line, cells in enumerate(_cells(rows), 1):
            for column, text in enumerate(cells):
                sheet.write_string(line, column, show_invisible(text))
    file.seek(0)
    return file


def _widths(sheet: "xlsxwriter.worksheet.Worksheet") -> None:
    for first, last, width in ((0, 0, 12), (1, 2, 30), (3, 4, 14), (5, 7, 30), (8, 9, 60), (10, 13, 18)):
        sheet.set_column(first, last, width)


def _cells(rows: Iterable[Row]) -> Iterator[tuple[str, ...]]:
    for chunk in chunks(rows, STEP):
        yield from map(_cells_of_issue, word_issues(chunk))


def _cells_of_issue(wording: IssueWording) -> tuple[str, ...]:
    row = wording.row
    if row is None:
        raise ValueError("the wording of a rule has no issue to export")
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
        wording.sentence,
        wording.remedy,
        _iso_time(row.found_at),
        str(run or ""),
        resolved.how if resolved else "",
        _iso_time(resolved.resolved_at) if resolved else "",
    )


def _iso_time(value: object) -> str:
    return localtime(value).isoformat(timespec="seconds") if value else ""  # type: ignore[arg-type]


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in pieces; close it after the last one."""
    with file:
        while piece := file.read(PIECE):
            yield piece
