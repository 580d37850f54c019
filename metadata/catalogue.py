"""Catalogue of all rule codes: the severity of each and its messages in Japanese and English. Pure.

Codes ("dcndl.E003") are stored with the issues and never change. The number identifies the rule within its format;
+100 (E103) marks a second kind of issue that belongs to the same rule. The letter is the severity that the rule had
at first: E record or item error, W warning, N normalised, I information. Messages may contain {field}, {value} and
{result}.
"""

from metadata.formats import RULES
from metadata.issue import Issue, Severity
from metadata.validation.message import RuleText
from metadata.validation.messages.common import CHARACTERS, TRANSPORT
from metadata.validation.messages.files import FILES
from metadata.validation.messages.harvest import HARVEST
from metadata.validation.messages.resourcesync import RESOURCESYNC
from metadata.validation.messages.sources import japanese_source
from metadata.validation.messages.xsd import XSD

# Phrases to replace in a message if the issue has no value. Longer ones first: the first match is replaced.
_JA = {
    "がないか、語彙にない値です（{value}）": "がありません",
    "がないか、年を読み取れません（{value}）": "がありません",
    "がないか、24文字ではありません（{value}）": "がありません",
    "がないか、40文字ではありません（{value}）": "がありません",
    "dc:date から年が読み取れません（{value}）": "dc:date がありません",
    "260／264 $c と 008 から出版年が読み取れません（{value}）": "260／264 $c にも 008 にも出版年がありません",
    "{field} から出版年が読み取れません（{value}）": "{field} に出版年がありません",
    "出版年が読み取れません（{value}）": "出版年を示す日付がありません",
    "出版年がありません（{value}）": "出版年がありません",
}
_EN = {
    " is missing or not in the vocabulary ({value})": " is missing",
    " is missing or has no year ({value})": " is missing",
    " is missing or not 24 characters long ({value})": " is missing",
    " is missing or not 40 characters long ({value})": " is missing",
    "No year can be read from dc:date ({value})": "There is no dc:date",
    "No year of publication can be read from 260/264 $c and 008 ({value})": (
        "Neither 260/264 $c nor 008 has a year of publication"
    ),
    "No year of publication can be read from {field} ({value})": "{field} has no year of publication",
    "No year of publication can be read ({value})": "There is no date of publication",
    "No year of publication is known ({value})": "No year of publication is given",
}

__all__ = [
    "RULES",
    "RuleText",
    "family_of",
    "general_remedy",
    "general_sentence",
    "remedy",
    "sentence",
    "severity",
    "severity_label",
]

# Besides those of the formats, which `metadata.formats` has added.
RULES.update(TRANSPORT | CHARACTERS | FILES | HARVEST | RESOURCESYNC | XSD)

# The names of the severities, as IRDB words them.
_SEVERITIES = {
    Severity.RECORD_ERROR: ("レコードエラー", "record error"),
    Severity.ITEM_ERROR: ("項目エラー", "item error"),
    Severity.WARNING: ("警告", "warning"),
    Severity.NORMALISED: ("補正", "normalised"),
    Severity.NORMALISED_SILENTLY: ("補正（通知なし）", "normalised silently"),
    Severity.INFORMATION: ("情報", "information"),
}

# Additions to the message of a rule whose severity was changed. Only for rules about characters (_MENDED) the severity
# also decides whether the value is changed.
_REGISTERED = {
    True: ("レコードを登録しました", "the record was registered"),
    False: ("レコードを登録しませんでした", "the record was not registered"),
}
_KEPT = ("文字はそのまま残しました", "the characters were kept")
_MENDED = frozenset({"chars.E005", "chars.E015", "chars.N007", "chars.N010", "chars.N012", "chars.N107"})
_MENDING = frozenset({Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.NORMALISED, Severity.NORMALISED_SILENTLY})

_SHOWN = 200  # characters of a value in a message


def severity(code: str) -> Severity:
    """The severity of a rule. A code that this version no longer knows counts as information."""
    rule = RULES.get(code)
    return rule.severity if rule else Severity.INFORMATION


def severity_label(severity: Severity, language: str) -> str:
    ja, en = _SEVERITIES[severity]
    return ja if language.startswith("ja") else en


def sentence(issue: Issue, language: str, counted_as: Severity | None = None) -> str:
    """Return the message: what was found where, and what was done about it. language: "ja", else English.

    counted_as: the severity by the policy of the record's repository, if known. If this severity leads to another
    outcome than the message of the rule says, a correction is added.
    """
    rule = RULES.get(issue.code)
    if rule is None:
        return " ".join(filter(None, (issue.code, issue.field, issue.value)))
    text = rule.ja if language.startswith("ja") else rule.en
    text = _fill(text if issue.value else without_value(text, language), issue)
    return text + _correction(issue.code, rule.severity, counted_as or rule.severity, language)


def _correction(code: str, own: Severity, counted_as: Severity, language: str) -> str:
    """Return a sentence about what was done otherwise than the rule's message says, because the severity was changed.

    Return "" if nothing was done otherwise.
    """
    refused = counted_as is Severity.RECORD_ERROR
    outcomes = [_REGISTERED[not refused]] if refused != (own is Severity.RECORD_ERROR) else []
    if code in _MENDED and counted_as not in _MENDING and own in _MENDING:
        outcomes.append(_KEPT)
    if not outcomes:
        return ""
    label = severity_label(counted_as, language)
    if language.startswith("ja"):
        outcome = "、".join(text for text, _en in outcomes)
        return f"※以上は通常の扱いです。このリポジトリの設定では「{label}」に当たるため、実際には{outcome}。"
    outcome = ", ".join(text for _ja, text in outcomes)
    return (
        f" That is the usual treatment. By the settings of this repository it counts as “{label}”: in fact {outcome}."
    )


def remedy(issue: Issue, language: str) -> str:
    """Return how to correct the data at its source; "" where nothing needs to be done."""
    rule = RULES.get(issue.code)
    if rule is None:
        return ""
    return _fill(rule.remedy_ja if language.startswith("ja") else rule.remedy_en, issue)


def source(code: str, language: str) -> str:
    """Return the standard or guideline that a rule follows; "" for a code that this version no longer knows."""
    rule = RULES.get(code)
    if rule is None:
        return ""
    return japanese_source(rule.source) if language.startswith("ja") else rule.source


def general_sentence(code: str, language: str) -> str:
    """Return the message of a rule without a record: "…" stands for the field, the value and the result."""
    return sentence(_general_issue(code), language)


def general_remedy(code: str, language: str) -> str:
    """Return the remedy of a rule without a record."""
    return remedy(_general_issue(code), language)


def family_of(code: str) -> str:
    """Return the first part of a code: the format, or another family such as "oai"."""
    return code.partition(".")[0]


def _general_issue(code: str) -> Issue:
    return Issue(code=code, field="…", value="…", result="…")


def _fill(text: str, issue: Issue) -> str:
    return text.format(field=issue.field or "-", value=_shortened(issue.value), result=_shortened(issue.result))


def _shortened(text: str) -> str:
    """Return the text cut to _SHOWN characters; "-" for an empty text, so that the message has no empty brackets."""
    if not text:
        return "-"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def without_value(text: str, language: str) -> str:
    """Return the text of a rule as it reads for an issue without a value; unchanged if no phrase is about the value."""
    phrases = _JA if language.startswith("ja") else _EN
    found = next((phrase for phrase in phrases if phrase in text), "")
    return text.replace(found, phrases[found]) if found else text
