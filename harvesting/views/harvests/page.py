"""The page of one harvest: its progress, its results, and the question if it waits for a decision. Read-only."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, repositories_of
from harvesting.bulk.harvests import can_be_undone
from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.harvest import control
from harvesting.models import DateWindow, Harvest, RecordIssue
from harvesting.monitoring.progress import as_json, duration, figures, pace_of, progress_of, usual_total
from harvesting.monitoring.run_summary import observations_of, outcome, tone, what_happened
from harvesting.monitoring.wording import shown_state
from harvesting.views.harvests.tables import Row, comparison_rows, course, outcome_sum

MOST_EVENTS = 200
MOST_WINDOWS = 100


def own_harvest(request: HttpRequest, pk: int) -> Harvest:
    """Return the run with this number. Raises Http404 if there is none, or if the user may not act for its provider."""
    own = Harvest.objects.filter(feed__repository__in=repositories_of(request.user))
    run = own.select_related("feed__repository").filter(pk=pk).first()
    if run is None:
        raise Http404(pk)
    return run


@require_safe
@for_librarians
def harvest_page(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of one run."""
    return render(request, "manage/harvests/harvest.html", page_context(own_harvest(request, pk)))


@require_safe
@for_librarians
def harvest_progress(request: HttpRequest, pk: int) -> JsonResponse:
    """The progress as JSON, which the script of the page requests every few seconds; therefore few queries."""
    run = own_harvest(request, pk)
    return JsonResponse(as_json(run, progress_of(run, usual_total(run), timezone.now())))


def page_context(run: Harvest) -> dict[str, Any]:
    """The template context of the page of a run."""
    last = _previous_run(run)
    progress = progress_of(run, usual_total(run), timezone.now())
    is_waiting = awaits_decision(run)
    return {
        "run": run,
        "repository": run.feed.repository,
        "state": shown_state(run),
        "tone": tone(run),
        "outcome": outcome(run),
        "active": run.state in Harvest.ACTIVE,
        "live": as_json(run, progress),
        "progress": progress,
        "figures": figures(run, progress),
        "pace": pace_of(progress),
        "possible": [action for action in ("pause", "resume", "cancel") if action in control.possible_actions(run)],
        "rows": comparison_rows(run, last),
        "last": last,
        "adds_up": outcome_sum(run),
        "notices": observations_of(run),
        "severities": _severities(run),
        "course": course(run.events.all()[:MOST_EVENTS]),
        "worked": duration(run.worked) if run.worked else "",
        "broken": run.broken_pages.defer("body")[:MOST_WINDOWS],
        "can_be_undone": can_be_undone(run),
        "gaps": run.windows.filter(state=DateWindow.State.GAP).order_by("pk")[:MOST_WINDOWS],
        **(_question(run) if is_waiting else {}),
    }


def _question(run: Harvest) -> dict[str, Any]:
    """The template context of the question of a run that waits for a decision."""
    total = run.held_deletions.count()
    return {
        "asked": what_happened(run.code, run.facts),
        "sample": control.held_records(run) if total else [],
        "total": total,
        "choices": control.choices(run),
    }


def _previous_run(run: Harvest) -> Harvest | None:
    """The last successful run of the same feed and kind before this one; None if there is none, or if this run has not
    read everything: its counters would seem too low.
    """
    if run.state != Harvest.State.SUCCEEDED:
        return None
    succeeded = Harvest.objects.filter(feed=run.feed_id, kind=run.kind, state=Harvest.State.SUCCEEDED, pk__lt=run.pk)
    return succeeded.first()


def _severities(run: Harvest) -> list[Row]:
    names = dict(RecordIssue.SEVERITIES)
    return [Row(str(names[name]), run.issue_counts[name]) for name in names if run.issue_counts.get(name)]
