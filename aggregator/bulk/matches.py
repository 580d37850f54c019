"""Bulk answers to questions of the matcher: the same answer for all pairs with the same evidence (the pattern)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy

from aggregator.grouping.rulings.meaning import NOT_SAME, SAME
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.queue import KINDS, reasons, still_open, with_records
from aggregator.review.ruling_form import REPOSITORY
from aggregator.review.rulings import Contradiction, end, put_in_force
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.bulk.base import Action, Change, Example, Portion, Target
from harvesting.issues.filters import ReasonForm
from harvesting.models import BulkAction, BulkChange

PORTION = 20  # pairs per transaction; few, because each ruling reads all rulings in force


class AnswerForm(ReasonForm):
    """The reason for a ruling, and whether it is also for records that are described in the same way."""

    copies = forms.BooleanField(
        label=gettext_lazy("Also for all records that are described in the same way, now and later"),
        required=False,
        initial=True,
    )


def pattern_of(evidence: Iterable[dict[str, Any]]) -> str:
    """The rules that a pair agrees and differs in, whatever the weights: "rule=outcome", sorted."""
    return ",".join(sorted({f"{item['rule']}={item['outcome']}" for item in evidence}))


def query_of_pattern(first: str, second: str, place: Mapping[str, str]) -> str:
    """The filter of all questions with the evidence of a pair, given by public ids; "" if the pair is not asked.

    place: the filters of the queue: kind and repository.
    """
    pairs = ReviewPair.objects.filter(asked=True, first__public_id__in=(first, second))
    evidence = pairs.filter(second__public_id__in=(first, second)).values_list("evidence", flat=True).first()
    if evidence is None:
        return ""
    filters = {name: place.get(name, "") for name in ("kind", "repository")}
    return urlencode({"pattern": pattern_of(evidence), **{name: value for name, value in filters.items() if value}})


def _rows(query: QueryDict, person: Any) -> QuerySet[ReviewPair]:
    """The questions that staff are asked, or could be: all that wait, not only those of the present queue."""
    if role_of(person) < Role.STAFF:
        return ReviewPair.objects.none()
    pairs = still_open(ReviewPair.objects.filter(asked=True))
    kind, number = query.get("kind", ""), query.get("repository", "")
    if kind in KINDS:
        pairs = pairs.filter(joined=KINDS[kind])
    if REPOSITORY.fullmatch(number):
        pairs = pairs.filter(Q(first__repository__number=number) | Q(second__repository__number=number))
    return pairs


def _keep(query: QueryDict, rows: QuerySet[ReviewPair]) -> list[int]:
    pattern = query.get("pattern", "")
    found = rows.values_list("pk", "evidence")
    return [pk for pk, evidence in found if not pattern or pattern_of(evidence) == pattern]


def _examples(numbers: Sequence[int], _query: QueryDict) -> list[Example]:
    pairs = with_records(ReviewPair.objects.filter(pk__in=numbers)).order_by("pk")
    return [
        Example(f"{pair.first.public_id} – {pair.second.public_id}", " · ".join(reasons(pair)), _page(pair))
        for pair in pairs
    ]


def _page(pair: ReviewPair) -> str:
    return f"{reverse('match_pair')}?{urlencode({'first': pair.first.public_id, 'second': pair.second.public_id})}"


def _answer(verdict: str, portion: Portion) -> list[Change]:
    """Rule on every pair; what contradicts rulings in force is left out."""
    changes = []
    for pair in with_records(ReviewPair.objects.filter(pk__in=portion.numbers)).order_by("pk"):
        names = sorted([pair.first.public_id, pair.second.public_id])
        row = MatchRuling(verdict=verdict, first=names[0], second=names[1], reason=portion.parameters["reason"])
        row.with_copies = names if portion.parameters["copies"] else []
        try:
            put_in_force(row, portion.person)
        except Contradiction:
            continue
        changes.append(Change(pair.pk, None, {"ruling": row.pk}))
    return changes


def _take_back(_bulk: BulkAction, person: Any, changes: Sequence[BulkChange]) -> set[int]:
    rows = MatchRuling.objects.filter(undone=None).in_bulk([change.before["ruling"] for change in changes])
    undone = set()
    for change in changes:
        row = rows.get(change.before["ruling"])
        if row is not None:
            end(row, person)
            undone.add(change.number)
    return undone


MATCHES = Target(
    name="matches",
    label=gettext_lazy("Pairs to review"),
    model=ReviewPair,
    rows=_rows,
    keep=_keep,
    examples=_examples,
    page="matches",
)
ACTIONS = (
    Action(
        name="matches.same",
        target=MATCHES,
        label=gettext_lazy("The same book"),
        effect=gettext_lazy("A ruling says of each of these pairs that both records describe the same book."),
        form=AnswerForm,
        least=Role.STAFF,
        apply=lambda portion: _answer(SAME, portion),
        undo=_take_back,
        portion=PORTION,
    ),
    Action(
        name="matches.not_same",
        target=MATCHES,
        label=gettext_lazy("Different books"),
        effect=gettext_lazy("A ruling says of each of these pairs that the records describe different books."),
        form=AnswerForm,
        least=Role.STAFF,
        apply=lambda portion: _answer(NOT_SAME, portion),
        undo=_take_back,
        portion=PORTION,
    ),
)
