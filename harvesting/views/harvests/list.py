"""The list of all harvests, and the page that watches one provider. Knows HTTP; reads only."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, own_repository, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.messages import happened
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.monitoring import charts, verdicts
from harvesting.monitoring.alarms import shown_state
from harvesting.monitoring.run_summary import outcome, tone, what_happened
from harvesting.monitoring.wording import Shown
from harvesting.runs.coverage import open_gaps
from harvesting.runs.lifecycle import REGULAR
from harvesting.scheduling.schedule import describe as describe_schedule
from harvesting.views.harvests.filter import HarvestFilter
from harvesting.views.harvests.tables import Gap

PAGE = 50
SHORT = 160  # characters of what happened, in a list
DRAWN = 40  # runs in a chart
MOST_GAPS = 50
COVERED = 20  # periods that are covered, the newest


@require_safe
@for_librarians
def harvest_list(request: HttpRequest) -> HttpResponse:
    """The newest runs that fit the filters, PAGE at a time, older ones by ?before=."""
    form = HarvestFilter(request.GET)
    runs = form.narrow(own_harvests(request)) if form.is_valid() else Harvest.objects.none()
    before = request.GET.get("before", "")
    if before.isascii() and before.isdecimal() and len(before) < 19:
        runs = runs.filter(pk__lt=int(before))
    found = list(runs.order_by("-pk").values_list("pk", flat=True)[: PAGE + 1])
    shown = _read(found[:PAGE])
    context = {
        "form": form,
        "rows": rows_of(shown),
        "charts": charts_of(shown[:DRAWN]),
        "older": _query(request, before=str(shown[-1].pk)) if len(found) > PAGE else "",
        "newest": _query(request, before="") if before else "",
        "is_first": not before,
    }
    return render(request, "manage/harvests/list.html", context, status=200 if form.is_valid() else 400)


UNREAD = ("resumption_token", "memory", "partial", "identifier")  # what may be long, and no list prints


@require_safe
@for_librarians
def harvests_of(request: HttpRequest, number: str) -> HttpResponse:
    """One provider: how it is doing and why, its feeds, its last runs, its figures, and what was never harvested."""
    repository = own_repository(request, number)
    now = timezone.now()
    (found,) = verdicts.judged_now([repository.pk], now)
    feeds = list(repository.feeds.select_related("repository").order_by("pk"))
    newest = Harvest.objects.filter(feed__in=[each.pk for each in feeds]).order_by("-pk")
    runs = _read(list(newest.values_list("pk", flat=True)[:DRAWN]))
    last: dict[int, Harvest] = {}
    for run in reversed([each for each in runs if each.kind in REGULAR]):
        last[run.feed_id] = run
    context = {
        "repository": repository,
        "standing": Shown.of(found),
        "feeds": [(feed, describe_schedule(feed), verdicts.next_of(feed, last.get(feed.pk), now)) for feed in feeds],
        "rows": rows_of(runs[:10]),
        "charts": charts_of(runs),
        "issues": charts.issues_by_day(charts.days_of(repository.pk)),
        "gaps": [Gap(each, happened(each.code, each.facts)) for each in open_gaps(*feeds)[:MOST_GAPS]],
        "covered": _covered(feeds),
        "several": len(feeds) > 1,
    }
    return render(request, "manage/harvests/provider.html", context)


def own_harvests(request: HttpRequest) -> QuerySet[Harvest]:
    """All runs for staff, a librarian's own otherwise."""
    if role_of(request.user) >= Role.STAFF:
        return Harvest.objects.all()
    feeds = Feed.objects.filter(repository__in=repositories_of(request.user))
    return Harvest.objects.filter(feed__in=list(feeds.values_list("pk", flat=True)))


def _read(pks: list[int]) -> list[Harvest]:
    """These runs, the newest first, with their providers: what is looked for is found without joining them."""
    return list(Harvest.objects.filter(pk__in=pks).select_related("feed__repository").defer(*UNREAD).order_by("-pk"))


def rows_of(runs: list[Harvest]) -> list[tuple[Harvest, str, str, str]]:
    """Each run with its state in words, its colour, and what happened."""
    return [(run, shown_state(run), tone(run), _told(run)) for run in runs]


def _told(run: Harvest) -> str:
    """What is worth saying of a run in a list; "" where all went well."""
    if run.code:
        return what_happened(run.code, run.facts, SHORT)
    return outcome(run) if run.state == Harvest.State.SUCCEEDED and run.rejected else ""


def charts_of(runs: list[Harvest]) -> list[object]:
    """Records and duration by run; nothing for less than two runs."""
    return [charts.runs_by_records(runs), charts.runs_by_duration(runs)] if len(runs) > 1 else []


def _covered(feeds: list[Feed]) -> list[DateWindow]:
    rows = DateWindow.objects.filter(feed__in=feeds, state=DateWindow.State.COVERED).select_related("feed__repository")
    return list(rows.order_by("-pk")[:COVERED])


def _query(request: HttpRequest, **changed: str) -> str:
    """The query of this page with some parameters changed, "" taking one out."""
    return urlencode([(name, each) for name, each in {**request.GET.dict(), **changed}.items() if each])
