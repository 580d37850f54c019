"""`manage.py libraries`: print all libraries as CSV or JSON; show or make the changes that a list contains."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from msgspec import structs

from aggregator.libraries.imports import SAME, Change, carry_out, counts, plan, rows_of
from aggregator.libraries.lists import UnreadableList, decode, read, write
from aggregator.models import Library
from core.commands import FAILED, USAGE, AggregatorCommand, fail


class Command(AggregatorCommand):
    help = (
        "Print all libraries with their codes, as CSV or JSON Lines (--json); or compare a list of libraries (CSV or "
        "TSV: the list of ISIL, CiNii's list of participants, or this command's output) with the database (--import) "
        "and apply its changes (--apply)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--import", dest="file", metavar="FILE", help="a list of libraries")
        parser.add_argument("--apply", action="store_true", help="with --import: make the changes, all or none")

    def handle(self, **options: Any) -> None:
        if options["file"]:
            self._import(options["file"], apply=options["apply"], as_json=options["json"])
            return
        shown = Library.objects.current().order_by("pk").prefetch_related("codes", "parent__codes")
        if not options["json"]:
            self.stdout.write(write(rows_of(shown)).decode("utf-8-sig"), ending="")
            return
        libraries = list(shown)
        for library, row in zip(libraries, rows_of(libraries), strict=True):
            codes = [{"scheme": code.scheme, "value": code.value} for code in library.codes.all()]
            self.print_json(row | {"codes": codes, "holdings": library.holdings, "edited": library.edited})

    def _import(self, file: str, *, apply: bool, as_json: bool) -> None:
        try:
            listed = read(decode(Path(file).read_bytes()))
        except (OSError, UnreadableList) as error:
            raise fail(f"{file}: {error}", USAGE) from error
        changes = plan(listed.rows)
        if as_json:
            self._print_json(changes)
        else:
            self._print(changes, listed.passed_over)
        if any(change.errors for change in changes):
            raise fail(_("No rows are imported until all errors are corrected."), FAILED)
        if apply:
            self.say(_("Imported: %(count)s rows caused changes.") % {"count": carry_out(changes, None)})

    def _print(self, changes: Sequence[Change], passed_over: Sequence[str]) -> None:
        if passed_over:
            self.stdout.write(_("Columns ignored: %(names)s") % {"names": ", ".join(passed_over)})
        for change in changes:
            if change.outcome != SAME:
                changed = [f"{one.field}: {one.before} → {one.after}" for one in change.differences]
                codes = [f"+ {code.scheme} {code.value}" for code in change.codes]
                line = _("Line %(line)s") % {"line": change.line}
                self.stdout.write(
                    " | ".join([f"{line} ({change.outcome})", change.name, *change.errors, *changed, *codes])
                )
        number = counts(changes)
        self.stdout.write(
            _("New: %(new)s. Changed: %(changed)s. Unchanged: %(same)s. With errors: %(error)s.") % number
        )

    def _print_json(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self.print_json(
                {
                    "line": change.line,
                    "outcome": change.outcome,
                    "name": change.name,
                    "codes": [structs.asdict(code) for code in change.codes],
                    "differences": [asdict(difference) for difference in change.differences],
                    "kept": change.kept,
                    "errors": change.errors,
                }
            )
