"""Every code that an issue can carry: its severity and what it says to people in Japanese and English. Pure.

Codes are stored and stay. Their number is that of the project's rule list; +100 marks a second finding of one
rule. The letter was given by the severity at birth: E record or item error, W warning, N normalised.
Sentences may name {field}, {value} and {result}.
"""

from collections.abc import Mapping

from metadata.issue import Issue, Severity
from metadata.validation.sentences import RuleText
from metadata.validation.sentences_common import CHARACTERS, TRANSPORT
from metadata.validation.sentences_dcndl import DCNDL
from metadata.validation.sentences_dcndl_simple import DCNDL_SIMPLE
from metadata.validation.sentences_files import FILES
from metadata.validation.sentences_harvest import HARVEST
from metadata.validation.sentences_jpcoar import JPCOAR
from metadata.validation.sentences_json import JSON
from metadata.validation.sentences_junii2 import JUNII2
from metadata.validation.sentences_marc import MARCXML
from metadata.validation.sentences_mods import MODS
from metadata.validation.sentences_oai_dc import OAI_DC
from metadata.validation.sentences_resourcesync import RESOURCESYNC
from metadata.validation.sentences_rss import RSS

__all__ = ["RULES", "RuleText", "remedy", "sentence", "severity", "severity_label"]

RULES: Mapping[str, RuleText] = {
    **TRANSPORT,
    **CHARACTERS,
    **DCNDL,
    **DCNDL_SIMPLE,
    **OAI_DC,
    **RSS,
    **MARCXML,
    **MODS,
    **JPCOAR,
    **JUNII2,
    **JSON,
    **FILES,
    **HARVEST,
    **RESOURCESYNC,
}

# IRDB's names for its outcomes.
_SEVERITIES = {
    Severity.RECORD_ERROR: ("レコードエラー", "record error"),
    Severity.ITEM_ERROR: ("項目エラー", "item error"),
    Severity.WARNING: ("ワーニング", "warning"),
    Severity.NORMALISED: ("補正", "normalised"),
    Severity.NORMALISED_SILENTLY: ("補正（通知なし）", "normalised silently"),
    Severity.INFORMATION: ("情報", "information"),
}

_SHOWN = 200  # characters of a value that a sentence shows


def severity(code: str) -> Severity:
    """How bad it is. A code that this version does not know any more counts as information."""
    rule = RULES.get(code)
    return rule.severity if rule else Severity.INFORMATION


def severity_label(severity: Severity, language: str) -> str:
    ja, en = _SEVERITIES[severity]
    return ja if language.startswith("ja") else en


def sentence(issue: Issue, language: str) -> str:
    """What was found where and what was done about it; language: "ja", anything else is English."""
    rule = RULES.get(issue.code)
    if rule is None:
        return " ".join(filter(None, (issue.code, issue.field, issue.value)))
    return _fill(rule.ja if language.startswith("ja") else rule.en, issue)


def remedy(issue: Issue, language: str) -> str:
    """How to repair it at its source; "" where nothing needs to be done."""
    rule = RULES.get(issue.code)
    if rule is None:
        return ""
    return _fill(rule.remedy_ja if language.startswith("ja") else rule.remedy_en, issue)


def _fill(text: str, issue: Issue) -> str:
    return text.format(field=issue.field or "-", value=_shortened(issue.value), result=_shortened(issue.result))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
