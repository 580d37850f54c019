"""Bulk actions on providers: pausing and resuming, another schedule of their feeds, another validation profile."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy

from harvesting.accounts.access import repositories_of
from harvesting.accounts.ranks import Role
from harvesting.bulk.base import Action, Change, Example, Portion, Target
from harvesting.joining.forms import ReasonForm
from harvesting.models import BulkAction, BulkChange, Feed, HealthStatus, Repository
from harvesting.transports.registry import live_protocols

State = Repository.State
LONGEST = 200  # characters of a search
SCHEDULES = [choice for choice in Feed.Schedule.choices if choice[0] != Feed.Schedule.CRON]


class ScheduleForm(forms.Form):
    """How often the feeds are to be harvested."""

    schedule = forms.ChoiceField(label=gettext_lazy("Schedule"), choices=SCHEDULES)


class ProfileForm(forms.Form):
    """By which profile the records are to be checked."""

    profile = forms.ChoiceField(label=gettext_lazy("validation profile"), choices=Repository.Profile.choices)


def search(repositories: QuerySet[Repository], text: str) -> QuerySet[Repository]:
    """The providers with this number, or with this text in their name."""
    wanted = text.strip()[:LONGEST]
    return repositories.filter(Q(number__iexact=wanted) | Q(name__icontains=wanted)) if wanted else repositories


def _rows(query: QueryDict, person: Any) -> QuerySet[Repository]:
    own = Repository.objects.filter(pk__in=list(repositories_of(person).values_list("pk", flat=True)))
    return search(own, query.get("q", ""))


def _examples(numbers: Sequence[int], _query: QueryDict) -> list[Example]:
    rows = Repository.objects.filter(pk__in=numbers).order_by("pk")
    return [Example(row.label, row.get_state_display(), reverse("provider", args=[row.number])) for row in rows]


def _judge_again(repositories: Iterable[int]) -> None:
    HealthStatus.objects.filter(pk__in=list(repositories)).update(checked_at=None)


def _to_state(state: str, portion: Portion) -> list[Change]:
    rows = Repository.objects.select_for_update(of=("self",)).filter(pk__in=portion.numbers).order_by("pk")
    before = [(row.pk, {"state": row.state, "reason": row.state_reason}) for row in rows]
    Repository.objects.filter(pk__in=portion.numbers).update(state=state, state_reason=portion.parameters["reason"])
    return [Change(pk, pk, {**values, "now": state}) for pk, values in before]


def _from_state(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    """Give the providers their state back, unless it has been changed since."""
    return {
        change.number
        for change in changes
        if Repository.objects.filter(pk=change.number, state=change.before["now"]).update(
            state=change.before["state"], state_reason=change.before["reason"]
        )
    }


def _schedule(portion: Portion) -> list[Change]:
    schedule = portion.parameters["schedule"]
    before: dict[int, dict[str, Any]] = {}
    feeds = Feed.objects.select_for_update(of=("self",)).filter(repository__in=portion.numbers)
    feeds = feeds.exclude(protocol__in=live_protocols())
    for pk, owner, old, cron in feeds.values_list("pk", "repository", "schedule", "cron"):
        if old != schedule:
            before.setdefault(owner, {"feeds": [], "now": schedule})["feeds"].append([pk, old, cron])
    Feed.objects.filter(repository__in=before).exclude(protocol__in=live_protocols()).update(schedule=schedule, cron="")
    return [Change(owner, owner, values) for owner, values in before.items()]


def _unschedule(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    undone = set()
    for change in changes:
        for pk, schedule, cron in change.before["feeds"]:
            unchanged = Feed.objects.filter(pk=pk, schedule=change.before["now"])
            if unchanged.update(schedule=schedule, cron=cron):
                undone.add(change.number)
    return undone


def _profile(portion: Portion) -> list[Change]:
    profile = portion.parameters["profile"]
    rows = Repository.objects.select_for_update(of=("self",)).filter(pk__in=portion.numbers).exclude(profile=profile)
    before = list(rows.values_list("pk", "profile"))
    Repository.objects.filter(pk__in=[pk for pk, _old in before]).update(profile=profile)
    return [Change(pk, pk, {"profile": old, "now": profile}) for pk, old in before]


def _unprofile(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    return {
        change.number
        for change in changes
        if Repository.objects.filter(pk=change.number, profile=change.before["now"]).update(
            profile=change.before["profile"]
        )
    }


PROVIDERS = Target(
    name="providers",
    label=gettext_lazy("Providers"),
    model=Repository,
    rows=_rows,
    examples=_examples,
    page="providers",
    after=_judge_again,
)
ACTIONS = (
    Action(
        name="providers.pause",
        target=PROVIDERS,
        label=gettext_lazy("Pause"),
        effect=gettext_lazy("These providers are not harvested until they are resumed. Their records stay."),
        form=ReasonForm,
        applicable=lambda _query, rows: rows.filter(approved=True, state=State.LIVE),
        apply=lambda portion: _to_state(State.PAUSED, portion),
        undo=_from_state,
    ),
    Action(
        name="providers.resume",
        target=PROVIDERS,
        label=gettext_lazy("Resume"),
        effect=gettext_lazy("These paused providers are harvested on their schedules again."),
        form=ReasonForm,
        applicable=lambda _query, rows: rows.filter(approved=True, state=State.PAUSED),
        apply=lambda portion: _to_state(State.LIVE, portion),
        undo=_from_state,
    ),
    Action(
        name="providers.schedule",
        target=PROVIDERS,
        label=gettext_lazy("Change the schedule"),
        effect=gettext_lazy("All feeds of these providers get the same schedule."),
        form=ScheduleForm,
        apply=_schedule,
        undo=_unschedule,
    ),
    Action(
        name="providers.profile",
        target=PROVIDERS,
        label=gettext_lazy("Change the profile"),
        effect=gettext_lazy(
            "The records of these providers are checked by another profile, from the next harvest or reread on."
        ),
        form=ProfileForm,
        least=Role.STAFF,
        apply=_profile,
        undo=_unprofile,
    ),
)
