"""Ignoring issues: a rule for all records of a provider, or a single issue; with a reason, and reversibly.

The caller must count the issues anew afterwards (`harvesting.issues.counts`), once for all changes.
"""

from django.db import IntegrityError, transaction
from django.utils import timezone

from harvesting.models import IgnoredIssue, RecordIssue, Repository


def ignore_rule(repository: Repository, code: str, reason: str, person: str) -> IgnoredIssue | None:
    """Ignore a rule for all present and future records of a repository. Return None if it is ignored already.

    person: name of the person who decides.
    """
    try:
        with transaction.atomic():
            return IgnoredIssue.objects.create(repository=repository, code=code, reason=reason, decided_by=person)
    except IntegrityError:
        return None


def ignore_issue(issue: RecordIssue, repository: Repository, reason: str, person: str) -> IgnoredIssue | None:
    """Ignore one issue as long as the provider sends the same value. Return None if it is ignored already."""
    with transaction.atomic():
        not_ignored = RecordIssue.objects.select_for_update(of=("self",)).filter(pk=issue.pk, ignored=None)
        if not not_ignored.exists():
            return None
        row = IgnoredIssue.objects.create(
            repository=repository,
            code=issue.code,
            record_id=issue.source_record_id,
            field=issue.field,
            value=issue.value,
            reason=reason,
            decided_by=person,
        )
        RecordIssue.objects.filter(pk=issue.pk).update(ignored=row)
    return row


def unignore(row: IgnoredIssue, person: str) -> bool:
    """Let an ignored rule or issue count again; return False if it does already. The row stays as history."""
    with transaction.atomic():
        still_ignored = IgnoredIssue.objects.filter(pk=row.pk, undone_at=None)
        if not still_ignored.update(undone_at=timezone.now(), undone_by=person):
            return False
        RecordIssue.objects.filter(ignored=row).update(ignored=None)
    return True
