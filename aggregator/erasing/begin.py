"""Starting an erasure, and previewing what it would delete. From the start on the provider is neither harvested nor
listed. The long work is in `work`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from aggregator.erasing import libraries
from aggregator.erasing.libraries import LibraryPreview
from aggregator.models import Erasure, LibraryMember, MatchRuling
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.audit.trail import note
from harvesting.models import Draft, Harvest, Recipient, Repository, SourceRecord

NAMELESS = "—"
MIN_NAME_LENGTH = 4  # characters; shorter names would match too much when messages are searched for them


@dataclass(frozen=True, slots=True)
class ErasurePreview:
    """What would be erased, in numbers. addresses: of people who are notified. accounts: login names of the librarians
    whose accounts are deleted, see `own_librarians`. libraries: what becomes of books and libraries.
    """

    records: int
    feeds: int
    runs: int
    addresses: int
    rulings: int
    accounts: tuple[str, ...]
    libraries: LibraryPreview


def preview_erasure(repository: Repository) -> ErasurePreview:
    """Return what erasing the provider would delete."""
    return ErasurePreview(
        records=SourceRecord.objects.filter(repository=repository).count(),
        feeds=repository.feeds.count(),
        runs=Harvest.objects.filter(feed__repository=repository).count(),
        addresses=Recipient.objects.filter(repository=repository).count(),
        rulings=len(rulings(repository.number)),
        accounts=tuple(own_librarians(repository).values_list("username", flat=True).order_by("username")),
        libraries=libraries.preview(repository),
    )


def own_librarians(repository: Repository) -> QuerySet[Any]:
    """The librarians who manage this provider and no other, are not registering another one, are not staff, and work
    for no library.
    """
    people = get_user_model().objects.filter(repository=repository, is_superuser=False, groups__name=LIBRARIANS)
    others = Repository.objects.filter(managers=OuterRef("pk")).exclude(pk=repository.pk)
    drafts = Draft.objects.filter(owner=OuterRef("pk"))
    libraries = LibraryMember.objects.filter(user=OuterRef("pk"))
    busy = Exists(others) | Exists(drafts) | Exists(libraries)
    return people.exclude(groups__name=STAFF).exclude(busy).distinct()


def rulings(number: str) -> list[MatchRuling]:
    """Return the rulings about records of a provider. Reads all rulings, of which there are thousands at most."""
    return [
        ruling for ruling in MatchRuling.objects.order_by("pk") if any(map(belongs_to(number), names_in_ruling(ruling)))
    ]


def names_in_ruling(ruling: MatchRuling) -> list[str]:
    """Return the public ids, or the repository number, that a ruling is about."""
    return [name for name in (ruling.first, ruling.second, *ruling.records) if name]


def belongs_to(number: str) -> Callable[[str], bool]:
    """Return a predicate: whether a public id or repository number belongs to this provider."""
    return lambda name: name == number or name.startswith(f"{number}-")


@transaction.atomic
def begin(repository: Repository, person: Any, reason: str) -> Erasure:
    """Start erasing a provider; this cannot be undone. If an erasure has been started before, return that one."""
    existing = Erasure.objects.filter(repository=repository).first()
    if existing:
        return existing
    repository = Repository.objects.select_for_update(of=("self",)).get(pk=repository.pk)
    requester = person.get_username() if person is not None else ""
    erasure = Erasure.objects.create(repository=repository, reason=reason, asked_by=requester, names=_names(repository))
    _stop(repository)
    _blank(repository)
    note(person, "provider.erasing", repository, reason)
    return erasure


def _names(repository: Repository) -> list[str]:
    """Return the names by which messages and the audit trail may mention the provider, its contacts and librarians."""
    people = own_librarians(repository).values_list("username", "email")
    names = [repository.number, repository.name, repository.name_en, repository.contact_email]
    names += [value for person in people for value in person]
    names += Recipient.objects.filter(repository=repository).values_list("address", flat=True)
    return sorted({value for value in names if len(value) >= MIN_NAME_LENGTH})


def _stop(repository: Repository) -> None:
    """Cancel the provider's harvests. Their fence is raised, so that later writes of their workers are refused."""
    for run in Harvest.objects.select_for_update(of=("self",)).filter(feed__repository=repository).active():
        values = {"state": Harvest.State.CANCELLED, "lease_until": None, "owner": "", "finished_at": timezone.now()}
        Harvest.objects.filter(pk=run.pk).update(**values, fence=run.fence + 1, resume_at=None)


def _blank(repository: Repository) -> None:
    """Blank the provider's row. It is no longer approved, so it is neither harvested nor listed."""
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
