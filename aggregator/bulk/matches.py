"""Bulk answers to questions of the matcher: the same answer for all pairs of a pattern and provider."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy

from aggregator.grouping.inspection.duplicates import listed_by_public_id
from aggregator.grouping.rulings.meaning import NOT_SAME, SAME
from aggregator.matching.patterns import LONGEST
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.offers import answered_by
from aggregator.review.patterns import words_of
from aggregator.review.queue import KINDS, asked, still_open, with_records
from aggregator.review.ruling_form import REPOSITORY
from aggregator.review.rulings import Contradiction, end, put_in_force
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.bulk.base import Action, Change, Example, Portion, Target
from harvesting.issues.filters import ReasonForm
from harvesting.models import BulkAction, BulkChange, Repository

PORTION = 20  # pairs per transaction; few, because each ruling reads all rulings in force


class AnswerForm(ReasonForm):
    """The reason for a ruling, and whether it is also for records that are described in the same way."""

    copies = forms.BooleanField(
        label=gettext_lazy("Also for all records that are described in the same way, now and later"),
        required=False,
        initial=True,
    )


class PatternFilter(forms.Form):
    """The filter of the review: the names of its fields, for people."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Question"),
        choices=[
            ("joined", gettext_lazy("Grouped, but uncertain")),
            ("apart", gettext_lazy("Separate, but similar")),
        ],
    )
    pattern = forms.CharField(label=gettext_lazy("Signs of different books"))
    repository = forms.CharField(label=gettext_lazy("Provider"))


def query_of(kind: str, pattern: str, repository: str = "") -> str:
    """The filter of the questions of a kind and pattern; with a provider's number, of those with a record of it."""
    values = {"kind": kind, "pattern": pattern, "repository": repository}
    return urlencode({name: value for name, value in values.items() if value})


def _in_words(name: str, value: str) -> str:
    """The value of a field of the filter, as people know it."""
    if name == "pattern":
        return words_of(value)
    provider = Repository.objects.filter(number=value).first() if name == "repository" else None
    return provider.label if provider else value


def _rows(query: QueryDict, person: Any) -> QuerySet[ReviewPair]:
    """The questions that staff are asked and that have the filter's pattern; without a pattern, none."""
    pattern, number, kind = (query.get(name, "") for name in ("pattern", "repository", "kind"))
    if role_of(person) < Role.STAFF or not pattern or kind not in KINDS or not REPOSITORY.fullmatch(number):
        return ReviewPair.objects.none()
    return still_open(asked(joined=KINDS[kind], repository=number, pattern=pattern[:LONGEST]))


def _examples(numbers: Sequence[int], _query: QueryDict) -> list[Example]:
    pairs = list(with_records(ReviewPair.objects.filter(pk__in=numbers)).order_by("pk"))
    records = listed_by_public_id({side.public_id for pair in pairs for side in (pair.first, pair.second)})
    return [
        Example(
            " – ".join(dict.fromkeys(records[side.public_id].title or side.public_id for side in sides)),
            " – ".join(side.repository.label for side in sides),
            _page(pair),
        )
        for pair in pairs
        for sides in [(pair.first, pair.second)]
    ]


def _page(pair: ReviewPair) -> str:
    return f"{reverse('match_pair')}?{urlencode({'first': pair.first.public_id, 'second': pair.second.public_id})}"


def _answer(verdict: str, portion: Portion) -> list[Change]:
    """Rule on every pair; what contradicts rulings in force is left out."""
    changes = []
    for pair in with_records(ReviewPair.objects.filter(pk__in=portion.numbers)).order_by("pk"):
        names = sorted([pair.first.public_id, pair.second.public_id])
        row = MatchRuling(verdict=verdict, first=names[0], second=names[1], reason=portion.parameters["reason"])
        row.pattern, row.by_pattern = answered_by(pair), True
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
    examples=_examples,
    page="match_review",
    filter_form=PatternFilter,
    say=_in_words,
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
