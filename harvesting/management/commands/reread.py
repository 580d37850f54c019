"""`manage.py reread`: converts and validates stored payloads again. After a crash it continues where it stopped."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from core.commands import FAILED, USAGE, AggregatorCommand, fail, progress_bar
from harvesting.models import Repository, Reread
from harvesting.rereading.decisions import Tally
from harvesting.rereading.run import (
    RereadBusy,
    Tallies,
    begin_or_resume,
    exclusive_reread,
    last_record,
    merge_tallies,
    preview,
    records_to_reread,
    run_batches,
    total,
)

STOPPED = 130  # the exit code of shells for Ctrl-C


class Command(AggregatorCommand):
    help = (
        "Convert and validate the stored payloads again after a rule, a profile or a crosswalk has changed. Sends no "
        "request to the providers. If the command is killed, the same command resumes where it stopped. Without "
        "a running dispatcher, run “aggregate” afterwards."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repositories", nargs="*", metavar="R…", help="repository numbers; default: all")
        parser.add_argument("--restart", action="store_true", help="start from the beginning instead of resuming")
        parser.add_argument("--dry-run", action="store_true", help="print what would change, and store nothing")
        parser.add_argument("--by-repository", action="store_true", help="also print a summary for each repository")

    def handle(self, **options: Any) -> None:
        numbers = options["repositories"]
        known = set(Repository.objects.filter(number__in=numbers).values_list("number", flat=True))
        for number in numbers:
            if number not in known:
                raise fail(_("There is no provider %(number)s.") % {"number": number}, USAGE)
        if options["dry_run"]:
            counts = self._preview(numbers)
            self._report(counts, options, {"dry_run": True})
            return
        try:
            with exclusive_reread():
                run, resumed = begin_or_resume(numbers, restart=options["restart"])
                self._continue(run, resumed)
        except RereadBusy as error:
            raise fail(_("Another reread is in progress. Wait until it ends."), FAILED) from error
        about = {"dry_run": False, "resumed": resumed, "started_at": run.started_at, "finished_at": run.finished_at}
        self._report(run.counts, options, about)

    def _preview(self, numbers: list[str]) -> dict[str, Any]:
        counts: dict[str, Any] = {}
        for tallies in self._with_progress(preview(numbers), records_to_reread(numbers, 0, last_record()).count()):
            counts = merge_tallies(counts, tallies)
        return counts

    def _continue(self, run: Reread, resumed: bool) -> None:
        if resumed:
            self.say(
                _(
                    "The reread started at %(started)s was not finished. It continues after %(records)d "
                    "records; use “--restart” to begin again."
                )
                % {
                    "started": date_format(localtime(run.started_at), "DATETIME_FORMAT"),
                    "records": total(run.counts).records,
                }
            )
        left = records_to_reread(run.repositories, run.position, run.last).count()
        try:
            for _tallies in self._with_progress(run_batches(run), left):
                pass
        except KeyboardInterrupt:
            self.say(_("Stopped. Completed work is saved; run the same command again to continue."))
            raise SystemExit(STOPPED) from None

    def _with_progress(self, batches: Iterator[Tallies], records: int) -> Iterator[Tallies]:
        with progress_bar(records, "reread") as bar:
            for tallies in batches:
                yield tallies
                bar.update(sum(tally.records for tally in tallies.values()))

    def _report(self, counts: dict[str, Any], options: dict[str, Any], about: dict[str, Any]) -> None:
        if options["json"]:
            values = {**_as_json(total(counts)), **about}
            if options["by_repository"]:
                values["repositories"] = {number: _as_json(Tally.of(counts[number])) for number in sorted(counts)}
            self.print_json(values)
            return
        if options["dry_run"]:
            self.stdout.write(_("Nothing was stored. A reread would have this result:"))
        for line in _lines(total(counts)):
            self.stdout.write(line)
        for number in sorted(counts) if options["by_repository"] else []:
            self.stdout.write(f"\n{number}")
            for line in _lines(Tally.of(counts[number])):
                self.stdout.write(f"  {line}")


def _as_json(tally: Tally) -> dict[str, Any]:
    names = ("before", "after", "added", "gone")
    codes = {code: dict(zip(names, tally.codes[code], strict=True)) for code in sorted(tally.codes)}
    return {**tally.as_json(), "codes": codes}


def _lines(tally: Tally) -> Iterator[str]:
    """The tally in words. Issues are listed one line per code, those with most changes first."""
    yield (
        _(
            "%(records)d records reread: %(changed)d changed, %(refused)d not registered under the "
            "current rules (their earlier version is kept), %(accepted)d registered that had been "
            "refused before, %(still_refused)d refused again. Issues: %(issues_before)d before, "
            "%(issues_after)d now."
        )
        % tally.as_json()
    )
    if tally.deleted:
        yield (
            _("%(deleted)d of these are deleted records, which were reread so that they can be restored.")
            % tally.as_json()
        )
    if tally.overtaken:
        yield _("%(overtaken)d records were harvested in the meantime and were left unchanged.") % tally.as_json()
    for code, (before, after, added, gone) in sorted(tally.codes.items(), key=_by_change):
        yield f"  {code}: {before} → {after}" + (f" (+{added} −{gone})" if added or gone else "")
    if tally.silent:
        silent = ", ".join(f"{code} × {count}" for code, count in sorted(tally.silent.items()))
        yield _("Normalised without a listed issue: %(codes)s") % {"codes": silent}


def _by_change(entry: tuple[str, list[int]]) -> tuple[int, str]:
    code, (_before, _after, added, gone) = entry
    return -(added + gone), code
