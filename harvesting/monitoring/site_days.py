"""Counts of all providers together, one row a day, and their plots. Sums one row per provider, and no records."""

from collections.abc import Sequence
from datetime import date, timedelta

from django.db.models import Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from core.plots.columns import Datum
from core.plots.figure import Plot, Series, plot
from harvesting.models import DailyCount, HealthStatus, SiteDay

DAYS = 60  # in the plot of all records
WEEKS = 12  # in the plots of issues
_TOTALS = ("records", "unregistered", "with_issues")
_CHANGES = ("opened", "mended")


def store(day: date) -> SiteDay:
    """Store the counts of this day; a second call replaces the first."""
    totals = HealthStatus.objects.aggregate(**{name: Sum(name, default=0) for name in _TOTALS})
    changes = DailyCount.objects.filter(day=day).aggregate(**{name: Sum(name, default=0) for name in _CHANGES})
    row, _created = SiteDay.objects.update_or_create(day=day, defaults={**totals, **changes})
    return row


def plots() -> list[Plot]:
    """The plots of all providers together; those with nothing to draw are left out. One query."""
    today = timezone.localdate()
    first = _monday(today) - timedelta(weeks=WEEKS - 1)
    days = list(SiteDay.objects.filter(day__gte=min(first, today - timedelta(days=DAYS))))
    drawn = [
        _records(days, today),
        _by_week(days, today, "opened", _("Issues found, by week"), "series-3"),
        _by_week(days, today, "mended", _("Issues resolved, by week"), "series-0"),
    ]
    return [one for one in drawn if one is not None]


def _records(days: Sequence[SiteDay], today: date) -> Plot | None:
    """The records by day. A day without a row repeats the last one before it."""
    stored = {row.day: row for row in days}
    data, last = [], None
    for back in range(DAYS - 1, -1, -1):
        day = today - timedelta(days=back)
        last = stored.get(day) or last
        if last:
            data.append(_day(day, last))
    series = (
        Series("series-0", _("Without issues")),
        Series("series-3", _("With issues")),
    )
    return plot(_("Records of all providers, by day"), _("Day"), _("records"), series, data)


def _day(day: date, row: SiteDay) -> Datum:
    checked = row.records + row.unregistered
    facts = {"records": f"{row.records:,}", "issues": f"{row.with_issues:,}", "unregistered": f"{row.unregistered:,}"}
    return Datum(
        label=f"{day:%m-%d}",
        counts=(max(0, checked - row.with_issues), row.with_issues),
        text=_("%(records)s registered, %(unregistered)s not registered; %(issues)s of both with issues") % facts,
    )


def _by_week(days: Sequence[SiteDay], today: date, name: str, title: str, kind: str) -> Plot | None:
    """The issues of each week; weeks before the first count are left out."""
    counts: dict[date, int] = {}
    for row in days:
        counts[_monday(row.day)] = counts.get(_monday(row.day), 0) + getattr(row, name)
    weeks = [_monday(today) - timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]
    begun = min(counts, default=today)
    data = [
        Datum(
            label=f"{week:%m-%d}",
            counts=(counts.get(week, 0),),
            text=_("week from %(day)s: %(count)s")
            % {"day": date_format(week, "SHORT_DATE_FORMAT"), "count": f"{counts.get(week, 0):,}"},
        )
        for week in weeks
        if week >= begun
    ]
    return plot(title, _("Week from"), _("issues"), (Series(kind, title),), data)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
