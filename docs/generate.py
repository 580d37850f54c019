"""Writes the pages of docs/reference that follow from the code: `.venv/bin/python docs/generate.py`.

`tests/test_docs.py` fails while a page differs from what this module makes.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import django

FOLDER = Path(__file__).resolve().parent / "reference"
sys.path.insert(0, str(FOLDER.parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
django.setup()

from django.core.management import get_commands, load_command_class  # noqa: E402  (after the setup)
from django.utils.translation import override  # noqa: E402

from metadata.catalogue import RULES, family_of, severity_label  # noqa: E402
from metadata.formats import CITATIONS, CROSSWALKS, READABLE, WRITERS  # noqa: E402
from metadata.policy import Profile  # noqa: E402
from sampleprovider.scenarios import SCENARIOS  # noqa: E402

GENERATED = "<!-- Made by docs/generate.py: do not edit. -->"
OF_EVERY_COMMAND = {
    *("help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks"),
}
OURS = ("aggregator", "harvesting")
KINDS = {
    "H": "HTTP",
    "T": "tokens and lists",
    "X": "XML and characters",
    "R": "records",
    "D": "dates",
    "I": "Identify",
    "E": "errors",
    "S": "sets",
    "Q": "ResourceSync",
    "F": "RSS",
}


def pages() -> dict[str, str]:
    """Name of the page -> its text."""
    with override("en"):
        made = {"commands.md": commands(), "formats.md": formats(), "rules.md": rules(), "faults.md": faults()}
        return {name: "\n".join([GENERATED, "", *lines]) + "\n" for name, lines in made.items()}


def commands() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "`python3 run.py manage COMMAND`, each with `--help`; most print JSON with `--json`. Besides,"
    yield "`python -m metadata PREFIX < record.xml` (inside `.venv`) shows what is read from one record,"
    yield "with its issues, or converts it."
    for name, app in sorted(get_commands().items()):
        if app in OURS:
            yield from command(app, name)


def command(app: str, name: str) -> Iterator[str]:
    parser = load_command_class(app, name).create_parser("manage.py", name)
    yield ""
    yield f"## `{name}`"
    yield ""
    yield " ".join((parser.description or "").split())
    options = [action for action in parser._actions if action.dest not in OF_EVERY_COMMAND]
    if options:
        yield ""
        yield "| option | |"
        yield "|---|---|"
        yield from (f"| {option(action)} | {cell(explained(action))} |" for action in options)


def option(action: argparse.Action) -> str:
    """How an option is written: `--from FROM`, `REPOSITORY`."""
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    if not action.option_strings:
        return f"`{value}`"
    return " ".join(f"`{' '.join(filter(None, (text, value)))}`" for text in action.option_strings)


def explained(action: argparse.Action) -> str:
    choices = f" ({', '.join(map(str, action.choices))})" if action.choices else ""
    return (action.help or "").replace("%%", "%") + choices


def formats() -> Iterator[str]:
    yield "# Formats"
    yield ""
    yield "| metadataPrefix, name | read | written as | schema |"
    yield "|---|---|---|---|"
    for name in dict.fromkeys([*READABLE, *WRITERS]):
        crosswalk, writer = CROSSWALKS.get(name), WRITERS.get(name)
        written = f"`{writer.media_type}`, `.{writer.ending}`" if writer else ""
        schema = crosswalk.schema if crosswalk else ""
        yield f"| `{name}` | {'yes' if name in READABLE else ''} | {written} | {schema} |"
    yield ""
    yield "Records are recognised by their root element, whatever prefix was asked for."
    yield f"Written only: {listed(CITATIONS)}."
    yield "MARC 21 files (ISO 2709), tables (CSV, TSV) and JSON Lines are read from files: see"
    yield "[files and feeds](../how-to/harvest-files-and-feeds.md)."


def listed(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]


def rules() -> Iterator[str]:
    yield "# Validation rules"
    yield ""
    yield f"All {len(RULES)} rules. Every rule has a page of its own on the site, in Japanese and English: `/rules/`."
    yield "A code never changes its meaning; its letter is the severity that the rule was given first."
    yield ""
    yield "| severity | effect |"
    yield "|---|---|"
    yield "| record error | the record is not registered; its earlier version stays in use |"
    yield "| item error | the value is dropped or replaced; the record is registered |"
    yield "| warning | the value is kept |"
    yield "| normalised | the value is changed, with a message |"
    yield "| normalised silently | the value is changed and counted |"
    yield "| information | nothing is changed |"
    yield ""
    yield "## Profiles"
    yield ""
    yield "How severe an issue is depends on the **profile** of the repository: `ndl` follows the guideline of NDL"
    yield "Search (the default for most formats), `irdb` the practice of IRDB (the default for JPCOAR and junii2), and"
    yield "`lax` is for providers that know neither. `register --profile` or the repository's page under"
    yield "`/admin/` sets it. There staff can also **switch** a single rule for one repository, off or to another"
    yield "severity, with a reason that is recorded. Rules about records that cannot be read can only be made stricter."
    yield "A change takes effect with the next harvest, and for stored records after `reread R…`."
    for family in dict.fromkeys(family_of(code) for code in RULES):
        yield ""
        yield f"## `{family}`"
        yield ""
        yield "| code | severity | issue | remedy | source |"
        yield "|---|---|---|---|---|"
        for code, rule in sorted(RULES.items()):
            if family_of(code) == family:
                cells = (f"`{code}`", severities(code), rule.en, rule.remedy_en, rule.source)
                yield f"| {' | '.join(map(cell, cells))} |"


def severities(code: str) -> str:
    """The usual severity, and that of the profiles with another one."""
    rule = RULES[code]
    others = [
        f"{profile}: {severity_label(severity, 'en') if severity else 'off'}"
        for profile in Profile
        if (severity := rule.profiles.get(profile, rule.severity)) is not rule.severity
    ]
    return "; ".join([severity_label(rule.severity, "en"), *others])


def faults() -> Iterator[str]:
    yield "# Faults of the sample provider"
    yield ""
    yield "How to use them: [test a harvester](../how-to/test-a-harvester.md). The column *kind* says what is at fault:"
    yield f"{', '.join(f'{letter} {name}' for letter, name in KINDS.items())}."
    yield ""
    yield "| name | strikes at | kind | protocol | what it does |"
    yield "|---|---|---|---|---|"
    for scenario in SCENARIOS.values():
        cells = (
            f"`{scenario.name}`",
            " ".join(scenario.places),
            " ".join(scenario.rows),
            scenario.protocol,
            scenario.en,
        )
        yield f"| {' | '.join(map(cell, cells))} |"


def cell(text: str) -> str:
    """Text that a table and HTML leave as it is."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
