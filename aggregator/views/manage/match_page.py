"""What the pages of the review print: two records beside each other, why, and what an answer would do. Reads only."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.grouping.duplicates import Listed, named
from aggregator.grouping.reasons import Asked
from aggregator.grouping.ruling_rows import ruling
from aggregator.matching import JOIN
from aggregator.matching.explain import points, text
from aggregator.matching.reasons import Apart
from aggregator.models import MatchRuling
from aggregator.review.decisions import sentence
from aggregator.review.queue import waiting
from aggregator.review.ruling_form import REPOSITORY
from aggregator.review.side_by_side import others, telling
from aggregator.views.public.why_grouped import told

KINDS = {"joined": True, "apart": False}
RECENT = 5  # of one's own rulings that can be taken back here
REASON_LENGTH = 2000
TITLE_LENGTH = 60
CONTRADICTIONS = 3  # pairs across two groups that are named


def place(request: HttpRequest) -> dict[str, str]:
    """Where in the queue the reader is, of the address or of the form: kind, repository, behind which pair."""
    given = request.POST if request.method == "POST" else request.GET
    kind, repository, after = (given.get(name, "") for name in ("kind", "repository", "after"))
    return {
        "kind": kind if kind in KINDS else "",
        "repository": repository if REPOSITORY.fullmatch(repository) else "",
        "after": after if after.isascii() and after.isdecimal() and len(after) < 19 else "",
    }


def show(
    request: HttpRequest, found: Asked | None, *, alone: bool = False, status: int = 200, **more: Any
) -> HttpResponse:
    """alone: the page of any two records, not of the queue. more: pair, problem; effect and tried, what it is of."""
    wanted = place(request)
    pair, counts = more.get("pair"), waiting()
    context = {
        **more,
        **(_beside(found) if found else {}),
        "found": found,
        "alone": alone,
        "was_tried": "effect" in more,
        "counts": {name: counts[joined] for name, joined in KINDS.items()},
        "place": wanted,
        "later": urlencode({**{name: each for name, each in wanted.items() if each}, "after": pair.pk}) if pair else "",
        "recent": _recent(request),
        "given": {name: request.GET.get(name, "")[:300] for name in ("first", "second")},
        "reason": request.POST.get("reason", "")[:REASON_LENGTH],
    }
    return render(request, "matches/pair.html" if alone else "matches/review.html", context, status=status)


def _beside(found: Asked) -> dict[str, Any]:
    known = {each.public_id: each for each in (found.first, found.second)}
    records = found.first.record, found.second.record
    context: dict[str, Any] = {
        "rows": telling(*records),
        "more_rows": others(*records),
        "isbns": sorted({isbn for each in found.features for isbn in (*each.isbns, *each.set_isbns)}),
        "join": points(JOIN),
        "rulings": [sentence(each) for each in found.rulings],
    }
    if found.step:
        context["step"] = told(found.step, known)
    if found.apart:
        context["against"] = _against(found.apart)
    return context


def _against(apart: Apart) -> list[tuple[str, str, str]]:
    """Pairs across the groups that contradict: their ids, and the first thing that speaks against them."""
    language = get_language() or ""
    return [
        (each.first, each.second, text(min(each.evidence, key=lambda found: found.weight), language))
        for each in apart.against[:CONTRADICTIONS]
    ]


def _recent(request: HttpRequest) -> list[tuple[MatchRuling, str]]:
    """One's own last rulings, each in words."""
    rows = list(MatchRuling.objects.filter(author=request.user.pk, undone=None).order_by("-pk")[:RECENT])
    records = named({name for row in rows for name in ruling(row).names})
    called = {name: _title(each) for name, each in records.items()}
    return [(row, sentence(ruling(row), called)) for row in rows]


def _title(record: Listed) -> str:
    words = " ".join(filter(None, (Truncator(record.title).chars(TITLE_LENGTH), record.volume)))
    return _("“%(title)s”") % {"title": words} if words else record.public_id
