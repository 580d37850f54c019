"""Lists of providers as CSV (for spreadsheets) and JSON (for programs), written and read back. No database access."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from core.spreadsheet import as_csv
from harvesting.registry.bulk import COLUMNS, FEED, KEY, MOST_ROWS
from metadata.enrichment.fields import is_storable

QUOTE = "'"  # prefix of cells that a spreadsheet would take for a formula, and of cells that begin with a quote


class UnreadableFile(ValueError):
    """The file cannot be read as a list of providers. The message says why."""


def to_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return CSV with one row per feed."""
    return as_csv(COLUMNS, [[_quoted(row[name]) for name in COLUMNS] for row in rows])


def to_json(rows: Iterable[Mapping[str, object]]) -> dict[str, Any]:
    """Return one object per provider, with its feeds."""
    providers: dict[str, dict[str, Any]] = {}
    for row in rows:
        details = {name: row[name] for name in COLUMNS if name not in (*KEY, *FEED)}
        provider = providers.setdefault(str(row["number"]), {**details, "feeds": []})
        if row["base_url"]:
            provider["feeds"].append({name: row[name] for name in (*KEY, *FEED)})
    return {"repositories": list(providers.values())}


def read(content: str) -> list[dict[str, str]]:
    """Return the rows of a CSV or JSON file, one per feed. Raises UnreadableFile."""
    text = content.lstrip("\ufeff")
    rows = _from_json(text) if text.lstrip()[:1] in ("{", "[") else _from_csv(text)
    if not rows:
        raise UnreadableFile(_("The file has no rows."))
    if len(rows) > MOST_ROWS:
        raise UnreadableFile(_("At most %(count)s rows are allowed.") % {"count": MOST_ROWS})
    _check_texts(rows)
    return rows


def _from_csv(text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        _check_names(reader.fieldnames or ())
        return [{name: _unquoted(row.get(name) or "") for name in reader.fieldnames or ()} for row in reader]
    except csv.Error as error:
        raise UnreadableFile(_("Line %(line)s is not valid CSV.") % {"line": reader.line_num}) from error


def _from_json(text: str) -> list[dict[str, str]]:
    try:
        document = json.loads(text)
        providers = document["repositories"] if isinstance(document, dict) else document
        rows = []
        for provider in providers:
            details = {name: str(value) for name, value in provider.items() if name != "feeds"}
            rows += [
                details | {name: str(value) for name, value in feed.items()} for feed in provider.get("feeds") or [{}]
            ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableFile(_("This is not a JSON file of providers.")) from error
    _check_names({name for row in rows for name in row})
    return rows


def _check_names(names: Iterable[str]) -> None:
    unknown = sorted(set(names) - set(COLUMNS))
    if unknown:
        raise UnreadableFile(
            _("There is no column “%(name)s”. Columns available: %(names)s")
            % {"name": str(unknown[0])[:60], "names": ", ".join(COLUMNS)}
        )
    if "name" not in names:
        raise UnreadableFile(_("The column “%(name)s” is missing.") % {"name": "name"})


def _check_texts(rows: Iterable[Mapping[str, str]]) -> None:
    """Neither the database nor the XML that names a provider can hold every control character."""
    for number, row in enumerate(rows, 1):
        for name, text in row.items():
            if not is_storable(text):
                place = {"row": number, "name": name}
                raise UnreadableFile(_("Row %(row)s: “%(name)s” has a control character. Type it anew.") % place)


def _quoted(value: object) -> object:
    return f"{QUOTE}{value}" if isinstance(value, str) and value.startswith(QUOTE) else value


def _unquoted(text: str) -> str:
    return text.removeprefix(QUOTE)
