"""The pages of the review: two records side by side, the reasons, and the effect of an answer. Read-only."""

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from aggregator.bulk.matches import query_of_pattern
from aggregator.grouping.inspection.duplicates import ListedRecord, listed_by_public_id
from aggregator.grouping.inspection.reasons import PairExplanation
from aggregator.grouping.rulings.rows import ruling_from_row
from aggregator.matching.reasons import Apart
from aggregator.models import MatchRuling
from aggregator.presentation.comparisons import compared, strongest_difference
from aggregator.review.queue import KINDS, READERS, Question, waiting
from aggregator.review.readers_words import reported_pairs, words_about
from aggregator.review.ruling_form import REPOSITORY
from aggregator.review.rulings import sentence
from aggregator.review.side_by_side import matching_fields, other_fields

CURSOR = re.compile(r"r?[0-9]{1,18}")
RECENT = 5  # own rulings that can be undone on the page
REASON_LENGTH = 2000
TITLE_LENGTH = 60
CONTRADICTIONS = 3  # pairs across two groups that are listed


def place(request: HttpRequest) -> dict[str, str]:
    """Return the position in the queue, from the address or the form; "" for what is missing or malformed.

    kind, repository: the filters. after: the cursor of the pair that was shown before.
    """
    given = request.POST if request.method == "POST" else request.GET
    kind, repository, after = (given.get(name, "") for name in ("kind", "repository", "after"))
    return {
        "kind": kind if kind in KINDS or kind == READERS else "",
        "repository": repository if REPOSITORY.fullmatch(repository) else "",
        "after": after if CURSOR.fullmatch(after) else "",
    }


def show(
    request: HttpRequest, found: PairExplanation | None, *, alone: bool = False, status: int = 200, **more: Any
) -> HttpResponse:
    """Show a pair. alone: the user named the two records; else the pair is from the queue.

    more: further context: question, problem; for a ruling that is only tried: effect, and the ruling in words (tried).
    """
    wanted = place(request)
    context = {
        **more,
        **(_beside(found) if found else {}),
        "found": found,
        "same_pattern": query_of_pattern(found.first.public_id, found.second.public_id, wanted) if found else "",
        "alone": alone,
        "was_tried": "effect" in more,
        "counts": _counts(),
        "place": wanted,
        "later": _later(wanted, more.get("question")),
        "recent": _recent(request),
        "given": {name: request.GET.get(name, "")[:300] for name in ("first", "second")},
        "reason": request.POST.get("reason", "")[:REASON_LENGTH],
    }
    return render(request, "matches/pair.html" if alone else "matches/review.html", context, status=status)


def _counts() -> dict[str, int]:
    """Return kind of question -> how many pairs of that kind wait."""
    counts = waiting()
    return {READERS: len(reported_pairs()), **{name: counts[joined] for name, joined in KINDS.items()}}


def _later(wanted: dict[str, str], question: Question | None) -> str:
    """Return the query string of the page after this question; "" if none is shown."""
    if question is None:
        return ""
    return urlencode({name: value for name, value in {**wanted, "after": question.cursor}.items() if value})


def _beside(found: PairExplanation) -> dict[str, Any]:
    known = {description.public_id: description for description in (found.first, found.second)}
    records = found.first.record, found.second.record
    context: dict[str, Any] = {
        "rows": matching_fields(*records),
        "more_rows": other_fields(*records),
        "isbns": sorted({isbn for features in found.features for isbn in (*features.isbns, *features.set_isbns)}),
        "words": words_about(found.first.public_id, found.second.public_id),
        "rulings": [sentence(ruling) for ruling in found.rulings],
    }
    if found.step:
        context["step"] = compared(found.step, known)
    if found.apart:
        context["against"] = _against(found.apart)
    return context


def _against(apart: Apart) -> list[tuple[str, str, str]]:
    """Return pairs across the groups that contradict a match: their ids, and the strongest sign against it."""
    return [(step.first, step.second, strongest_difference(step)) for step in apart.against[:CONTRADICTIONS]]


def _recent(request: HttpRequest) -> list[tuple[MatchRuling, str]]:
    """Return the user's last rulings, with their sentences."""
    rows = list(MatchRuling.objects.filter(author=request.user.pk, undone=None).order_by("-pk")[:RECENT])
    records = listed_by_public_id({name for row in rows for name in ruling_from_row(row).names})
    called = {name: _title(record) for name, record in records.items()}
    return [(row, sentence(ruling_from_row(row), called)) for row in rows]


def _title(record: ListedRecord) -> str:
    words = " ".join(filter(None, (Truncator(record.title).chars(TITLE_LENGTH), record.volume)))
    return _("“%(title)s”") % {"title": words} if words else record.public_id
