"""The charts of a provider: its last runs, and its share of records with issues by day. Does not read source
records.
"""

from collections.abc import Sequence
from datetime import date, timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from harvesting.models import DailyCount, Harvest
from harvesting.monitoring.alarms import shown_state
from harvesting.monitoring.bars import Chart, Column, chart
from harvesting.monitoring.progress import duration

DAYS = 60  # shown in a chart by day


def runs_by_records(runs: Sequence[Harvest]) -> Chart:
    """Chart the records of each run by outcome. runs: newest first; the chart shows the oldest first."""
    columns = [
        Column(
            label=_label(run),
            url=reverse("harvest", args=[run.pk]),
            parts=(
                ("same", _("Unchanged"), run.unchanged),
                ("new", _("New and changed"), run.created + run.updated),
                ("gone", _("Deleted"), run.deleted),
                ("bad", _("Not registered"), run.rejected),
            ),
            text=_("%(received)s records, %(changed)s new or changed, %(rejected)s not registered, %(state)s")
            % {
                "received": f"{run.received:,}",
                "changed": f"{run.created + run.updated:,}",
                "rejected": f"{run.rejected:,}",
                "state": shown_state(run),
            },
        )
        for run in reversed(runs)
    ]
    return chart(_("Records per harvest"), columns)


def runs_by_duration(runs: Sequence[Harvest]) -> Chart:
    """Chart the working time of each run. runs: newest first; the chart shows the oldest first."""
    columns = [
        Column(
            label=_label(run),
            url=reverse("harvest", args=[run.pk]),
            parts=(("bad" if run.state == Harvest.State.FAILED else "time", _state_word(run), run.worked),),
            text=duration(run.worked),
        )
        for run in reversed(runs)
    ]
    longest = max((run.worked for run in runs), default=0.0)
    return chart(_("Duration per harvest"), columns, top_text=duration(longest))


def issues_by_day(days: Sequence[DailyCount]) -> Chart | None:
    """Chart the share of records with issues over the last DAYS; None without counts.

    days: oldest first. A day without a count repeats the last count before it.
    """
    if not days:
        return None
    counted = {count.day: count for count in days}
    today = timezone.localdate()
    columns, last = [], None
    for back in range(DAYS - 1, -1, -1):
        day = today - timedelta(days=back)
        last = counted.get(day) or last or _before(days, day)
        if last:
            columns.append(_share(day, last))
    return chart(_("Share of records with issues, by day"), columns, top=100.0, top_text="100%")


def days_of(repository: int) -> list[DailyCount]:
    """The daily counts for `issues_by_day`, oldest first: the last DAYS, and the last count before them."""
    since = timezone.localdate() - timedelta(days=DAYS)
    rows = DailyCount.objects.filter(repository=repository)
    earlier = rows.filter(day__lt=since).order_by("-day").first()
    return [*([earlier] if earlier else []), *rows.filter(day__gte=since).order_by("day")]


def _before(days: Sequence[DailyCount], day: date) -> DailyCount | None:
    return next((count for count in reversed(days) if count.day <= day), None)


def _share(day: date, count: DailyCount) -> Column:
    errors, others = count.with_errors, max(0, count.with_issues - count.with_errors)
    whole = max(1, count.checked)
    facts = {
        "share": f"{100 * (count.share or 0.0):.1f}",
        "issues": f"{count.with_issues:,}",
        "records": f"{count.checked:,}",
    }
    return Column(
        label=date_format(day, "DATE_FORMAT"),
        parts=(("bad", _("With errors"), 100 * errors / whole), ("warn", _("With warnings"), 100 * others / whole)),
        text=_("%(share)s%% (%(issues)s of %(records)s records)") % facts,
    )


def _label(run: Harvest) -> str:
    return f"#{run.pk} {date_format(timezone.localtime(run.queued_at), 'SHORT_DATETIME_FORMAT')}"


def _state_word(run: Harvest) -> str:
    return _("Failed") if run.state == Harvest.State.FAILED else _("Processing time")
