"""`manage.py fetch_schemas`: downloads the official XSD schemas, against which records are then validated."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.commands import FAILED, AggregatorCommand
from harvesting.http.fetch import Fetcher
from harvesting.messages import describe, happened
from harvesting.registry.transport import fetch_policy
from harvesting.trials.schema_files import Result, State, fetch_all
from metadata.formats import TARGET, xsd_roots
from metadata.validation.xsd.folder import SchemaFolder

WORDS = {
    State.NEW: gettext_lazy("new"),
    State.REPLACED: gettext_lazy("replaced"),
    State.UNCHANGED: gettext_lazy("unchanged"),
    State.FAILED: gettext_lazy("not received"),
}


class Command(AggregatorCommand):
    needs_database = False
    help = "Fetch the official schemas (XSD) of the formats, against which records can then be checked."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--folder",
            default="",
            help="where to store them; default: AGGREGATOR_SCHEMAS if it is set, else “schemas” in the data folder",
        )
        parser.add_argument(
            "--mirror",
            default="",
            metavar="URL",
            help="fetch them from this copy, where the files are at URL/HOST/PATH",
        )

    def handle(self, **options: Any) -> None:
        own = "" if settings.AGGREGATOR_SCHEMAS == settings.SHIPPED_SCHEMAS else settings.AGGREGATOR_SCHEMAS
        folder = Path(options["folder"] or own or settings.DATA_DIR / "schemas").resolve()
        results = []
        with Fetcher(fetch_policy()) as fetcher:
            for result in fetch_all(fetcher, folder, options["mirror"]):
                results.append(result)
                if not options["json"]:
                    self._report(result)
        faults = {name: SchemaFolder(folder).unusable_reason(tag) for name, tag in xsd_roots().items()}
        if options["json"]:
            self.print_json(summary(folder, results, faults))
        else:
            self._conclude(folder, faults)
        if any(result.state is State.FAILED for result in results):
            raise SystemExit(FAILED)

    def _report(self, result: Result) -> None:
        self.stdout.write(f"{result.address}: {WORDS[result.state]}")
        if result.error:
            self.stdout.write(f"  {_described(result)}")
            self.stdout.write(
                _("  By hand: put the file from %(address)s at %(path)s.")
                % {"address": result.address, "path": result.path}
            )

    def _conclude(self, folder: Path, faults: dict[str, str | None]) -> None:
        for name, fault in faults.items():
            self.stdout.write(f"{name}: {_usability(fault)}")
        if faults[TARGET.prefix] is None:
            self.stdout.write(
                _("No schema of DC-NDL is published at a fixed address; if you have one, put it in %(folder)s.")
                % {"folder": folder / TARGET.prefix}
            )
        if str(folder) != str(Path(settings.AGGREGATOR_SCHEMAS or ".").resolve()):
            self.stdout.write(_("To use them, set AGGREGATOR_SCHEMAS=%(folder)s") % {"folder": folder})
        self.stdout.write(_("Running workers and web servers use new schemas after a restart."))


def summary(folder: Path, results: list[Result], faults: dict[str, str | None]) -> dict[str, Any]:
    """The result of the command as one JSON object. fault: why a schema is unusable; "" = usable, null = no schema."""
    return {
        "folder": str(folder),
        "files": [
            {
                "address": result.address,
                "path": str(result.path),
                "state": result.state,
                "code": result.error.code if result.error else "",
                "message": _described(result),
            }
            for result in results
        ],
        "formats": [{"format": name, "usable": fault == "", "fault": fault} for name, fault in faults.items()],
    }


def _described(result: Result) -> str:
    """What happened and what to do, as text.

    The usual remedies for network errors speak of a provider. Here the address is a publisher's, so the remedy differs.
    """
    error = result.error
    if not error:
        return ""
    if not error.code.startswith(("net.", "http.")):
        return describe(error.code, error.facts)
    what, remedy = happened(error.code, error.facts), _("Try again later, or fetch from a mirror (--mirror).")
    return f"{what}{'' if what.endswith('。') else ' '}{remedy}"


def _usability(fault: str | None) -> str:
    if fault is None:
        return _("no schema installed; records in this format are not checked against one")
    if fault:
        return _("cannot be used: %(fault)s") % {"fault": fault}
    return _("records in this format are checked against the installed schema")
