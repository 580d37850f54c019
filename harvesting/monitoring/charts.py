"""The plots of providers: last runs, records with issues by day, the last days of listed providers, and the next runs.

Does not read source records.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.plots.columns import Columns, Datum, columns
from core.plots.figure import Plot, Series, plot
from harvesting.models import DailyCount, Harvest
from harvesting.monitoring.progress import duration
from harvesting.monitoring.wording import shown_state

DAYS = 60  # in a plot by day
STRIP = 30  # days in a list
HOURS = 24  # of the next runs
# The CSS classes of the series, which are their colours.
UNCHANGED, RECEIVED, DELETED, DOUBTFUL, FAILED = "series-7", "series-0", "series-6", "series-3", "series-4"


def runs_by_records(runs: Sequence[Harvest]) -> Plot | None:
    """Plot the records of each run by outcome. runs: newest first; the plot shows the oldest first."""
    series = (
        Series(UNCHANGED, _("Unchanged")),
        Series(RECEIVED, _("New and changed")),
        Series(DELETED, _("Deleted")),
        Series(DOUBTFUL, _("Not registered")),
    )
    data = [
        Datum(
            label=f"#{run.pk}",
            counts=(run.unchanged, run.created + run.updated, run.deleted, run.rejected),
            text=_(
                "%(begun)s: %(received)s records, %(changed)s new or changed, %(rejected)s not registered, %(state)s"
            )
            % {
                "begun": _begun(run),
                "received": f"{run.received:,}",
                "changed": f"{run.created + run.updated:,}",
                "rejected": f"{run.rejected:,}",
                "state": shown_state(run),
            },
            url=reverse("harvest", args=[run.pk]),
        )
        for run in reversed(runs)
    ]
    return plot(_("Records per harvest"), _("Harvest"), _("records"), series, data)


def runs_by_duration(runs: Sequence[Harvest]) -> Plot | None:
    """Plot the working time of each run in seconds. runs: newest first; the plot shows the oldest first."""
    series = (Series(RECEIVED, _("Processing time")), Series(FAILED, _("Failed")))
    data = [
        Datum(
            label=f"#{run.pk}",
            counts=(0, round(run.worked)) if run.state == Harvest.State.FAILED else (round(run.worked), 0),
            text=f"{_begun(run)}: {duration(run.worked)}",
            url=reverse("harvest", args=[run.pk]),
        )
        for run in reversed(runs)
    ]
    return plot(_("Duration per harvest"), _("Harvest"), _("seconds"), series, data)


def issues_by_day(days: Sequence[DailyCount]) -> Plot | None:
    """Plot the records with issues over the last DAYS; None without counts.

    days: oldest first. A day without a count repeats the last count before it.
    """
    counted = {count.day: count for count in days}
    today = timezone.localdate()
    data, last = [], None
    for back in range(DAYS - 1, -1, -1):
        day = today - timedelta(days=back)
        last = counted.get(day) or last or _before(days, day)
        if last:
            data.append(_share(day, last))
    series = (Series(FAILED, _("With errors")), Series(DOUBTFUL, _("With warnings")))
    return plot(_("Records with issues, by day"), _("Day"), _("records"), series, data)


@dataclass(frozen=True, slots=True)
class Strip:
    """The last STRIP days of a provider as small columns. name: the sums in words. failed: how many harvests failed on
    each day.
    """

    name: str
    drawn: Columns
    failed: Sequence[int]


STRIP_SERIES = (RECEIVED, DOUBTFUL)  # CSS classes of the parts of a column


def strips(repositories: Sequence[int]) -> dict[int, Strip]:
    """Repository id -> its strip, for those with counts of the last STRIP days. One query."""
    today = timezone.localdate()
    first = today - timedelta(days=STRIP - 1)
    by_repository: defaultdict[int, dict[date, DailyCount]] = defaultdict(dict)
    for count in DailyCount.objects.filter(repository__in=repositories, day__gte=first):
        by_repository[count.repository_id][count.day] = count
    days = [first + timedelta(days=place) for place in range(STRIP)]
    return {pk: _strip(days, counts) for pk, counts in by_repository.items()}


def _strip(days: Sequence[date], counts: dict[date, DailyCount]) -> Strip:
    shown = [counts.get(day) or DailyCount(day=day) for day in days]
    data = [
        Datum(
            label=_month_and_day(count.day),
            counts=(max(0, count.received - count.rejected), count.rejected),
            text=_day_in_words(count.received, count.rejected, count.failed),
        )
        for count in shown
    ]
    sums = [sum(getattr(count, name) for count in shown) for name in ("received", "rejected", "failed")]
    name = _("Last 30 days: %(sums)s") % {"sums": _day_in_words(*sums)}
    return Strip(name, columns(data), [count.failed for count in shown])


def _day_in_words(received: int, rejected: int, failed: int) -> str:
    facts = {"received": f"{received:,}", "rejected": f"{rejected:,}", "failed": f"{failed:,}"}
    return _("%(received)s received, %(rejected)s not registered, %(failed)s failed harvests") % facts


def next_runs(moments: Sequence[datetime]) -> Plot | None:
    """Plot how many harvests begin in each of the next HOURS. moments: when they begin; the others are left out."""
    begin = timezone.localtime().replace(minute=0, second=0, microsecond=0)
    due = Counter(int((timezone.localtime(moment) - begin).total_seconds() // 3600) for moment in moments)
    data = [
        Datum(
            label=date_format(begin + timedelta(hours=hour), "H:i"),
            counts=(due[hour],),
            text=ngettext("%(number)s harvest", "%(number)s harvests", due[hour]) % {"number": f"{due[hour]:,}"},
        )
        for hour in range(HOURS)
    ]
    series = (Series(RECEIVED, _("Next harvests")),)
    return plot(_("Harvests of the next 24 hours"), _("Time"), _("harvests"), series, data)


def days_of(repository: int) -> list[DailyCount]:
    """The daily counts for `issues_by_day`, oldest first: the last DAYS, and the last count before them."""
    since = timezone.localdate() - timedelta(days=DAYS)
    rows = DailyCount.objects.filter(repository=repository)
    earlier = rows.filter(day__lt=since).order_by("-day").first()
    return [*([earlier] if earlier else []), *rows.filter(day__gte=since).order_by("day")]


def _before(days: Sequence[DailyCount], day: date) -> DailyCount | None:
    return next((count for count in reversed(days) if count.day <= day), None)


def _share(day: date, count: DailyCount) -> Datum:
    facts = {
        "share": f"{100 * (count.share or 0.0):.1f}",
        "issues": f"{count.with_issues:,}",
        "records": f"{count.checked:,}",
    }
    return Datum(
        label=_month_and_day(day),
        counts=(count.with_errors, max(0, count.with_issues - count.with_errors)),
        text=_("%(share)s%% (%(issues)s of %(records)s records)") % facts,
    )


def _begun(run: Harvest) -> str:
    return date_format(timezone.localtime(run.queued_at), "SHORT_DATETIME_FORMAT")


def _month_and_day(day: date) -> str:
    """A day as a label that is short enough for six of them on a narrow screen: 11-28."""
    return f"{day:%m-%d}"
