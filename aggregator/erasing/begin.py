"""Deciding that a provider is erased: nothing is harvested from it any more, nothing of it is shown. And what it means.

Knows tables; the long work is in `work`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from aggregator.models import Erasure, MatchRuling
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.audit.trail import note
from harvesting.models import Draft, Harvest, Recipient, Repository, SourceRecord

NAMELESS = "—"
SHORTEST = 4  # letters of a name by which others are searched through


@dataclass(frozen=True, slots=True)
class Meaning:
    """What would be erased. accounts: login names of librarians who look after nothing else."""

    records: int
    feeds: int
    runs: int
    addresses: int
    rulings: int
    accounts: tuple[str, ...]


def meaning(repository: Repository) -> Meaning:
    """What erasing it would mean."""
    return Meaning(
        records=SourceRecord.objects.filter(repository=repository).count(),
        feeds=repository.feeds.count(),
        runs=Harvest.objects.filter(feed__repository=repository).count(),
        addresses=Recipient.objects.filter(repository=repository).count(),
        rulings=len(rulings(repository.number)),
        accounts=tuple(own_librarians(repository).values_list("username", flat=True).order_by("username")),
    )


def own_librarians(repository: Repository) -> QuerySet[Any]:
    """The librarians who look after this provider and no other, and are not about to register one."""
    people = get_user_model().objects.filter(repository=repository, is_superuser=False, groups__name=LIBRARIANS)
    others = Repository.objects.filter(managers=OuterRef("pk")).exclude(pk=repository.pk)
    drafts = Draft.objects.filter(owner=OuterRef("pk"))
    return people.exclude(groups__name=STAFF).exclude(Exists(others)).exclude(Exists(drafts)).distinct()


def rulings(number: str) -> list[MatchRuling]:
    """What staff ruled about records of a provider. Their rulings are thousands at most."""
    return [each for each in MatchRuling.objects.order_by("pk") if any(map(about(number), names_in(each)))]


def names_in(ruling: MatchRuling) -> list[str]:
    """The public ids or the repository number that a ruling speaks of."""
    return [each for each in (ruling.first, ruling.second, *ruling.records) if each]


def about(number: str) -> Callable[[str], bool]:
    """Whether a public id is of this provider."""
    return lambda name: name == number or name.startswith(f"{number}-")


@transaction.atomic
def begin(repository: Repository, person: Any, reason: str) -> Erasure:
    """Decide it: from here on there is no way back. Asking again goes on with what was begun."""
    known = Erasure.objects.filter(repository=repository).first()
    if known:
        return known
    repository = Repository.objects.select_for_update(of=("self",)).get(pk=repository.pk)
    by = person.get_username() if person is not None else ""
    erasure = Erasure.objects.create(repository=repository, reason=reason, asked_by=by, names=_names(repository))
    _stop(repository)
    _empty(repository)
    note(person, "provider.erasing", repository, reason)
    return erasure


def _names(repository: Repository) -> list[str]:
    """What letters and the trace may call it, its contacts and its own librarians."""
    people = own_librarians(repository).values_list("username", "email")
    found = [repository.number, repository.name, repository.name_en, repository.contact_email]
    found += [each for person in people for each in person]
    found += Recipient.objects.filter(repository=repository).values_list("address", flat=True)
    return sorted({each for each in found if len(each) >= SHORTEST})


def _stop(repository: Repository) -> None:
    """Runs end, and whoever works on one may not write any more: its fence has moved."""
    for run in Harvest.objects.select_for_update(of=("self",)).filter(feed__repository=repository).active():
        values = {"state": Harvest.State.CANCELLED, "lease_until": None, "owner": "", "finished_at": timezone.now()}
        Harvest.objects.filter(pk=run.pk).update(**values, fence=run.fence + 1, resume_at=None)


def _empty(repository: Repository) -> None:
    """The row as it stays. Not approved: nothing harvests it or lists it."""
    texts = ("name_yomi", "name_en", "contact_email", "home_page", "link_template", "licence", "state_reason")
    Repository.objects.filter(pk=repository.pk).update(
        **dict.fromkeys(texts, ""),
        name=NAMELESS,
        state=Repository.State.STOPPED,
        approved=False,
        kind=Repository.Kind.OTHER,
        profile=Repository.Profile.NDL,
        link_encoding=Repository.LinkEncoding.UTF_8,
        trust=0,
    )
    repository.refresh_from_db()
