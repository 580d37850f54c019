"""The notation in which people map the columns of CSV and TSV files to fields: one line "heading = field" per column.

No database access. The caller says which fields exist.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

LONGEST_HEADING = 200  # characters
MOST_COLUMNS = 200
_PAIR = re.compile(r"(.*)[=＝](.*)", re.DOTALL)  # Japanese input methods often produce the full-width sign


@dataclass(frozen=True, slots=True)
class ColumnError:
    """An error in a line. code: "form", "field", "twice" or "many"; text: the part of the line that is wrong."""

    code: str
    line: str
    text: str = ""


def parse_columns(lines: Iterable[str], fields: Collection[str] = ()) -> tuple[dict[str, str], list[ColumnError]]:
    """Return heading -> field, and the errors. fields: the names that exist; () = any.

    The field follows the last "=" of a line, so that a heading may contain that sign.
    """
    columns: dict[str, str] = {}
    errors = []
    for line in filter(None, (text.strip() for text in lines)):
        pair = _PAIR.fullmatch(line)
        heading, field = (part.strip() for part in pair.groups()) if pair else ("", "")
        error = _check_column(line, heading, field, fields, columns)
        if error:
            errors.append(error)
        else:
            columns[heading] = field
    if len(columns) > MOST_COLUMNS:
        errors.append(ColumnError("many", "", str(MOST_COLUMNS)))
    return columns, errors


def _check_column(
    line: str, heading: str, field: str, fields: Collection[str], columns: Mapping[str, str]
) -> ColumnError | None:
    if not heading or not field or len(heading) > LONGEST_HEADING:
        return ColumnError("form", line)
    if fields and field not in fields:
        return ColumnError("field", line, field)
    return ColumnError("twice", line, heading) if heading in columns else None


def write_columns(columns: Mapping[str, str]) -> str:
    """The columns as lines that `parse_columns` can read."""
    return "\n".join(f"{heading} = {field}" for heading, field in columns.items())
