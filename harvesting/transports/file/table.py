"""CSV and TSV as records, a row at a time, by the words that head the columns. Places count rows. Asks nobody.

A row that does not fit is rejected alone: a quotation mark that is never closed must not swallow the rows behind it.
"""

import csv
import re
from collections.abc import Iterator
from typing import IO

from harvesting.transports.documents.entries import Entry, Report, broken, content_name, unnamed
from harvesting.transports.documents.text_lines import Lines, LineTooLong, encoding_of
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.formats.json import read
from metadata.formats.json.columns import COLUMNS, mapping, read_row
from metadata.identifiers import normalise
from metadata.issue import Issue

MOST_COLUMNS = 1000
MOST_RECOVERIES = 100  # rows that break off, before the table is taken for something else
DELIMITERS = ",\t;|"
KEPT = 64 * 1024  # characters of a broken row
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_TEXT_FORMULA = re.compile(r'="(.*)"\Z', re.DOTALL)  # how spreadsheets are told that digits are a text


def read_table(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """TransportError "file.encoding", "file.no_columns", "file.no_title", "file.table_broken" or "file.cut"."""
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
    """The first line that is not empty, and what separates the columns."""
    try:
        line = next((each for each in lines if each.strip(" \t\r\n,;|")), "")
    except LineTooLong as error:
        raise TransportError("no line of headings", "file.columns_many", permanent=True, most=MOST_COLUMNS) from error
    bare = _QUOTED.sub("", line)
    delimiter = max(DELIMITERS, key=bare.count)
    cells = next(csv.reader([line.strip("\r\n")], delimiter=delimiter), [])
    while cells and not cells[-1].strip():
        cells.pop()
    if len(cells) > MOST_COLUMNS:
        raise TransportError("too many columns", "file.columns_many", permanent=True, most=MOST_COLUMNS)
    return [cell.strip().removeprefix("\ufeff") for cell in cells], delimiter


def _columns(headings: list[str], source: Source, report: Report) -> list[str]:
    columns = mapping(headings, source.columns)
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


type Row = list[str] | str  # a text says why there are no cells


def _rows(lines: Lines, delimiter: str, report: Report) -> Iterator[tuple[int, Row]]:
    """(number of its first line, cells) of each row that is not empty."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    recoveries = 0
    while True:
        lines.mark()
        first = lines.number + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            recoveries += 1
            if recoveries > MOST_RECOVERIES:
                raise TransportError(
                    "not a table", "file.table_broken", permanent=True, place=f"line {first}", reason=str(error)
                ) from error
            yield first, _recover(lines, error, first)
            continue
        except LineTooLong:
            yield first, "a line of more than a million characters"
            continue
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield first, row


def _recover(lines: Lines, error: csv.Error, first: int) -> str:
    """Reject the line that the trouble began in; the lines behind it are read again."""
    reason = str(error)
    if "end of data" in reason and len(lines.given) == 1 and lines.at_end and not lines.given[0].endswith("\n"):
        raise TransportError("the last row breaks off", "file.cut", permanent=True, place=f"line {first}")
    raw = lines.given[0][:KEPT].strip() if lines.given else ""
    lines.put_back(1)
    return f"{reason}: {raw[:200]}"


def _record(row: Row, columns: list[str], place: str, report: Report) -> HarvestedRecord:
    if isinstance(row, str):
        report.note("file.unnamed", incomplete=True)
        return broken(row.encode(), "", Issue(code="file.E002", field=place, value=row))
    if any(cell.strip() for cell in row[len(columns) :]):
        identifier = _identifier_cell(row, columns)
        if not identifier:
            report.note("file.unnamed", incomplete=True)
        value = f"{len(row)} cells, {len(columns)} headings"
        raw = "\t".join(row)[:KEPT].encode("utf-8", "replace")
        return broken(raw, identifier, Issue(code="file.E002", field=place, value=value))
    cells = [(column, _plain(cell)) for column, cell in zip(columns, row, strict=False) if column]
    found = read_row(cells)
    payload = read.write(found.record)
    isbn = next((normalise("ISBN", each.value) for each in found.record.identifiers if each.scheme == "ISBN"), "")
    identifier = found.identifier or (f"urn:isbn:{isbn}" if isbn else "")
    return HarvestedRecord(
        identifier=identifier or content_name(payload),
        datestamp=found.datestamp[:40],
        deleted=found.deleted and bool(identifier),
        payload=b"" if found.deleted and identifier else payload,
        issues=() if identifier else (unnamed(place),),
    )


def _identifier_cell(row: list[str], columns: list[str]) -> str:
    place = columns.index("identifier") if "identifier" in columns else len(row)
    return row[place].strip() if place < len(row) else ""


def _plain(cell: str) -> str:
    match = _TEXT_FORMULA.match(cell.strip())
    return match[1] if match else cell


FIELDS = tuple(COLUMNS)  # what a column may be registered as
