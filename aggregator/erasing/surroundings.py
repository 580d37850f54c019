"""Erases a provider's data other than records: harvests, feeds, accounts, contacts, messages, rulings, audit trail,
what it said about libraries. Also erases what is stored under the e-mail address of a reader.

Rows that only mention the provider are found by the names that were stored at the start (`Erasure.names`).
"""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from urllib.parse import urlsplit

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from aggregator.alerts.requests import delete_address
from aggregator.browse.counting import forget_headings
from aggregator.erasing import libraries
from aggregator.erasing.begin import belongs_to, names_in_ruling, own_librarians, rulings
from aggregator.models import (
    ChangeList,
    CheckedLink,
    ContentFigures,
    Erasure,
    ErrorReport,
    LinkHost,
    LiveDay,
    LiveState,
    LoanEvent,
    ResourceChange,
    UseCount,
)
from aggregator.provision.pending import MERGED
from harvesting.models import (
    Application,
    AuditEntry,
    BulkAction,
    BulkChange,
    DailyCount,
    DoctoralThesis,
    DoiAgreement,
    DoiDelivery,
    EnrichmentRules,
    Feed,
    Harvest,
    HealthStatus,
    IgnoredIssue,
    Invitation,
    IssueCount,
    IssuePatterns,
    NotificationEvent,
    OutgoingMessage,
    Push,
    PushToken,
    Recipient,
    Repository,
    RequestedDoi,
    RuleSwitch,
    SelfTest,
)
from harvesting.registry import uploads


@dataclass(frozen=True, slots=True)
class ErasedReader:
    """How many alerts were deleted, and from how many reports the address was removed."""

    alerts: int
    reports: int


KEPT_ACTIONS = ("provider.erasing", "provider.erased")
RUNS = 100  # harvests per transaction
AUDIT_BATCH = 5000  # entries per statement
OF_REPOSITORY = (
    Application,
    BulkAction,
    BulkChange,
    DailyCount,
    DoctoralThesis,
    DoiAgreement,
    RequestedDoi,
    DoiDelivery,
    EnrichmentRules,
    IgnoredIssue,
    IssueCount,
    IssuePatterns,
    NotificationEvent,
    PushToken,
    Recipient,
    RuleSwitch,
    HealthStatus,
    CheckedLink,
    LinkHost,
    LiveDay,
    LiveState,
)


def erase(erasure: Erasure) -> None:
    """Erase the data of the provider that is neither in its records nor in files. Can be repeated."""
    forget_headings()
    repository = erasure.repository
    feeds = Feed.objects.filter(repository=repository)
    paths = list(feeds.values_list("base_url", flat=True))
    paths += Push.objects.filter(feed__in=feeds).exclude(file="").values_list("file", flat=True)
    while runs := list(Harvest.objects.filter(feed__in=feeds).values_list("pk", flat=True)[:RUNS]):
        Harvest.objects.filter(pk__in=runs).delete()
    with transaction.atomic():
        _validations(repository, paths)
        for table in OF_REPOSITORY:
            table._base_manager.filter(repository=repository).delete()
        BulkAction.objects.filter(query__contains=repository.number).delete()
        ContentFigures.objects.filter(kind=ContentFigures.Kind.PROVIDER, number=repository.pk).delete()
        UseCount.objects.filter(kind=UseCount.Kind.PROVIDER, number=repository.pk).delete()
        _messages(repository, erasure.names)
        _rulings(repository.number)
        _people(repository)
        _audit_trail(repository, erasure.names)
        libraries.erase(repository, erasure.libraries)
        feeds.delete()
    for path in paths:
        uploads.discard(path)
    _past_changes((repository.pk, MERGED))


def _validations(repository: Repository, paths: list[str]) -> None:
    """Delete the self-tests of its hosts, and the trials that belong to its applications."""
    hosts = {urlsplit(path).hostname or "" for path in paths} - {""}
    trials = list(
        Application.objects.filter(repository=repository, trial__isnull=False).values_list("trial", flat=True)
    )
    SelfTest.objects.filter(Q(host__in=hosts) | Q(pk__in=trials)).delete()


def _messages(repository: Repository, names: list[str]) -> None:
    """Delete the messages about it, to its contacts, and those that mention it beside other providers."""
    named = [Q(text__contains=name) | Q(subject__contains=name) | Q(address=name) for name in names]
    OutgoingMessage.objects.filter(reduce(or_, named, Q(repository=repository))).delete()


def _rulings(number: str) -> None:
    """Delete the rulings about its records only. Of rulings that also concern other providers' records the ids remain,
    so that their groups stay together.
    """
    is_own = belongs_to(number)
    for ruling in rulings(number):
        if all(map(is_own, names_in_ruling(ruling))):
            ruling.delete()
            continue
        ruling.snapshot = {name: facts for name, facts in ruling.snapshot.items() if not is_own(name)}
        ruling.reason = ""
        ruling.save(update_fields=["snapshot", "reason"])


def _people(repository: Repository) -> None:
    """Delete the accounts that managed no other provider, and the invitations for this provider only."""
    for person in own_librarians(repository):
        AuditEntry.objects.filter(Q(person=person) | Q(name=person.get_username())).delete()
        BulkAction.objects.filter(Q(person=person) | Q(name=person.get_username())).delete()
        Invitation.objects.filter(email=person.email).delete()
        LoanEvent.objects.forget_name(person.get_username())
        get_user_model().objects.filter(pk=person.pk).delete()
    repository.managers.clear()
    for invitation in Invitation.objects.filter(repositories=repository):
        invitation.repositories.remove(repository)
        if not invitation.repositories.exists():
            invitation.delete()


def _audit_trail(repository: Repository, names: list[str]) -> None:
    """Delete the audit trail about it, except for the entries about its erasure."""
    rows = AuditEntry.objects.annotate(details_text=Cast("details", TextField())).exclude(action__in=KEPT_ACTIONS)
    named = [Q(about=name) | Q(about__startswith=f"{name} ") for name in names]
    number = Q(repository=repository)
    number |= Q(about__contains=repository.number) | Q(details_text__contains=repository.number)
    pks = list(rows.filter(reduce(or_, named, number)).values_list("pk", flat=True))
    for start in range(0, len(pks), AUDIT_BATCH):
        AuditEntry.objects.filter(pk__in=pks[start : start + AUDIT_BATCH]).delete()


def _past_changes(origins: tuple[int, int]) -> None:
    """Remove the content of past changes in the change lists; the fact of every change remains.

    For merged records all content is removed, since any of it may come from this provider.
    """
    for number in list(ChangeList.objects.filter(origin__in=origins).values_list("pk", flat=True)):
        ResourceChange.objects.filter(change_list=number).exclude(packed=b"").update(packed=b"")


@transaction.atomic
def erase_reader(address: str) -> ErasedReader:
    """Delete the alerts of an address, and remove the address from all reports; the texts of the reports stay."""
    reports = ErrorReport.objects.filter(email__iexact=address.strip()).update(email="")
    return ErasedReader(delete_address(address), reports)
