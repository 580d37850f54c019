"""Bulk actions on issues: ignoring them, fetching their records again, rereading, writing to their providers."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from harvesting.accounts.access import repositories_of
from harvesting.bulk.again import ask_again, reread
from harvesting.bulk.base import Action, Change, Example, Portion, Target
from harvesting.issues.counts import count_issues
from harvesting.issues.filters import IssueFilterForm, ReasonForm
from harvesting.issues.ignoring import ignore_issues, unignore
from harvesting.issues.letter import as_text, letter
from harvesting.issues.lists import OPEN, matching_issues
from harvesting.issues.wording import word_issues
from harvesting.mail.texts import compose_message, page_url
from harvesting.models import (
    LARGE_COLUMNS,
    BulkAction,
    BulkChange,
    IgnoredIssue,
    OutgoingMessage,
    RecordIssue,
    Repository,
)


def _rows(query: QueryDict, person: Any) -> QuerySet[RecordIssue]:
    form = IssueFilterForm(query)
    own = repositories_of(person)
    if not form.is_valid() or form.cleaned_data["state"] not in ("", OPEN):
        return RecordIssue.objects.none()
    number = form.cleaned_data["repository"]
    repositories = own.filter(number=number) if number else own
    return matching_issues(form.issue_query(list(repositories.values_list("pk", flat=True))))


def _examples(numbers: Sequence[int], _query: QueryDict) -> list[Example]:
    rows = RecordIssue.objects.filter(pk__in=numbers).select_related("source_record").order_by("pk")
    found = list(rows.defer(*(f"source_record__{name}" for name in LARGE_COLUMNS)))
    return [
        Example(row.source_record.identifier, f"{words.code} {words.sentence}", _page(row))
        for row, words in zip(found, word_issues(found), strict=True)
    ]


def _page(row: RecordIssue) -> str:
    return f"{reverse('record', args=[row.source_record.public_id])}?issue={row.pk}#payload"


def count_again(repositories: Iterable[int]) -> None:
    """Count the issues of these providers anew."""
    for repository in Repository.objects.filter(pk__in=list(repositories)):
        count_issues(repository)


def _ignore(portion: Portion) -> list[Change]:
    ignored = ignore_issues(portion.numbers, portion.parameters["reason"], portion.bulk.name)
    return [Change(number, row.repository_id, {"ignoring": row.pk}) for number, row in ignored]


def _count(_bulk: BulkAction, person: Any, changes: Sequence[BulkChange]) -> set[int]:
    rows = IgnoredIssue.objects.in_bulk([change.before["ignoring"] for change in changes])
    found = [(change, rows.get(change.before["ignoring"])) for change in changes]
    return {change.number for change, row in found if row is not None and unignore(row, person.get_username())}


def _records(portion: Portion) -> dict[int, int]:
    return dict(RecordIssue.objects.filter(pk__in=portion.numbers).values_list("pk", "source_record"))


def _write(portion: Portion) -> list[Change]:
    """Write one letter to each provider that has not got one by this action."""
    owners = dict(RecordIssue.objects.filter(pk__in=portion.numbers).values_list("pk", "repository"))
    code = QueryDict(portion.bulk.query).get("code", "")
    changes = []
    repositories = Repository.objects.in_bulk({pk for pk in owners.values() if pk is not None})
    written = {pk for pk, repository in repositories.items() if _letter(portion.bulk, repository, code)}
    for number, owner in owners.items():
        if owner in written:
            changes.append(Change(number, owner))
    return changes


def _letter(bulk: BulkAction, repository: Repository, code: str) -> bool:
    """Put the letter into the outbox, once. Return whether there is one."""
    key = _key(bulk, repository.pk)
    if OutgoingMessage.objects.filter(key=key).exists():
        return True
    content = letter(repository, settings.LANGUAGE_CODE, code)
    if content is None or not content.matters or not repository.contact_email:
        return False
    with override(settings.LANGUAGE_CODE):
        subject = _("Issues in the records of %(number)s") % {"number": repository.number}
        text = as_text(content, settings.LANGUAGE_CODE, page_url("repository", repository.number))
        message = compose_message(key, "issues", repository.contact_email, subject, [text])
    message.repository = repository
    message.save()
    return True


def _key(bulk: BulkAction, repository: int | None) -> str:
    return f"issues-{bulk.pk}-{repository}"


def _keep_back(bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    """Delete the letters that have not been sent; those that have been sent stay."""
    keys = {_key(bulk, change.repository_id): change.repository_id for change in changes}
    waiting = OutgoingMessage.objects.filter(key__in=keys, state=OutgoingMessage.State.WAITING, attempts=0)
    waiting.delete()
    sent = {keys[key] for key in OutgoingMessage.objects.filter(key__in=keys).values_list("key", flat=True)}
    return {change.number for change in changes if change.repository_id not in sent}


ISSUES = Target(
    name="issues",
    label=gettext_lazy("Issues"),
    model=RecordIssue,
    rows=_rows,
    examples=_examples,
    page="issue_list",
    filter_form=IssueFilterForm,
    after=count_again,
)
ACTIONS = (
    Action(
        name="issues.ignore",
        target=ISSUES,
        label=gettext_lazy("Ignore"),
        effect=gettext_lazy(
            "These issues are no longer counted as errors or warnings, as long as the provider sends the same values."
        ),
        form=ReasonForm,
        apply=_ignore,
        undo=_count,
    ),
    Action(
        name="issues.ask",
        target=ISSUES,
        label=gettext_lazy("Fetch again from the provider"),
        effect=gettext_lazy("The records of these issues are requested from their providers again, 200 at a time."),
        lasting=gettext_lazy("What a harvest has changed is undone on the page of the harvest."),
        apply=lambda portion: ask_again(portion, _records(portion)),
    ),
    Action(
        name="issues.reread",
        target=ISSUES,
        label=gettext_lazy("Reread the stored data"),
        effect=gettext_lazy("The stored data of the records of these issues are read again by the current rules."),
        lasting=gettext_lazy("The same rules would give the same result; it can be repeated after rules have changed."),
        apply=lambda portion: reread(portion, _records(portion)),
        portion=50,
    ),
    Action(
        name="issues.letter",
        target=ISSUES,
        label=gettext_lazy("Write to the providers"),
        effect=gettext_lazy(
            "Each provider of these issues gets one message at its contact address, with its issues in plain words. "
            "Providers without an address are left out."
        ),
        apply=_write,
        undo=_keep_back,
    ),
)
