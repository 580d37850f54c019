"""Reads CSV and TSV files row by row; the headings map the columns to fields. Positions count rows. No network.

A broken row is rejected on its own: a quotation mark that is never closed must not swallow the rows after it.
"""

import csv
import re
from collections.abc import Iterator
from typing import IO

from harvesting.transports.documents.entries import Entry, Report, broken_record, content_identifier, identifier_warning
from harvesting.transports.documents.text_lines import Lines, LineTooLong, encoding_of
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.formats.json import read
from metadata.formats.json.columns import COLUMNS, map_headings, read_row
from metadata.identifiers import normalise
from metadata.issue import Issue

MAX_COLUMNS = 1000
MAX_RECOVERIES = 100  # broken rows, before the file is considered not to be a table
DELIMITERS = ",\t;|"
MAX_BROKEN_CHARACTERS = 64 * 1024  # stored of a broken row
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_TEXT_FORMULA = re.compile(r'="(.*)"\Z', re.DOTALL)  # ="0012" keeps a spreadsheet from reading digits as a number


def read_table(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """Yield the records of the rows.

    TransportError "file.encoding", "file.columns_many", "file.no_columns", "file.no_title", "file.table_broken" or
    "file.cut".
    """
    lines = Lines(stream, encoding_of(stream, source.encoding, report))
    try:
        headings, delimiter = _headings(lines)
        columns = _columns(headings, source, report)
        rows = _rows(lines, delimiter, report)
        for position, (number, row) in enumerate(rows, 1):
            if position > start:
                yield Entry(_record(row, columns, f"line {number}", report), position)
    finally:
        lines.detach()


def _headings(lines: Lines) -> tuple[list[str], str]:
    """Return the cells of the first line that is not empty, and the delimiter of the columns."""
    try:
        line = next((line for line in lines if line.strip(" \t\r\n,;|")), "")
    except LineTooLong as error:
        raise TransportError("no line of headings", "file.columns_many", permanent=True, most=MAX_COLUMNS) from error
    unquoted_line = _QUOTED.sub("", line)
    delimiter = max(DELIMITERS, key=unquoted_line.count)
    cells = next(csv.reader([line.strip("\r\n")], delimiter=delimiter), [])
    while cells and not cells[-1].strip():
        cells.pop()
    if len(cells) > MAX_COLUMNS:
        raise TransportError("too many columns", "file.columns_many", permanent=True, most=MAX_COLUMNS)
    return [cell.strip().removeprefix("\ufeff") for cell in cells], delimiter


def _columns(headings: list[str], source: Source, report: Report) -> list[str]:
    columns = map_headings(headings, source.columns)
    shown = ", ".join(headings)[:300]
    if not any(columns):
        raise TransportError("no heading is known", "file.no_columns", permanent=True, headings=shown)
    if "title" not in columns:
        raise TransportError("no column for the title", "file.no_title", permanent=True, headings=shown)
    unused = [heading for heading, column in zip(headings, columns, strict=True) if not column and heading]
    if unused:
        report.note("file.columns_unused", headings=", ".join(unused)[:300])
    missing = [heading for heading in source.columns if heading not in headings]
    if missing:
        report.note("file.columns_missing", headings=", ".join(missing)[:300])
    return columns


type Row = list[str] | str  # the cells, or the reason why the row cannot be read


def _rows(lines: Lines, delimiter: str, report: Report) -> Iterator[tuple[int, Row]]:
    """Yield (number of the first line, row) for each row that is not empty."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    recoveries = 0
    while True:
        lines.mark()
        first_line = lines.number + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            recoveries += 1
            if recoveries > MAX_RECOVERIES:
                raise TransportError(
                    "not a table", "file.table_broken", permanent=True, place=f"line {first_line}", reason=str(error)
                ) from error
            yield first_line, _recover(lines, error, first_line)
            continue
        except LineTooLong:
            yield first_line, "a line of more than a million characters"
            continue
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield first_line, row


def _recover(lines: Lines, error: csv.Error, first_line: int) -> str:
    """Put back the lines after the first one of a broken row, to be read again. Return why the row was rejected.

    TransportError "file.cut" if it is the last line and incomplete.
    """
    reason = str(error)
    if (
        "end of data" in reason
        and len(lines.read_since_mark) == 1
        and lines.at_end
        and not lines.read_since_mark[0].endswith("\n")
    ):
        raise TransportError("the last row breaks off", "file.cut", permanent=True, place=f"line {first_line}")
    raw = lines.read_since_mark[0][:MAX_BROKEN_CHARACTERS].strip() if lines.read_since_mark else ""
    lines.put_back(1)
    return f"{reason}: {raw[:200]}"


def _record(row: Row, columns: list[str], place: str, report: Report) -> HarvestedRecord:
    if isinstance(row, str):
        report.note("file.unnamed", incomplete=True)
        return broken_record(row.encode(), "", Issue(code="file.E002", field=place, value=row))
    if any(cell.strip() for cell in row[len(columns) :]):
        identifier = _identifier_cell(row, columns)
        if not identifier:
            report.note("file.unnamed", incomplete=True)
        value = f"{len(row)} cells, {len(columns)} headings"
        raw = "\t".join(row)[:MAX_BROKEN_CHARACTERS].encode("utf-8", "replace")
        return broken_record(raw, identifier, Issue(code="file.E002", field=place, value=value))
    cells = [(column, _unquoted(cell)) for column, cell in zip(columns, row, strict=False) if column]
    row_record = read_row(cells)
    payload = read.write(row_record.record)
    isbn = next(
        (
            normalise("ISBN", identifier.value)
            for identifier in row_record.record.identifiers
            if identifier.scheme == "ISBN"
        ),
        "",
    )
    identifier = row_record.identifier or (f"urn:isbn:{isbn}" if isbn else "")
    return HarvestedRecord(
        identifier=identifier or content_identifier(payload),
        datestamp=row_record.datestamp[:40],
        deleted=row_record.deleted and bool(identifier),
        payload=b"" if row_record.deleted and identifier else payload,
        issues=() if identifier else (identifier_warning(place),),
    )


def _identifier_cell(row: list[str], columns: list[str]) -> str:
    index = columns.index("identifier") if "identifier" in columns else len(row)
    return row[index].strip() if index < len(row) else ""


def _unquoted(cell: str) -> str:
    match = _TEXT_FORMULA.match(cell.strip())
    return match[1] if match else cell


FIELDS = tuple(COLUMNS)  # the fields to which a column may be mapped
