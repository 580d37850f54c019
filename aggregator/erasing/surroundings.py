"""What is known of a provider besides its records: runs, feeds and logins, contacts, letters, rulings, the trace.

Rows of other tables that only name it are found by the names that were noted in the beginning (`Erasure.names`).
"""

from functools import reduce
from operator import or_
from urllib.parse import urlsplit

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from aggregator.erasing.begin import about, names_in, own_librarians, rulings
from aggregator.models import ChangeList, Erasure, ResourceChange
from aggregator.provision.pending import MERGED
from harvesting.models import (
    Application,
    AuditEntry,
    DailyCount,
    Feed,
    Harvest,
    HealthStatus,
    IgnoredIssue,
    Invitation,
    IssueCount,
    NotificationEvent,
    OutgoingMessage,
    Recipient,
    Repository,
    RuleSwitch,
    SelfTest,
)
from harvesting.registry import uploads

KEPT_DEEDS = ("provider.erasing", "provider.erased")
RUNS = 100  # of one transaction
ENTRIES = 5000
OF_REPOSITORY = (
    Application,
    DailyCount,
    IgnoredIssue,
    IssueCount,
    NotificationEvent,
    Recipient,
    RuleSwitch,
    HealthStatus,
)


def erase(erasure: Erasure) -> None:
    """All of it. Repeatable."""
    repository = erasure.repository
    feeds = Feed.objects.filter(repository=repository)
    paths = list(feeds.values_list("base_url", flat=True))
    while runs := list(Harvest.objects.filter(feed__in=feeds).values_list("pk", flat=True)[:RUNS]):
        Harvest.objects.filter(pk__in=runs).delete()
    with transaction.atomic():
        _validations(repository, paths)
        for table in OF_REPOSITORY:
            table._base_manager.filter(repository=repository).delete()
        _letters(repository, erasure.names)
        _rulings(repository.number)
        _people(repository)
        _trace(repository, erasure.names)
        feeds.delete()
    for path in paths:
        uploads.discard(path)
    _given((repository.pk, MERGED))


def _validations(repository: Repository, paths: list[str]) -> None:
    """Self-tests of its addresses, and the samples that came with its registration."""
    hosts = {urlsplit(each).hostname or "" for each in paths} - {""}
    trials = list(
        Application.objects.filter(repository=repository, trial__isnull=False).values_list("trial", flat=True)
    )
    SelfTest.objects.filter(Q(host__in=hosts) | Q(pk__in=trials)).delete()


def _letters(repository: Repository, names: list[str]) -> None:
    """Those about it, to its contacts, and those in which it is named beside others."""
    named = [Q(text__contains=each) | Q(subject__contains=each) | Q(address=each) for each in names]
    OutgoingMessage.objects.filter(reduce(or_, named, Q(repository=repository))).delete()


def _rulings(number: str) -> None:
    """Of what staff ruled the bare ids stay where others are concerned, so that their groups do not fall apart."""
    own = about(number)
    for ruling in rulings(number):
        if all(map(own, names_in(ruling))):
            ruling.delete()
            continue
        ruling.snapshot = {name: facts for name, facts in ruling.snapshot.items() if not own(name)}
        ruling.reason = ""
        ruling.save(update_fields=["snapshot", "reason"])


def _people(repository: Repository) -> None:
    """Accounts that looked after nothing else, and invitations for it alone."""
    for person in own_librarians(repository):
        AuditEntry.objects.filter(Q(person=person) | Q(name=person.get_username())).delete()
        Invitation.objects.filter(email=person.email).delete()
        get_user_model().objects.filter(pk=person.pk).delete()
    repository.managers.clear()
    for invitation in Invitation.objects.filter(repositories=repository):
        invitation.repositories.remove(repository)
        if not invitation.repositories.exists():
            invitation.delete()


def _trace(repository: Repository, names: list[str]) -> None:
    """What was done to it, but for its end."""
    rows = AuditEntry.objects.annotate(said=Cast("details", TextField())).exclude(action__in=KEPT_DEEDS)
    named = [Q(about=each) | Q(about__startswith=f"{each} ") for each in names]
    number = Q(repository=repository) | Q(about__contains=repository.number) | Q(said__contains=repository.number)
    pks = list(rows.filter(reduce(or_, named, number)).values_list("pk", flat=True))
    for start in range(0, len(pks), ENTRIES):
        AuditEntry.objects.filter(pk__in=pks[start : start + ENTRIES]).delete()


def _given(origins: tuple[int, int]) -> None:
    """What was given on once: the fact of each change stays, its bytes do not. Of merged records none, since any of
    them may have been made of this provider's words."""
    for number in list(ChangeList.objects.filter(origin__in=origins).values_list("pk", flat=True)):
        ResourceChange.objects.filter(change_list=number).exclude(packed=b"").update(packed=b"")
