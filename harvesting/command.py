"""What all our management commands share: language of the locale, --json, exit codes, a progress bar."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import translation
from tqdm import tqdm

SUCCEEDED, FAILED, USAGE, PAUSED, WAITS_FOR_PERSON = range(5)


def locale_language() -> str:
    """ "ja" or "en", as the environment's locale says (POSIX order)."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "ja" if value.startswith("ja") else "en"
    return "en"


class AggregatorCommand(BaseCommand):
    """A command that speaks the language of the locale and can answer in JSON."""

    needs_database = True
    requires_system_checks: tuple[str, ...] = ()  # only what starts harvests or the site names its checks

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON on standard output and nothing else there")

    def execute(self, *args: Any, **options: Any) -> Any:
        with translation.override(locale_language()):
            if self.needs_database and "django_migrations" not in connection.introspection.table_names():
                call_command("migrate", verbosity=0, interactive=False)  # the first command in a new data folder
            return super().execute(*args, **options)

    def print_json(self, value: Mapping[str, Any]) -> None:
        """One JSON object on one line."""
        self.stdout.write(json.dumps(value, ensure_ascii=False, default=str))

    def print_json_lines(self, values: Iterable[Mapping[str, Any]]) -> None:
        for value in values:
            self.print_json(value)

    def say(self, text: str) -> None:
        """A line for people: on standard error, so that --json output stays clean."""
        self.stderr.write(text, ending="\n", style_func=lambda line: line)


def fail(text: str, exit_code: int = FAILED) -> CommandError:
    """The error to raise for a message that ends the command."""
    return CommandError(text, returncode=exit_code)


def progress_bar(total: int | None, description: str) -> "tqdm[Any]":
    """A bar on a terminal, a plain line now and then elsewhere; always on standard error."""
    on_terminal = sys.stderr.isatty()
    return tqdm(
        total=total,
        desc=description,
        unit="rec",
        file=sys.stderr,
        dynamic_ncols=on_terminal,
        mininterval=0.2 if on_terminal else 10,
        ascii=not on_terminal,
        leave=True,
    )
