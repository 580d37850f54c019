"""Providers as files that people open: CSV for spreadsheets, JSON for programs; both are read back. No database."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from core.spreadsheet import as_csv
from harvesting.registry.bulk import COLUMNS, FEED, KEY, MOST_ROWS

QUOTE = "'"  # before a cell that a spreadsheet would take for a formula; and before one that begins with it itself


class UnreadableFile(ValueError):
    """The file cannot be read as a list of providers; the text says why."""


def to_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """One row a feed."""
    return as_csv(COLUMNS, [[_quoted(row[name]) for name in COLUMNS] for row in rows])


def to_json(rows: Iterable[Mapping[str, object]]) -> dict[str, Any]:
    """One object a provider, with its feeds."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        about = {name: row[name] for name in COLUMNS if name not in (*KEY, *FEED)}
        one = found.setdefault(str(row["number"]), {**about, "feeds": []})
        if row["base_url"]:
            one["feeds"].append({name: row[name] for name in (*KEY, *FEED)})
    return {"repositories": list(found.values())}


def read(content: str) -> list[dict[str, str]]:
    """The rows of a file of either kind. Raises UnreadableFile."""
    text = content.lstrip("\ufeff")
    rows = _from_json(text) if text.lstrip()[:1] in ("{", "[") else _from_csv(text)
    if not rows:
        raise UnreadableFile(_("There is no row in it."))
    if len(rows) > MOST_ROWS:
        raise UnreadableFile(_("At most %(count)s rows.") % {"count": MOST_ROWS})
    return rows


def _from_csv(text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        _check_names(reader.fieldnames or ())
        return [{name: _unquoted(row.get(name) or "") for name in reader.fieldnames or ()} for row in reader]
    except csv.Error as error:
        raise UnreadableFile(_("Line %(line)s is not CSV.") % {"line": reader.line_num}) from error


def _from_json(text: str) -> list[dict[str, str]]:
    try:
        found = json.loads(text)
        providers = found["repositories"] if isinstance(found, dict) else found
        rows = []
        for each in providers:
            about = {name: str(value) for name, value in each.items() if name != "feeds"}
            rows += [about | {name: str(value) for name, value in feed.items()} for feed in each.get("feeds") or [{}]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableFile(_("This is not a JSON file of providers.")) from error
    _check_names({name for row in rows for name in row})
    return rows


def _check_names(names: Iterable[str]) -> None:
    unknown = sorted(set(names) - set(COLUMNS))
    if unknown:
        raise UnreadableFile(
            _("There is no column “%(name)s”. There are: %(names)s")
            % {"name": str(unknown[0])[:60], "names": ", ".join(COLUMNS)}
        )
    if "name" not in names:
        raise UnreadableFile(_("The column “%(name)s” is missing.") % {"name": "name"})


def _quoted(value: object) -> object:
    return f"{QUOTE}{value}" if isinstance(value, str) and value.startswith(QUOTE) else value


def _unquoted(text: str) -> str:
    return text.removeprefix(QUOTE)
