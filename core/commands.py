"""Base of all our management commands: language of the locale, --json, exit codes, progress."""

import errno
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NoReturn, Protocol, Self

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import translation
from django.utils.translation import get_supported_language_variant, to_language
from django.utils.translation import gettext as _
from tqdm import tqdm

from core.database.outages import LOST
from core.work.garbage import loading

DISK_ERRORS = frozenset({errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES, errno.EPERM})
LINE_ENDS = re.compile("[\x85\u2028\u2029]")
SUCCEEDED, FAILED, USAGE, PAUSED, WAITS_FOR_PERSON = range(5)


def locale_language() -> str:
    """Return a language of this site, from the locale variables of the environment (POSIX order), else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            with suppress(LookupError):
                return get_supported_language_variant(to_language(value.partition(".")[0]))
            return "en"
    return "en"


class AggregatorCommand(BaseCommand):
    """A command that prints in the language of the locale and can print JSON."""

    needs_database = True
    requires_system_checks: tuple[str, ...] = ()  # tags; overridden by commands that start harvests or the site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def run_from_argv(self, argv: list[str]) -> None:
        """Set the language before the arguments are parsed, so that errors about options are translated too."""
        with translation.override(locale_language()):
            try:
                super().run_from_argv(argv)
                sys.stdout.flush()
            except BrokenPipeError:  # the reader closed the pipe, as in `… | head`
                _discard_output()
            except LOST as error:  # a failure of the environment: no traceback
                self._end(error, database_error_text(error), argv)
            except OSError as error:
                if error.errno not in DISK_ERRORS:
                    raise
                self._end(error, disk_error_text(error), argv)

    def _end(self, error: Exception, text: str, argv: list[str]) -> NoReturn:
        """End the command after a failure of the environment, without a traceback unless there is --traceback."""
        if "--traceback" in argv:
            raise error
        self.say(text)
        try:
            if "--json" in argv:
                self.print_json({"error": text})
            sys.stdout.flush()
        except OSError:  # the output itself is on the full disk
            _discard_output()
        sys.exit(FAILED)

    def execute(self, *args: Any, **options: Any) -> Any:
        with translation.override(locale_language()):
            if self.needs_database and "django_migrations" not in connection.introspection.table_names():
                call_command(
                    "migrate", verbosity=0, interactive=False
                )  # this is the first command in a new data folder
            return super().execute(*args, **options)

    def check(self, *args: Any, **options: Any) -> None:
        """Django's; the checks of the site load every view."""
        with loading():
            super().check(*args, **options)

    def check_services(self, options: Mapping[str, Any]) -> None:
        """Check the database and the queue server, before a long-running process starts (unless --skip-checks)."""
        if not options["skip_checks"]:
            self.check(tags=["services"], include_deployment_checks=True)

    def print_json(self, value: Mapping[str, Any]) -> None:
        """Print a JSON object on one line. Line ends of Unicode are escaped: readers of JSON Lines may split there."""
        line = json.dumps(value, ensure_ascii=False, default=_json_value)
        self.stdout.write(LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", line))

    def say(self, text: str) -> None:
        """Print a line for people: on standard error, so that --json output stays clean."""
        self.stderr.write(text, ending="\n", style_func=lambda line: line)


def _json_value(value: Any) -> str:
    """Return a date and time in ISO 8601, anything else (lazy texts) as text."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _discard_output() -> None:
    """Let the interpreter flush into nothing at its end, instead of reporting the same error again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def disk_error_text(error: OSError) -> str:
    """The message for people when a file cannot be written."""
    place = f" ({error.filename})" if error.filename else ""
    return _(
        "A file could not be written: %(reason)s\nStored data is not lost. Check that the disk has free space and that"
        " the folder AGGREGATOR_DATA is writable; then run the command again (--traceback shows where it stopped)."
    ) % {"reason": f"{error.strerror or error}{place}"}


def database_error_text(error: Exception) -> str:
    """The message for people when the database is unreachable, full, locked by another process or not migrated."""
    return _(
        "The database is not available: %(reason)s\nStored data is not lost. Check that the database server is running,"
        " the disk has free space, all migrations are applied (`prepare`) and no other process is locking the database;"
        " then run the command again (--traceback shows where it stopped)."
    ) % {"reason": str(error).strip()}


def fail(text: str, exit_code: int = FAILED) -> CommandError:
    """Return the error to raise (`raise fail(...)`) that ends the command with a message."""
    return CommandError(text, returncode=exit_code)


def progress_bar(total: int | None, description: str) -> "Progress":
    """Return a progress bar on a terminal, else one that prints a line now and then; always on standard error."""
    if sys.stderr.isatty():
        return tqdm(total=total, desc=description, unit="rec", file=sys.stderr, dynamic_ncols=True, mininterval=0.2)
    return PlainProgress(total, description)


class Progress(Protocol):
    """Progress display of a long command. `total` may become known later."""

    total: Any

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: Any) -> Any: ...

    def update(self, n: int) -> Any: ...


class PlainProgress:
    """Progress as lines: one every PAUSE seconds, and one at the end."""

    PAUSE = 10.0  # seconds

    def __init__(self, total: int | None, description: str) -> None:
        self.total, self.description, self.done = total, description, 0
        self._said_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._say()

    def update(self, n: int) -> None:
        self.done += n
        if time.monotonic() - self._said_at >= self.PAUSE:
            self._say()

    def _say(self) -> None:
        self._said_at = time.monotonic()
        share = f"/{self.total}" if self.total else ""
        sys.stderr.write(f"{self.description}: {self.done}{share}\n")
