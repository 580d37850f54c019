"""Ignoring issues: a rule for all records of a provider, or a single issue; with a reason, and reversibly.

The caller must count the issues anew afterwards (`harvesting.issues.counts`), once for all changes.
"""

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.database.batches import update
from harvesting.models import LARGE_COLUMNS, IgnoredIssue, RecordIssue, Repository


def ignore_rule(repository: Repository, code: str, reason: str, person: str) -> IgnoredIssue | None:
    """Ignore a rule for all present and future records of a repository. Return None if it is ignored already.

    person: name of the person who decides.
    """
    try:
        with transaction.atomic():
            return IgnoredIssue.objects.create(repository=repository, code=code, reason=reason, decided_by=person)
    except IntegrityError:
        return None


@transaction.atomic
def ignore_issues(issues: Iterable[int], reason: str, person: str) -> list[tuple[int, IgnoredIssue]]:
    """Ignore issues (given by their ids) as long as the provider sends the same values.

    Return the id and the decision of each. Those that are ignored already, or no longer exist, are left out.
    """
    open_issues = RecordIssue.objects.select_for_update(of=("self",)).filter(pk__in=issues, ignored=None)
    large = (f"source_record__{name}" for name in LARGE_COLUMNS)
    found = list(open_issues.select_related("source_record__repository").defer(*large).order_by("pk"))
    rows = IgnoredIssue.objects.bulk_create(
        IgnoredIssue(
            repository=issue.source_record.repository,
            code=issue.code,
            record_id=issue.source_record_id,
            field=issue.field,
            value=issue.value,
            reason=reason,
            decided_by=person,
        )
        for issue in found
    )
    update(RecordIssue, ("ignored_id",), [(row.pk, issue.pk) for row, issue in zip(rows, found, strict=True)])
    return [(issue.pk, row) for issue, row in zip(found, rows, strict=True)]


def unignore(row: IgnoredIssue, person: str) -> bool:
    """Let an ignored rule or issue count again; return False if it does already. The row stays as history."""
    with transaction.atomic():
        still_ignored = IgnoredIssue.objects.filter(pk=row.pk, undone_at=None)
        if not still_ignored.update(undone_at=timezone.now(), undone_by=person):
            return False
        RecordIssue.objects.filter(ignored=row).update(ignored=None)
    return True
