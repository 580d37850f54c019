"""Generates the pages of docs/reference about commands, formats, crosswalks, rules, faults and loans from the code.

Run `.venv/bin/python docs/generate.py`. `tests/test_docs.py` fails while a page differs from what this module makes.
"""

import argparse
import os
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import django

FOLDER = Path(__file__).resolve().parent / "reference"
sys.path.insert(0, str(FOLDER.parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
django.setup()

from django.core.management import get_commands, load_command_class  # noqa: E402  (after the setup)
from django.utils.translation import override  # noqa: E402

from aggregator.loans.iso18626.errors import ERRORS  # noqa: E402
from aggregator.loans.states import ACTIONS, REASONS, SIDES, STATES, TRANSITIONS, Action, Kind  # noqa: E402
from docs.crosswalks import crosswalk_pages  # noqa: E402
from metadata.catalogue import RULES, family_of, severity_label  # noqa: E402
from metadata.formats import CROSSWALKS, FORMATS, WRITERS  # noqa: E402
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
    """Return the text of each generated page by its file name."""
    with override("en"):
        made = {
            "commands.md": commands(),
            "formats.md": formats(),
            "rules.md": rules(),
            "faults.md": faults(),
            "loans.md": loans(),
            **crosswalk_pages(),
        }
        return {name: "\n".join([GENERATED, "", *lines]) + "\n" for name, lines in made.items()}


def commands() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "Run a command as `python3 run.py manage COMMAND`. `COMMAND --help` shows its options; with `--json`, most"
    yield "commands print JSON. One more command is not in the list: `.venv/bin/python -m metadata PREFIX < record.xml`"
    yield "prints the fields and the issues of one record, or converts the record to another format; with `--to jalc`"
    yield "or `--to crossref` to the document with which JaLC or Crossref registers its DOI."
    for name, app in sorted(get_commands().items()):
        if app in OURS:
            yield from command(app, name)


def command(app: str, name: str) -> Iterator[str]:
    parser = load_command_class(app, name).create_parser("manage.py", name)
    yield ""
    yield f"## `{name}`"
    yield ""
    yield " ".join((parser.description or "").split())
    options = [
        action for action in parser._actions if action.dest not in OF_EVERY_COMMAND and action.help != argparse.SUPPRESS
    ]
    if options:
        yield ""
        yield "| option | |"
        yield "|---|---|"
        yield from (f"| {cell(option(action))} | {cell(explained(action))} |" for action in options)


def option(action: argparse.Action) -> str:
    """Return an option or argument as a user types it: `--from FROM`, `REPOSITORY`."""
    names = action.metavar or action.dest.upper()
    value = "" if action.nargs == 0 else names if isinstance(names, str) else " ".join(names)
    if not action.option_strings:
        return f"`{value}`"
    return " ".join(f"`{' '.join(filter(None, (text, value)))}`" for text in action.option_strings)


def explained(action: argparse.Action) -> str:
    choices = f" (one of: {', '.join(map(str, action.choices))})" if action.choices else ""
    return (action.help or "").replace("%%", "%") + choices


def formats() -> Iterator[str]:
    yield "# Formats"
    yield ""
    yield "## Formats that are read"
    yield ""
    yield "From the richest to the poorest: a description in a richer format replaces one in a poorer format. The"
    yield "format of a record is recognised by its root element, even if another metadataPrefix was requested."
    yield ""
    yield "| format | metadataPrefix | other names | profile |"
    yield "|---|---|---|---|"
    for known in sorted(FORMATS.values(), key=lambda known: known.rank):
        prefixes, aliases = listed(known.prefixes or (known.prefix,)), listed(known.aliases)
        yield row(known.label.en, prefixes, aliases, f"`{known.profile}`")
    yield ""
    yield "“Other names” are metadataPrefixes that providers use for the format. “Profile” is the usual"
    yield "[profile](rules.md#profiles) of providers in this format. MARC 21 files (ISO 2709), tables (CSV, TSV) and"
    yield "JSON Lines are read from files: see [files and feeds](../how-to/harvest-files-and-feeds.md)."
    yield ""
    yield "These pages show the tables by which the formats are read:"
    yield ", ".join(f"[{known.label.en}](crosswalks/{prefix}.md)" for prefix, known in CROSSWALKS.items()) + "."
    yield ""
    yield "## Formats that are written"
    yield ""
    yield "| name | media type, ending | offered by | schema |"
    yield "|---|---|---|---|"
    for writer in WRITERS.values():
        places = {"OAI-PMH": writer.oai, "SRU": writer.books and writer.namespace, "pages of books": writer.books}
        offered = ", ".join(place for place, is_offered in places.items() if is_offered)
        yield row(f"`{writer.name}`", f"`{writer.media_type}`, `.{writer.ending}`", offered, writer.schema)


def listed(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]


def rules() -> Iterator[str]:
    yield "# Validation rules"
    yield ""
    yield f"This page lists all {len(RULES)} rules. On the site, every rule has its own page in Japanese and English"
    yield "(`/rules/`). The meaning of a code never changes; its letter is the severity that the rule had when it"
    yield "was added. In the texts, `{field}` stands for the element, `{value}` for the value concerned and"
    yield "`{result}` for the value registered."
    yield ""
    yield "| severity | effect |"
    yield "|---|---|"
    yield "| record error | the record is not registered; its earlier version stays in use |"
    yield "| item error | the value is dropped or replaced; the record is registered |"
    yield "| warning | the value is kept |"
    yield "| normalised | the value is changed, and the issue is reported |"
    yield "| normalised silently | the value is changed, and the issue is only counted |"
    yield "| information | nothing is changed |"
    yield ""
    yield "## Profiles"
    yield ""
    yield "How severe an issue is depends on the **profile** of the provider: `ndl` follows the guideline of NDL"
    yield "Search (the default for most formats), `irdb` follows the practice of IRDB (the default for JPCOAR and"
    yield "junii2), and `lax` is for providers that follow neither. The profile is set with `register --profile` or"
    yield "on the provider's page under `/admin/`. On that page staff can also **switch** a single rule for this"
    yield "provider: they switch it off or give it another severity, with a reason that is recorded. Rules about"
    yield "records that cannot be read can only be made stricter. A change takes effect with the next harvest, and"
    yield "for stored records after `reread R…`."
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
    """Return the usual severity of a rule, and the severities of the profiles in which it differs."""
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
    yield "The sample provider is a small server for testing harvesters. It has one of these faults at a time, chosen"
    yield "by name. [Test a harvester](../how-to/test-a-harvester.md) describes how to start it, and what “once”,"
    yield "“twice”, “at every try” and “second harvest” mean."
    yield ""
    yield "* **places**: `first` if the fault can be limited to the first page of a list (`NAME@first`), `last` if it"
    yield "  can be limited to the last page (`NAME@last`)."
    yield "* **kind**: a letter and a number. Faults with the same letter and number are alike; `faultmatrix --only H5`"
    yield "  tests all faults of one kind. The letter says what is at fault:"
    letters = f"{', '.join(f'{letter} {name}' for letter, name in KINDS.items())}."
    yield from textwrap.wrap(letters, 118, initial_indent="  ", subsequent_indent="  ")
    yield ""
    yield "| name | places | kind | protocol | what the provider does |"
    yield "|---|---|---|---|---|"
    for scenario in SCENARIOS.values():
        cells = (
            f"`{scenario.name}`",
            " ".join(scenario.places),
            " ".join(scenario.rows),
            scenario.protocol,
            scenario.description("en"),
        )
        yield f"| {' | '.join(map(cell, cells))} |"


def loans() -> Iterator[str]:
    yield "# Interlibrary loans"
    yield ""
    yield "## States"
    yield ""
    yield "| state | 日本語 | NACSIS-ILL | ISO 18626 | copies (複写): NACSIS-ILL | ISO 18626 |"
    yield "|---|---|---|---|---|---|"
    for words in STATES.values():
        of_copy = (words.nacsis_copy, words.iso_copy)
        yield row(words.en, words.ja, words.nacsis, " ".join((words.iso, *words.iso_also)), *of_copy)
    yield ""
    yield "“Overdue” is only shown: it follows from the date due and today’s date in Japan. For copies, the last two"
    yield "columns say what differs."
    yield ""
    yield "## Actions"
    yield ""
    yield "| action | 日本語 | NACSIS-ILL | ISO 18626 | by | from | to |"
    yield "|---|---|---|---|---|---|---|"
    for action in Action:
        yield from transitions(action)
    yield ""
    yield "A loan ends when the lending library has the item back, a copy when it has arrived."
    yield ""
    yield "## Reasons of a refusal"
    yield ""
    yield "| reason | 日本語 | ReasonUnfilled of ISO 18626 |"
    yield "|---|---|---|"
    yield from (row(words.en, words.ja, words.iso) for words in REASONS.values())
    yield ""
    yield "## Errors in messages of ISO 18626"
    yield ""
    yield "Versions 1.0 to 2021-2 are read. The confirmation of a message that cannot be used contains the code and the"
    yield "text of the error. In the texts, `{place}` stands for the element and `{value}` for the value concerned."
    yield ""
    yield "| code | errorType | error | remedy |"
    yield "|---|---|---|---|"
    yield from (row(f"`{code}`", text.iso, text.en, text.remedy_en) for code, text in ERRORS.items())


def transitions(action: Action) -> Iterator[str]:
    """The rows of an action: one for each library, kind and result; kinds with the same result share a row."""
    words, found = ACTIONS[action], {}
    for (state, side, of_action, kind), result in TRANSITIONS.items():
        if of_action is action:
            after = "unchanged" if result is state else STATES[result].en
            found.setdefault((side, after), {}).setdefault(state, set()).add(kind)
    for (side, after), states in found.items():
        of_row = set.union(*states.values())
        before = ", ".join(STATES[state].en + only(kinds, of_row) for state, kinds in states.items())
        by = SIDES[side].en + only(of_row, set(Kind))
        yield row(words.en, words.ja, words.nacsis, words.iso, by, before, after)


def only(kinds: set[Kind], usual: set[Kind]) -> str:
    return "" if kinds == usual else f" ({', '.join(sorted(kinds))})"


def row(*cells: str) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def cell(text: str) -> str:
    """Return the text escaped for a cell of a Markdown table, on one line."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    (FOLDER / "crosswalks").mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
