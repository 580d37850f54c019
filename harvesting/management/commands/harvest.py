"""`manage.py harvest R…`: harvests the feeds of a repository in the foreground."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandParser
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from core.commands import FAILED, PAUSED, SUCCEEDED, USAGE, WAITS_FOR_PERSON, AggregatorCommand, fail, progress_bar
from harvesting.harvest.run import create_harvest, find_claimable, harvest
from harvesting.harvest.start import scope_of
from harvesting.messages import describe
from harvesting.models import Feed, Harvest, RecordIssue
from harvesting.monitoring.wording import shown_state
from harvesting.records.decisions import Outcome
from harvesting.runs.coverage import open_gaps
from harvesting.runs.lifecycle import supersede
from harvesting.runs.observations import CHECKED, observations_for_report, reported
from harvesting.runs.results import Result, result_of
from harvesting.types import TransportError

STOPPED = 130  # the exit code of shells for Ctrl-C
SEVERITIES = dict(RecordIssue.SEVERITIES)
SAMPLE = 10  # identifiers shown of the deletions that wait for a decision


class Command(AggregatorCommand):
    requires_system_checks = ("site", "harvesting")
    help = (
        "Harvest a provider in the foreground. Exit code 0: succeeded; 1: failed; 2: wrong usage; 3: paused; 4: waits "
        "for a person's decision."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", help="repository number, for example R900000001")
        scope = parser.add_mutually_exclusive_group()
        scope.add_argument("--full", action="store_true", help="request all records, not only the changed ones")
        scope.add_argument(
            "--from",
            dest="from_date",
            default="",
            metavar="D",
            help="request the records with this datestamp or a later one",
        )
        scope.add_argument("--identifier", default="", metavar="ID", help="request only this record (GetRecord)")
        scope.add_argument("--gaps", action="store_true", help="request again the date windows that are missing")
        parser.add_argument(
            "--until", dest="until_date", default="", metavar="D", help="with --from: up to this datestamp"
        )

    def handle(self, **options: Any) -> None:
        window_problem = window_error(options["from_date"], options["until_date"])
        if window_problem:
            raise fail(window_problem, USAGE)
        feeds = list(Feed.objects.filter(repository__number=options["repository"]).select_related("repository"))
        if not feeds:
            raise fail(
                _("There is no repository %(number)s with a feed. See: manage.py register --help")
                % {"number": options["repository"]},
                USAGE,
            )
        carry_out = self._fill_gaps if options["gaps"] else self._harvest
        worst = max(carry_out(feed, options) for feed in feeds)
        if worst:
            raise SystemExit(worst)

    def _fill_gaps(self, feed: Feed, options: dict[str, Any]) -> int:
        """Harvest each open gap in a run of its own, which closes the gap. Return the highest exit code."""
        gaps = open_gaps(feed)
        if not gaps:
            self.say(_("%(feed)s has no gaps.") % {"feed": feed})
        return max((self._harvest(feed, options | scope_of(gap)) for gap in gaps), default=SUCCEEDED)

    def _harvest(self, feed: Feed, options: dict[str, Any]) -> int:
        try:
            run = _run_for(feed, options)
        except TransportError as error:
            return self._refuse(feed, error, options["json"])
        with progress_bar(None, str(feed)) as bar:

            def show(current: Harvest, outcomes: Counter[str]) -> None:
                bar.total = current.complete_list_size or bar.total
                bar.update(sum(outcomes.values()))

            try:
                harvest(run, show)
            except (KeyboardInterrupt, SystemExit):
                self.say(describe(run.code, run.facts))
                raise SystemExit(STOPPED) from None
        self._report(run, options["json"])
        return exit_code(run)

    def _refuse(self, feed: Feed, error: TransportError, as_json: bool) -> int:
        """Report the run of the feed that prevents a new one, with its state. Return its exit code."""
        active = feed.harvests.active().first()
        self.say(describe(error.code, error.facts))
        if active is None:
            return FAILED
        if as_json and active.state != Harvest.State.PAUSED:
            self.print_json(summary(active) | {"code": error.code, "message": describe(error.code, error.facts)})
        else:
            self._report(active, as_json)
        return exit_code(active)

    def _report(self, run: Harvest, as_json: bool) -> None:
        if as_json:
            self.print_json(summary(run))
            return
        for name in ("received", *Outcome):
            self.stdout.write(f"{column_label(name)}: {getattr(run, name)}")
        for severity, count in sorted(run.issue_counts.items()):
            self.stdout.write(f"  {SEVERITIES.get(severity, severity)}: {count}")
        for code, observation in sorted(observations_for_report(run).items()):
            self.stdout.write(f"  {observation.get('count', 1)} × {describe(code, observation.get('facts', {}))}")
        self.stdout.write(f"{shown_state(run)} {describe(run.code, run.facts)}".strip())
        for held in run.held_deletions.select_related("record")[:SAMPLE]:
            self.stdout.write(f"  - {held.record.identifier}")
        if run.resume_at:
            moment = date_format(localtime(run.resume_at), "DATETIME_FORMAT")
            self.stdout.write(_("The harvest resumes at %(time)s.") % {"time": moment})


def exit_code(run: Harvest) -> int:
    """The exit code for a run, which scripts rely on: 0 succeeded, 1 failed, 3 continues later, 4 waits for a person.

    A paused run without a time to resume waits for a person. A run of which every record was rejected has failed here.
    """
    if run.state == Harvest.State.PAUSED and not run.resume_at:
        return WAITS_FOR_PERSON
    if run.state in Harvest.ACTIVE:
        return PAUSED
    return SUCCEEDED if result_of(run) in {Result.SUCCEEDED, Result.PARTLY} else FAILED


def window_error(from_date: str, until_date: str) -> str:
    """What is wrong with a date window, as a sentence; "" if it can be requested (OAI-PMH 2.0, section 3.3)."""
    if until_date and not from_date:
        return _("--until needs --from.")
    for value in (from_date, until_date):
        if value and not is_datestamp(value):
            return _("“%(value)s” is not a date stamp. Write 2026-01-31 or 2026-01-31T00:00:00Z.") % {"value": value}
    if until_date and len(from_date) != len(until_date):
        return _("--from and --until must either both have a time, or both have none.")
    if until_date and from_date > until_date:
        return _("--from %(from)s is later than --until %(until)s.") % {"from": from_date, "until": until_date}
    return ""


def is_datestamp(value: str) -> bool:
    """Whether the text is an existing date in one of the two forms of OAI-PMH."""
    form = "%Y-%m-%d" if len(value) == 10 else "%Y-%m-%dT%H:%M:%SZ"
    try:
        moment = datetime.strptime(value, form).replace(tzinfo=UTC)
    except ValueError:
        return False
    return moment.strftime(form) == value


def column_label(name: str) -> str:
    """The translated label of a column of Harvest."""
    column = Harvest._meta.get_field(name)
    return str(getattr(column, "verbose_name", name))


def _run_for(feed: Feed, options: dict[str, Any]) -> Harvest:
    """The run to carry out: a new one for an explicit scope, else the one that waits to continue, else a new one."""
    scope = {name: options[name] for name in ("full", "from_date", "until_date", "identifier")}
    if any(scope.values()):
        supersede(feed)
        return create_harvest(feed, **scope)
    return find_claimable(feed) or create_harvest(feed)


def summary(run: Harvest) -> dict[str, Any]:
    """A run as a JSON object. Scripts rely on the keys."""
    counts = {name: getattr(run, name) for name in ("received", *map(str, Outcome))}
    return {
        "harvest": run.pk,
        "state": run.state,
        "result": result_of(run),
        "code": run.code,
        "message": describe(run.code, run.facts),
        **counts,
        "issues": run.issue_counts,
        "resume_at": run.resume_at,
        "notices": {
            code: observation.get("count", 1) for code, observation in sorted(reported(run.observations).items())
        },
        "schemas": CHECKED in run.observations,
        "held": run.held,
        "swept": run.swept,
        "gaps": len(open_gaps(run.feed)),
    }
