"""What findings say to people: sentence, remedy, source, in the language of the page. No HTTP, no database."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import get_language, gettext_lazy

from harvesting.models import RecordIssue, ResolvedIssue
from metadata.catalogue import RULES, general_remedy, general_sentence, remedy, sentence
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
class Told:
    """A finding in words. row: None of a rule in general. known: the rule is one of today's, and has a page."""

    row: RecordIssue | ResolvedIssue | None
    code: str
    severity: str
    severity_word: str
    sentence: str
    remedy: str
    source: str
    known: bool


def told(rows: Iterable[RecordIssue | ResolvedIssue]) -> list[Told]:
    """Findings of records, each with its own value in the sentence."""
    language = get_language() or ""
    found = []
    for row in rows:
        issue = Issue(code=row.code, field=row.field, value=row.value, result=row.result)
        text = sentence(issue, language, Severity(row.severity)), remedy(issue, language)
        found.append(_told(row, row.code, row.severity, *text))
    return found


def told_of_rule(code: str, severity: str, language: str = "") -> Told:
    """The rule in general; "…" stands for the place and the value."""
    language = language or get_language() or ""
    return _told(None, code, severity, general_sentence(code, language), general_remedy(code, language))


def _told(row: RecordIssue | ResolvedIssue | None, code: str, severity: str, said: str, to_do: str) -> Told:
    known = code in RULES
    word = str(SEVERITY_WORDS.get(severity, severity))
    return Told(row, code, severity, word, said, to_do, RULES[code].source if known else "", known)
