"""The pages of docs/reference/crosswalks: the tables by which each format is read, as a cataloguer reads them."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from metadata.formats import CROSSWALKS, Format
from metadata.formats.common.base import Row, Step, Table
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import shorten
from metadata.xml.parsing import text

FIELDS = frozenset(BibliographicRecord.__struct_fields__)


def crosswalk_pages() -> dict[str, Iterator[str]]:
    """Return the lines of each page by its file name below docs/reference."""
    return {f"crosswalks/{prefix}.md": _page(known) for prefix, known in CROSSWALKS.items()}


def _page(known: Format) -> Iterator[str]:
    yield f"# Crosswalk of {known.label.en}"
    yield ""
    tables = list(_tables(known))
    if tables:
        yield "A table shows which field of the record (`metadata/record.py`) the parts of one element fill."
    if any(entry is None for _, table in tables for entry in table.values()):
        yield "“–” stands for a part that is known, but fills no field by itself."
    if known.rows:
        yield "A table shows which fields of the record (`metadata/record.py`), or elements of"
        yield "[JPCOAR](jpcoar.md), the parts become."
    yield "A name in brackets is not a field: its values are sorted into several fields after all elements are read."
    if tables and known.steps:
        yield "Numbers name the steps below that take these values."
    for name, table in tables:
        yield ""
        yield f"## `{name}`"
        yield ""
        yield "| element | field | how it is read |"
        yield "|---|---|---|"
        yield from (
            f"| `{shorten(tag)}` | {_field(entry, known)} | {_reading(entry)} |" for tag, entry in table.items()
        )
    if known.rows:
        yield from _rows(known.rows)
    if known.steps:
        yield from _steps(known.steps)
    yield ""
    yield "## Where each field comes from"
    yield ""
    yield "The element that messages name for a field; further elements may fill the same field."
    yield ""
    yield "| field | element |"
    yield "|---|---|"
    yield from (f"| `{name}` | `{element}` |" for name, element in sorted(known.elements.items()) if name in FIELDS)


def _tables(known: Format) -> Iterator[tuple[str, Table]]:
    """Yield the tables with the names of their elements, without those that repeat one in another namespace."""
    shown: list[set[tuple[str, object]]] = []
    for root, table in known.readers.items():
        entries: set[tuple[str, object]] = {(tag.rpartition("}")[2], entry) for tag, entry in table.items()}
        if any(table.values()) and not any(entries <= earlier for earlier in shown):
            shown.append(entries)
            yield shorten(root), table


def _rows(rows: Iterable[Row[Any, Any]]) -> Iterator[str]:
    yield from ("", "## What its parts become", "", "The rows are read in this order.", "")
    yield "| part | becomes | how it is read |"
    yield "|---|---|---|"
    for row in rows:
        parts = ", ".join(f"`{part}`" for part in row.sources.split())
        yield f"| {parts} | {_names(row.targets)} | {_escaped(row.words)} |"


def _steps(steps: Iterable[Step]) -> Iterator[str]:
    yield from ("", "## After all elements are read", "", "The steps are taken in this order.", "")
    yield "| step | from | to | rule |"
    yield "|---|---|---|---|"
    for number, step in enumerate(steps, 1):
        targets = _names(step.targets) or "–"
        yield f"| {number} | {_names(step.sources)} | {targets} | {_escaped(step.words)} |"


def _field(entry: tuple[str, Callable[..., Any]] | None, known: Format) -> str:
    if entry is None:
        return "–"
    numbers = [str(number) for number, step in enumerate(known.steps, 1) if entry[0] in step.sources.split()]
    return f"{_names(entry[0])} → {', '.join(numbers)}" if numbers else _names(entry[0])


def _names(names: str) -> str:
    """Return fields of the record, and elements of JPCOAR, as code, and other names in brackets."""
    return ", ".join(f"`{name}`" if name in FIELDS or ":" in name else f"({name})" for name in names.split())


def _escaped(words: str) -> str:
    return words.replace("|", "\\|")


def _reading(entry: tuple[str, Callable[..., Any]] | None) -> str:
    """Return the first sentence of the docstring of a reader, "" if it has none."""
    documented = inspect.getdoc(entry[1]) if entry and inspect.isfunction(entry[1]) else ""
    if entry and entry[1] is text:
        return "the text"
    sentence = " ".join((documented or "").split("\n\n")[0].split()).removeprefix("Return ")
    return sentence.replace("|", "\\|").replace("<", "&lt;")
