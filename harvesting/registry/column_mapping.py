"""Columns of CSV and TSV files as people write them: a line each, "heading = field". Pure.

Which fields there are is said by whoever asks; this knows only the notation.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

LONGEST_HEADING = 200  # characters
MOST_COLUMNS = 200
_PAIR = re.compile(r"(.*)[=＝](.*)", re.DOTALL)  # typed full-width as often as not


@dataclass(frozen=True, slots=True)
class ColumnError:
    """What is wrong with a line. code: "form", "field", "twice" or "many"; text: the part that is wrong."""

    code: str
    line: str
    text: str = ""


def parse_columns(lines: Iterable[str], fields: Collection[str] = ()) -> tuple[dict[str, str], list[ColumnError]]:
    """Heading -> field, and what is wrong. The field stands behind the last "=", so a heading may have one itself.

    fields: the names that are known; () = any.
    """
    columns: dict[str, str] = {}
    faults = []
    for line in filter(None, (each.strip() for each in lines)):
        pair = _PAIR.fullmatch(line)
        heading, field = (part.strip() for part in pair.groups()) if pair else ("", "")
        fault = _fault(line, heading, field, fields, columns)
        if fault:
            faults.append(fault)
        else:
            columns[heading] = field
    if len(columns) > MOST_COLUMNS:
        faults.append(ColumnError("many", "", str(MOST_COLUMNS)))
    return columns, faults


def _fault(
    line: str, heading: str, field: str, fields: Collection[str], columns: Mapping[str, str]
) -> ColumnError | None:
    if not heading or not field or len(heading) > LONGEST_HEADING:
        return ColumnError("form", line)
    if fields and field not in fields:
        return ColumnError("field", line, field)
    return ColumnError("twice", line, heading) if heading in columns else None


def write_columns(columns: Mapping[str, str]) -> str:
    """As `parse_columns` reads it."""
    return "\n".join(f"{heading} = {field}" for heading, field in columns.items())
