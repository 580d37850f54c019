"""The list of all harvests, and the monitoring page of one provider. Read-only."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from core.http.row_ids import row_id
from core.plots.figure import Plot
from harvesting.accounts.access import for_librarians, own_repository, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.messages import happened
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.monitoring import charts, verdicts
from harvesting.monitoring.run_summary import outcome, tone, what_happened
from harvesting.monitoring.wording import ShownHealth, shown_state
from harvesting.runs.coverage import open_gaps
from harvesting.runs.lifecycle import REGULAR
from harvesting.runs.results import LABELS, result_of
from harvesting.scheduling.schedule import describe as describe_schedule
from harvesting.views.harvests.filter import HarvestFilter
from harvesting.views.harvests.tables import Gap
from harvesting.views.query_string import changed_query

PAGE = 50
SHORT = 160  # characters of a message in a list
DRAWN = 40  # runs in a chart
MOST_GAPS = 50
COVERED = 20  # newest harvested periods shown


@require_safe
@for_librarians
def harvest_list(request: HttpRequest) -> HttpResponse:
    """The newest runs that match the filters, PAGE at a time, older ones by ?before=."""
    form = HarvestFilter(request.GET)
    runs = form.narrow(own_harvests(request)) if form.is_valid() else Harvest.objects.none()
    if before := row_id(request.GET.get("before", "")):
        runs = runs.filter(pk__lt=before)
    pks = list(runs.order_by("-pk").values_list("pk", flat=True)[: PAGE + 1])
    shown = _read(pks[:PAGE])
    context = {
        "form": form,
        "rows": rows_of(shown),
        "charts": charts_of(shown[:DRAWN]),
        "older": changed_query(request, before=str(shown[-1].pk)) if len(pks) > PAGE else "",
        "newest": changed_query(request, before="") if before else "",
        "is_first": not before,
    }
    return render(request, "manage/harvests/list.html", context, status=200 if form.is_valid() else 400)


UNREAD = ("resumption_token", "memory", "partial", "identifier")  # columns that may be long and that no list shows


@require_safe
@for_librarians
def harvests_of(request: HttpRequest, number: str) -> HttpResponse:
    """One provider: its health with reasons, its feeds and last runs, charts, gaps and harvested periods."""
    repository = own_repository(request, number)
    now = timezone.now()
    (status,) = verdicts.judge_now([repository.pk], now)
    feeds = list(repository.feeds.select_related("repository").order_by("pk"))
    newest = Harvest.objects.filter(feed__in=[feed.pk for feed in feeds]).order_by("-pk")
    runs = _read(list(newest.values_list("pk", flat=True)[:DRAWN]))
    last: dict[int, Harvest] = {}
    for run in reversed([run for run in runs if run.kind in REGULAR]):
        last[run.feed_id] = run
    context = {
        "repository": repository,
        "health": ShownHealth.of(status),
        "feeds": [
            (feed, describe_schedule(feed), verdicts.next_run_of(feed, last.get(feed.pk), now)) for feed in feeds
        ],
        "rows": rows_of(runs[:10]),
        "charts": charts_of(runs),
        "issues": charts.issues_by_day(charts.days_of(repository.pk)),
        "gaps": [Gap(window, happened(window.code, window.facts)) for window in open_gaps(*feeds)[:MOST_GAPS]],
        "all_received": all(feed.pk in last and last[feed.pk].state == Harvest.State.SUCCEEDED for feed in feeds),
        "covered": _covered(feeds),
        "several": len(feeds) > 1,
        "is_live": bool(feeds) and all(feed.transport_kind.is_live for feed in feeds),
    }
    return render(request, "manage/harvests/provider.html", context)


def own_harvests(request: HttpRequest) -> QuerySet[Harvest]:
    """The runs the user may see: all for staff, those of the managed providers for librarians."""
    if role_of(request.user) >= Role.STAFF:
        return Harvest.objects.all()
    feeds = Feed.objects.filter(repository__in=repositories_of(request.user))
    return Harvest.objects.filter(feed__in=list(feeds.values_list("pk", flat=True)))


def _read(pks: list[int]) -> list[Harvest]:
    """These runs with their feeds and providers, the newest first.

    They are read by primary key, so that the query that finds them needs no joins.
    """
    return list(Harvest.objects.filter(pk__in=pks).select_related("feed__repository").defer(*UNREAD).order_by("-pk"))


def rows_of(runs: list[Harvest]) -> list[tuple[Harvest, str, str, str]]:
    """The rows of a list: run, state in words, colour, message."""
    return [(run, shown_state(run), tone(run), _message(run)) for run in runs]


def _message(run: Harvest) -> str:
    """The message of a run in a list; "" if it succeeded without rejected records."""
    if run.code:
        return what_happened(run.code, run.facts, SHORT)
    return outcome(run) if result_of(run) in LABELS else ""


def charts_of(runs: list[Harvest]) -> list[Plot]:
    """The plots of the records and the duration of runs; none for fewer than two runs."""
    plots = [charts.runs_by_records(runs), charts.runs_by_duration(runs)] if len(runs) > 1 else []
    return [drawn for drawn in plots if drawn is not None]


def _covered(feeds: list[Feed]) -> list[DateWindow]:
    rows = DateWindow.objects.filter(feed__in=feeds, state=DateWindow.State.COVERED).select_related("feed__repository")
    return list(rows.order_by("-pk")[:COVERED])
