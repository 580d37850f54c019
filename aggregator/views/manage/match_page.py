"""The pages of the review: two records side by side, the reasons, and the effect of an answer. Read-only."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from aggregator.bulk.matches import query_of
from aggregator.grouping.inspection.duplicates import ListedRecord, listed_by_public_id
from aggregator.grouping.inspection.reasons import PairExplanation
from aggregator.grouping.rulings.meaning import NOT_SAME, SAME
from aggregator.grouping.rulings.rows import ruling_from_row
from aggregator.matching.patterns import LONGEST
from aggregator.matching.reasons import Apart
from aggregator.models import MatchRuling
from aggregator.presentation.comparisons import compared, strongest_difference
from aggregator.review.offers import ENOUGH, Answer, Offer, answers, offers
from aggregator.review.patterns import pattern_row, providers_in, waiting
from aggregator.review.queue import KINDS, READERS, Question, after_pair, queue, still_open
from aggregator.review.readers_words import reported_pairs, words_about
from aggregator.review.ruling_form import REPOSITORY
from aggregator.review.rulings import sentence
from aggregator.review.side_by_side import matching_fields, other_fields
from harvesting.models import Repository

CURSOR = re.compile(r"r?[0-9]{1,18}")
PATTERN = re.compile(rf"[a-z0-9_=,]{{1,{LONGEST}}}")
FOLLOWING = 20  # further pairs of a pattern that are listed
RECENT = 5  # own rulings that can be undone on the page
REASON_LENGTH = 2000
TITLE_LENGTH = 60
CONTRADICTIONS = 3  # pairs across two groups that are listed


@dataclass(frozen=True, slots=True)
class NextPair:
    """A further pair of a pattern. query: of the page that shows it; titles, providers: of its two records."""

    query: str
    titles: str
    providers: str


def place(request: HttpRequest) -> dict[str, str]:
    """Return the position in the queue, from the address or the form; "" for what is missing or malformed.

    kind, repository, pattern: the filters; a pattern belongs to a kind. after: the cursor of the pair that was shown
    before.
    """
    given = request.POST if request.method == "POST" else request.GET
    kind, repository, pattern, after = (given.get(name, "") for name in ("kind", "repository", "pattern", "after"))
    return {
        "kind": kind if kind in KINDS or kind == READERS else "",
        "repository": repository if REPOSITORY.fullmatch(repository) else "",
        "pattern": pattern if kind in KINDS and PATTERN.fullmatch(pattern) else "",
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
        **(_about_pattern(wanted, more.get("question")) if wanted["pattern"] and not alone else {}),
        "found": found,
        "alone": alone,
        "was_tried": "effect" in more,
        "counts": counts(),
        "place": wanted,
        "again": query_string({**wanted, "after": ""}),
        "later": _later(wanted, more.get("question")),
        "recent": _recent(request),
        "given": {name: request.GET.get(name, "")[:300] for name in ("first", "second")},
        "reason": request.POST.get("reason", "")[:REASON_LENGTH],
    }
    return render(request, "matches/pair.html" if alone else "matches/review.html", context, status=status)


def counts() -> dict[str, int]:
    """Return kind of question -> how many pairs (READERS) or patterns of that kind wait."""
    return {READERS: len(reported_pairs()), **waiting()}


def offers_about(kind: str, pattern: str) -> list[Offer]:
    """Return the offers for the questions of a pattern."""
    return _offers(kind, pattern)[2]


def _offers(kind: str, pattern: str) -> tuple[list[Answer], dict[Repository, int], list[Offer]]:
    """The answers about a pattern, the providers of its open questions, and what is offered because of the answers."""
    given = answers(kind, pattern)
    waiting_of = providers_in(kind, pattern, {number for answer in given for number in answer.providers})
    return given, waiting_of, offers(given, waiting_of)


def _about_pattern(wanted: dict[str, str], question: Question | None) -> dict[str, Any]:
    """What is shown of the pattern of the page: what it is, the answers so far, what is offered, and the next pairs."""
    kind, pattern, repository = wanted["kind"], wanted["pattern"], wanted["repository"]
    given, waiting_of, offered = _offers(kind, pattern)
    found = [offer for offer in offered if repository in ("", offer.provider.number)]
    said = Counter(answer.verdict for answer in given)
    return {
        "about": pattern_row(kind, pattern, repository),
        "said": {"same": said[SAME], "different": said[NOT_SAME]},
        "enough": ENOUGH,
        "whole": query_of(kind, pattern),
        "providers": [
            (provider, count, query_of(kind, pattern, provider.number)) for provider, count in waiting_of.items()
        ],
        "offers": [(offer, query_of(kind, pattern, offer.provider.number)) for offer in found],
        "following": _following(wanted, question) if question else [],
    }


def _following(wanted: dict[str, str], question: Question) -> list[NextPair]:
    """Return the next pairs of the pattern of the page."""
    pairs = still_open(queue(joined=KINDS[wanted["kind"]], repository=wanted["repository"], pattern=wanted["pattern"]))
    rows = list(after_pair(pairs, int(question.cursor))[:FOLLOWING])
    records = listed_by_public_id({side.public_id for row in rows for side in (row.first, row.second)})
    shown, before = [], question.cursor
    for row in rows:
        titles = dict.fromkeys(_title(records[side.public_id]) for side in (row.first, row.second))
        providers = dict.fromkeys(side.repository.label for side in (row.first, row.second))
        shown.append(NextPair(query_string({**wanted, "after": before}), " – ".join(titles), " – ".join(providers)))
        before = str(row.pk)
    return shown


def _later(wanted: dict[str, str], question: Question | None) -> str:
    """Return the query string of the page after this question; "" if none is shown."""
    if question is None:
        return ""
    return query_string({**wanted, "after": question.cursor})


def query_string(wanted: dict[str, str]) -> str:
    """Return the query string of a place (see `place`)."""
    return urlencode({name: value for name, value in wanted.items() if value})


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
