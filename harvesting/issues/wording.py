"""Words issues for people: sentence, remedy and source, in the active language. No HTTP, no database access."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import get_language, gettext_lazy

from harvesting.models import RecordIssue, ResolvedIssue
from metadata.catalogue import RULES, general_remedy, general_sentence, remedy, sentence, source
from metadata.issue import Issue, Severity

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SEVERITY_WORDS: "dict[str, StrOrPromise]" = {
    Severity.RECORD_ERROR: gettext_lazy("Record error"),
    Severity.ITEM_ERROR: gettext_lazy("Item error"),
    Severity.WARNING: gettext_lazy("Warning"),
    Severity.NORMALISED: gettext_lazy("Normalised"),
    Severity.INFORMATION: gettext_lazy("Information"),
}


@dataclass(frozen=True, slots=True)
class IssueWording:
    """An issue or a rule in words.

    row: the issue, None for a rule in general. source: where the rule comes from. known: the rule still exists, and
    therefore has a page.
    """

    row: RecordIssue | ResolvedIssue | None
    code: str
    severity: str
    severity_word: str
    sentence: str
    remedy: str
    source: str
    known: bool


def word_issues(rows: Iterable[RecordIssue | ResolvedIssue]) -> list[IssueWording]:
    """The wording of issues, in the same order; every sentence contains the value of its issue."""
    language = get_language() or ""
    wordings = []
    for row in rows:
        issue = Issue(code=row.code, field=row.field, value=row.value, result=row.result)
        texts = sentence(issue, language, Severity(row.severity)), remedy(issue, language)
        wordings.append(_wording(row, row.code, row.severity, *texts, language))
    return wordings


def word_rule(code: str, severity: str, language: str = "") -> IssueWording:
    """The wording of a rule in general, with "…" in place of field and value. language: "" = the active one."""
    language = language or get_language() or ""
    return _wording(None, code, severity, general_sentence(code, language), general_remedy(code, language), language)


def _wording(
    row: RecordIssue | ResolvedIssue | None, code: str, severity: str, text: str, remedy_text: str, language: str
) -> IssueWording:
    word = str(SEVERITY_WORDS.get(severity, severity))
    return IssueWording(row, code, severity, word, text, remedy_text, source(code, language), code in RULES)
