"""The first page for librarians and staff: the tasks that wait for them, and the health of every provider."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from harvesting.accounts.access import repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.completion.deletion_decisions import runs_awaiting_decision
from harvesting.doi.verdicts import gone
from harvesting.messages import happened
from harvesting.models import Application, DoctoralThesis, Harvest, HealthStatus, Repository, RequestedDoi
from harvesting.monitoring import charts, site_days, verdicts
from harvesting.monitoring.health import URGENCY
from harvesting.monitoring.wording import SIGNS, ShownHealth

PAGE = 50
DECISIONS = 5  # listed singly; the rest is summed up in one line
MOST = 1000  # rows counted at most
LONGEST = 100  # characters of a search
UNJUDGED = URGENCY["new"]  # the urgency by which providers without a verdict are sorted


@dataclass(frozen=True, slots=True)
class WaitingTask:
    """A task that waits for the user, in words, and the page where it is done."""

    text: str
    url: str
    detail: str = ""


def show(
    request: HttpRequest, also: Sequence[WaitingTask] = (), backlogs: Sequence[tuple[str, str]] = ()
) -> HttpResponse:
    """Render the page. also: tasks that wait for the user in other parts of the site; backlogs: the work that
    waits, as names and values; staff see it.
    """
    own, is_staff = repositories_of(request.user), role_of(request.user) >= Role.STAFF
    filters = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("colour", "q")}
    matches = _filter(own, filters)
    page = Paginator(matches, PAGE, allow_empty_first_page=True).get_page(request.GET.get("page"))
    context = {
        "waits": [*_decisions(own), *_unapproved(own), *(_gone(own) if is_staff else ()), *also],
        "rows": _rows(list(page.object_list)),
        "next_runs": charts.next_runs(_next_runs(own)),
        "strip_series": charts.STRIP_SERIES,
        "backlogs": backlogs,
        "is_staff": is_staff,
        "site_plots": site_days.plots() if is_staff else [],
        "page": page,
        "colours": _colours(own),
        "wanted": filters,
        "query": urlencode({name: value for name, value in filters.items() if value}),
        "any": bool(page.paginator.count) or own.exists(),
    }
    return render(request, "manage/dashboard/dashboard.html", context)


def _filter(own: QuerySet[Repository], filters: dict[str, str]) -> QuerySet[Repository]:
    """The providers that match the search, the worst first; those without a verdict are sorted with the new ones."""
    if filters["colour"] in HealthStatus.Colour.values:
        own = own.filter(health__colour=filters["colour"])
    words = filters["q"]
    if words:
        named = Q(name__icontains=words) | Q(name_en__icontains=words) | Q(name_yomi__icontains=words)
        own = own.filter(named | Q(number__icontains=words))
    return own.order_by(Coalesce("health__urgency", UNJUDGED), "number")


def _rows(shown: list[Repository]) -> list[dict[str, Any]]:
    """The rows of the table: the stored verdicts, or new ones for providers that have changed since."""
    pks = [repository.pk for repository in shown]
    statuses = HealthStatus.objects.exclude(checked_at=None).in_bulk(pks)
    missing = [pk for pk in pks if pk not in statuses]
    if missing:
        statuses |= {status.pk: status for status in verdicts.judge_now(missing, timezone.now())}
    runs = Harvest.objects.in_bulk({status.last_run_id for status in statuses.values() if status.last_run_id})
    strips = charts.strips(pks)
    rows = []
    for repository in shown:
        health = ShownHealth.of(statuses[repository.pk])
        last = runs.get(health.status.last_run_id or 0)
        rows.append({"repository": repository, "health": health, "last": last, "strip": strips.get(repository.pk)})
    return rows


def _next_runs(own: QuerySet[Repository]) -> list[datetime]:
    """When the regular harvests of the next hours begin."""
    until = timezone.now() + timedelta(hours=charts.HOURS)
    due = own.filter(health__next_at__gte=timezone.now(), health__next_at__lt=until)
    return [moment for moment in due.order_by().values_list("health__next_at", flat=True) if moment]


def _colours(own: QuerySet[Repository]) -> list[tuple[str, str, str, int]]:
    """The number of providers by colour: its name, sign, word, count. Providers without a verdict count as grey."""
    counted = dict(own.order_by().values_list("health__colour").annotate(count=Count("pk")))
    grey = counted.pop(None, 0)
    return [
        (name, SIGNS[name], str(word), counted.get(name, 0) + (grey if name == HealthStatus.Colour.GREY else 0))
        for name, word in HealthStatus.Colour.choices
    ]


def _decisions(own: QuerySet[Repository]) -> list[WaitingTask]:
    """The tasks to decide about harvests: the first DECISIONS singly, the rest as one."""
    runs = list(runs_awaiting_decision().filter(feed__repository__in=verdicts.with_pending_decisions(own))[:MOST])
    tasks = [
        WaitingTask(
            _("Decide about harvest #%(id)s of %(name)s") % {"id": run.pk, "name": run.feed.repository.label},
            reverse("harvest", args=[run.pk]),
            happened(run.code, run.facts),
        )
        for run in runs[:DECISIONS]
    ]
    rest = len(runs) - len(tasks)
    if rest > 0:
        text = ngettext("%(count)s more decision is needed", "%(count)s more decisions are needed", rest) % {
            "count": rest
        }
        tasks.append(WaitingTask(text, f"{reverse('harvests')}?state=waits"))
    return tasks


def _unapproved(own: QuerySet[Repository]) -> list[WaitingTask]:
    """The task to approve the providers that wait for it, if there are any. Those that were sent back or withdrawn do
    not wait.
    """
    applications = Application.objects.filter(repository=OuterRef("pk"))
    asked = Exists(applications.filter(state=Application.State.OPEN))
    count = own.filter(asked | ~Exists(applications), approved=False)[:MOST].count()
    if not count:
        return []
    text = ngettext("%(count)s provider waits for approval", "%(count)s providers wait for approval", count)
    return [WaitingTask(text % {"count": count}, reverse("providers"))]


def _gone(own: QuerySet[Repository]) -> list[WaitingTask]:
    """The tasks to deal with what was handed over, and whose record is gone since."""
    tasks = []
    if dois := gone(RequestedDoi, own)[:MOST].count():
        text = ngettext(
            "The record of %(count)s registered DOI is gone", "The records of %(count)s registered DOIs are gone", dois
        )
        tasks.append(WaitingTask(text % {"count": dois}, reverse("dois")))
    if theses := gone(DoctoralThesis, own)[:MOST].count():
        text = ngettext(
            "The record of %(count)s thesis that the NDL has is gone",
            "The records of %(count)s theses that the NDL has are gone",
            theses,
        )
        tasks.append(WaitingTask(text % {"count": theses}, reverse("theses")))
    return tasks
