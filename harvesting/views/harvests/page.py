"""The page of one harvest: how far it is, what came of it, what is to be decided. Knows HTTP; reads only."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, repositories_of
from harvesting.completion.deletion_decisions import waits
from harvesting.harvest import control
from harvesting.models import DateWindow, Harvest, RecordIssue
from harvesting.monitoring.alarms import shown_state
from harvesting.monitoring.progress import as_json, duration, figures, pace_of, progress_of, usual_total
from harvesting.monitoring.run_summary import notices_of, outcome, tone, what_happened
from harvesting.views.harvests.tables import Row, compared, course, parts_of

SHOWN = 50  # records of those that would be deleted
MOST_EVENTS = 200
MOST_WINDOWS = 100


def own_harvest(request: HttpRequest, pk: int) -> Harvest:
    """The run of this number; Http404 if there is none or it is of a provider that is not the person's."""
    own = Harvest.objects.filter(feed__repository__in=repositories_of(request.user))
    run = own.select_related("feed__repository").filter(pk=pk).first()
    if run is None:
        raise Http404(pk)
    return run


@require_safe
@for_librarians
def harvest_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything about one run."""
    return render(request, "manage/harvests/harvest.html", page_context(own_harvest(request, pk)))


@require_safe
@for_librarians
def harvest_progress(request: HttpRequest, pk: int) -> JsonResponse:
    """The same figures for the script of the page, as cheaply as can be."""
    run = own_harvest(request, pk)
    return JsonResponse(as_json(run, progress_of(run, usual_total(run), timezone.now())))


def page_context(run: Harvest) -> dict[str, Any]:
    """What the page of a run prints."""
    last = _before(run)
    found = progress_of(run, usual_total(run), timezone.now())
    asked = waits(run)
    return {
        "run": run,
        "repository": run.feed.repository,
        "state": shown_state(run),
        "tone": tone(run),
        "outcome": outcome(run),
        "active": run.state in Harvest.ACTIVE,
        "live": as_json(run, found),
        "progress": found,
        "figures": figures(run, found),
        "pace": pace_of(found),
        "possible": [each for each in ("pause", "resume", "cancel") if each in control.possible(run)],
        "rows": compared(run, last),
        "last": last,
        "adds_up": parts_of(run),
        "notices": notices_of(run),
        "severities": _severities(run),
        "course": course(run.events.all()[:MOST_EVENTS]),
        "worked": duration(run.worked) if run.worked else "",
        "broken": run.broken_pages.defer("body")[:MOST_WINDOWS],
        "gaps": run.windows.filter(state=DateWindow.State.GAP).order_by("pk")[:MOST_WINDOWS],
        **(_question(run) if asked else {}),
    }


def _question(run: Harvest) -> dict[str, Any]:
    """What a run that waits for a person asks."""
    total = run.held_deletions.count()
    return {
        "asked": what_happened(run.code, run.facts),
        "sample": control.at_stake(run, SHOWN) if total else [],
        "total": total,
        "choices": control.choices(run),
    }


def _before(run: Harvest) -> Harvest | None:
    """The last run of the same kind that came to its end."""
    done = Harvest.objects.filter(feed=run.feed_id, kind=run.kind, state=Harvest.State.SUCCEEDED, pk__lt=run.pk)
    return done.first()


def _severities(run: Harvest) -> list[Row]:
    names = dict(RecordIssue.SEVERITIES)
    return [Row(str(names[name]), run.issue_counts[name]) for name in names if run.issue_counts.get(name)]
