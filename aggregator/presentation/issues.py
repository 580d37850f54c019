"""Issues of records as pages show them: sentence, remedy, name of the severity. No HTTP."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from harvesting.models import RecordIssue
from metadata.catalogue import RULES, remedy, sentence
from metadata.issue import Issue, Severity


@dataclass(frozen=True, slots=True)
class DescribedIssue:
    """An issue with its sentence, and what its provider can do about it."""

    row: RecordIssue
    severity: str
    sentence: str
    remedy: str
    known: bool  # the rule still exists, so there is a page about it


def described_issues(issues: Iterable[tuple[RecordIssue, Issue]]) -> list[DescribedIssue]:
    """Return the issues with their sentences and the names of their severities, in the language of the page."""
    names, language = severity_names(), get_language() or ""
    return [
        DescribedIssue(
            row=row,
            severity=names.get(row.severity, row.severity),
            sentence=sentence(issue, language, Severity(row.severity)),
            remedy=remedy(issue, language),
            known=issue.code in RULES,
        )
        for row, issue in issues
    ]


def severity_names() -> dict[str, str]:
    """Return the names of the six severities in the language of the page."""
    return {
        Severity.RECORD_ERROR: _("Record error"),
        Severity.ITEM_ERROR: _("Item error"),
        Severity.WARNING: _("Warning"),
        Severity.NORMALISED: _("Normalised"),
        Severity.NORMALISED_SILENTLY: _("Normalised silently"),
        Severity.INFORMATION: _("Information"),
    }
