"""What somebody lets be: a rule for all records of a provider, or one finding. With a reason, and back again.

Whoever calls this counts anew afterwards (`harvesting.issues.counts`), once for all that was done.
"""

from django.db import IntegrityError, transaction
from django.utils import timezone

from harvesting.models import IgnoredIssue, RecordIssue, Repository


def ignore_rule(repository: Repository, code: str, reason: str, person: str) -> IgnoredIssue | None:
    """Let a rule be for all records, those to come included; None if it is ignored already."""
    try:
        with transaction.atomic():
            return IgnoredIssue.objects.create(repository=repository, code=code, reason=reason, decided_by=person)
    except IntegrityError:
        return None


def ignore_issue(issue: RecordIssue, repository: Repository, reason: str, person: str) -> IgnoredIssue | None:
    """Let one finding be, as long as the provider sends the same; None if it is ignored already."""
    with transaction.atomic():
        held = RecordIssue.objects.select_for_update(of=("self",)).filter(pk=issue.pk, ignored=None)
        if not held.exists():
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


def take_back(row: IgnoredIssue, person: str) -> bool:
    """Let it count again; False if that was done already. The row stays, as history."""
    with transaction.atomic():
        open_row = IgnoredIssue.objects.filter(pk=row.pk, undone_at=None)
        if not open_row.update(undone_at=timezone.now(), undone_by=person):
            return False
        RecordIssue.objects.filter(ignored=row).update(ignored=None)
    return True
