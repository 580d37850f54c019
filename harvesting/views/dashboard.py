"""The first page of librarians and staff: what waits for them, and how every provider is doing, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from harvesting.accounts.access import repositories_of
from harvesting.completion.deletion_decisions import waiting
from harvesting.messages import happened
from harvesting.models import Harvest, HealthStatus, Repository
from harvesting.monitoring import verdicts
from harvesting.monitoring.health import URGENCY
from harvesting.monitoring.wording import SIGNS, Shown

PAGE = 50
DECISIONS = 5  # named one by one
MOST = 1000  # counted; beyond it is “more than”
LONGEST = 100  # characters of a search
UNJUDGED = URGENCY["new"]  # where a provider stands that nobody has looked at yet


@dataclass(frozen=True, slots=True)
class Waits:
    """A kind of thing that waits for the person: how many, in words, and where it is dealt with."""

    text: str
    url: str
    detail: str = ""


def show(request: HttpRequest, also: Sequence[Waits] = ()) -> HttpResponse:
    """The page of one person. also: what waits for her in other parts of the site."""
    own = repositories_of(request.user)
    wanted = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("colour", "q")}
    found = _found(own, wanted)
    page = Paginator(found, PAGE, allow_empty_first_page=True).get_page(request.GET.get("page"))
    context = {
        "waits": [*_decisions(own), *_unapproved(own), *also],
        "rows": _rows(list(page.object_list)),
        "page": page,
        "colours": _colours(own),
        "wanted": wanted,
        "query": urlencode({name: each for name, each in wanted.items() if each}),
        "any": bool(page.paginator.count) or own.exists(),
    }
    return render(request, "manage/dashboard/dashboard.html", context)


def _found(own: QuerySet[Repository], wanted: dict[str, str]) -> QuerySet[Repository]:
    """The providers that fit, worst first; those that nobody has judged yet among the new ones."""
    if wanted["colour"] in HealthStatus.Colour.values:
        own = own.filter(standing__colour=wanted["colour"])
    words = wanted["q"]
    if words:
        named = Q(name__icontains=words) | Q(name_en__icontains=words) | Q(name_yomi__icontains=words)
        own = own.filter(named | Q(number__icontains=words))
    return own.order_by(Coalesce("standing__urgency", UNJUDGED), "number")


def _rows(shown: list[Repository]) -> list[dict[str, Any]]:
    """What is printed of each: its verdict as kept, or of now where something has changed since."""
    pks = [each.pk for each in shown]
    kept = HealthStatus.objects.exclude(checked_at=None).in_bulk(pks)
    missing = [pk for pk in pks if pk not in kept]
    if missing:
        kept |= {each.pk: each for each in verdicts.judged_now(missing, timezone.now())}
    runs = Harvest.objects.in_bulk({each.last_run_id for each in kept.values() if each.last_run_id})
    rows = []
    for each in shown:
        found = Shown.of(kept[each.pk])
        last = runs.get(found.standing.last_run_id or 0)
        rows.append({"repository": each, "standing": found, "last": last})
    return rows


def _colours(own: QuerySet[Repository]) -> list[tuple[str, str, str, int]]:
    """How many providers there are of each colour: its name, sign, word, count."""
    counted = dict(own.order_by().values_list("standing__colour").annotate(count=Count("pk")))
    grey = counted.pop(None, 0)
    return [
        (name, SIGNS[name], str(word), counted.get(name, 0) + (grey if name == HealthStatus.Colour.GREY else 0))
        for name, word in HealthStatus.Colour.choices
    ]


def _decisions(own: QuerySet[Repository]) -> list[Waits]:
    """The harvests that wait for a decision, the first of them by name."""
    runs = list(waiting().filter(feed__repository__in=verdicts.asking(own))[:MOST])
    named = [
        Waits(
            _("Decide about harvest #%(id)s of %(name)s") % {"id": run.pk, "name": run.feed.repository.label},
            reverse("harvest", args=[run.pk]),
            happened(run.code, run.facts),
        )
        for run in runs[:DECISIONS]
    ]
    rest = len(runs) - len(named)
    if rest > 0:
        text = ngettext("%(count)s more decision waits", "%(count)s more decisions wait", rest) % {"count": rest}
        named.append(Waits(text, f"{reverse('harvests')}?state=waits"))
    return named


def _unapproved(own: QuerySet[Repository]) -> list[Waits]:
    """Providers on trial that staff have not agreed to."""
    count = own.filter(approved=False)[:MOST].count()
    if not count:
        return []
    text = ngettext("%(count)s provider waits for approval", "%(count)s providers wait for approval", count)
    return [Waits(text % {"count": count}, reverse("providers"))]
