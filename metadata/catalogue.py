"""Catalogue of all rules: the severity of each and its texts in Japanese and English. Pure.

The texts come from the rules.toml of the formats and the files in validation/rules.

Codes ("dcndl.E003") are stored with the issues and never change. The number identifies the rule within its format;
+100 (E103) marks a second kind of issue that belongs to the same rule. The letter is the severity that the rule had
at first: E record or item error, W warning, N normalised, I information. Messages may contain {field}, {value} and
{result}.
"""

from pathlib import Path

from metadata.formats import RULES
from metadata.issue import Issue, Severity
from metadata.text.languages import in_language
from metadata.text.tables import Words, read_entries
from metadata.validation.texts import RuleText, rule_texts

__all__ = [
    "RULES",
    "WORDS",
    "RuleText",
    "family_of",
    "general_remedy",
    "general_sentence",
    "remedy",
    "sentence",
    "severity",
    "severity_label",
    "source",
    "successors",
]

_FOLDER = Path(__file__).parent / "validation"
# Besides those of the formats, which `metadata.formats` has added.
for family in "oai xml chars doi file harvest rs thesis xsd".split():
    RULES.update(rule_texts(_FOLDER / "rules" / f"{family}.toml"))
WORDS = read_entries(_FOLDER.parent / "words.toml", Words)
_SOURCES = read_entries(_FOLDER / "sources.toml", str)  # terms in sources, English -> Japanese

# Rules about characters, for which the severity also decides whether the value is changed.
_MENDED = frozenset({"chars.E005", "chars.E015", "chars.N007", "chars.N010", "chars.N012", "chars.N107"})
_MENDING = frozenset({Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.NORMALISED, Severity.NORMALISED_SILENTLY})

_SHOWN = 200  # characters of a value in a message


def severity(code: str) -> Severity:
    """The severity of a rule. A code that this version no longer knows counts as information."""
    rule = RULES.get(code)
    return rule.severity if rule else Severity.INFORMATION


def severity_label(severity: Severity, language: str) -> str:
    return WORDS[severity].in_language(language)


def sentence(issue: Issue, language: str, counted_as: Severity | None = None) -> str:
    """Return the message: what was found where, and what was done about it. language: of the reader.

    counted_as: the severity by the policy of the record's repository, if known. If this severity leads to another
    outcome than the message of the rule says, a correction is added.
    """
    rule = RULES.get(issue.code)
    if rule is None:
        return " ".join(filter(None, (issue.code, issue.field, issue.value)))
    text = in_language(language, rule.ja, rule.en)
    if not issue.value:
        text = in_language(language, rule.without_value_ja, rule.without_value_en) or text
    return _fill(text, issue) + _correction(issue.code, rule.severity, counted_as or rule.severity, language)


def _correction(code: str, own: Severity, counted_as: Severity, language: str) -> str:
    """Return a sentence about what was done otherwise than the rule's message says, because the severity was changed.

    Return "" if nothing was done otherwise.
    """
    refused = counted_as is Severity.RECORD_ERROR
    outcomes = []
    if refused != (own is Severity.RECORD_ERROR):
        outcomes.append("not_registered" if refused else "registered")
    if code in _MENDED and counted_as not in _MENDING and own in _MENDING:
        outcomes.append("characters_kept")
    if not outcomes:
        return ""
    label = severity_label(counted_as, language)
    outcome = (
        WORDS["between_outcomes"].in_language(language).join(WORDS[name].in_language(language) for name in outcomes)
    )
    return WORDS["correction"].in_language(language).format(severity=label, outcome=outcome)


def remedy(issue: Issue, language: str) -> str:
    """Return how to correct the data at its source; "" where nothing needs to be done."""
    rule = RULES.get(issue.code)
    if rule is None:
        return ""
    return _fill(in_language(language, rule.remedy_ja, rule.remedy_en), issue)


def source(code: str, language: str) -> str:
    """Return the standard or guideline that a rule follows; "" for a code that this version no longer knows."""
    rule = RULES.get(code)
    if rule is None:
        return ""
    return in_language(language, _japanese_source(rule.source), rule.source)


def general_sentence(code: str, language: str) -> str:
    """Return the message of a rule without a record: "…" stands for the field, the value and the result."""
    return sentence(_general_issue(code), language)


def general_remedy(code: str, language: str) -> str:
    """Return the remedy of a rule without a record."""
    return remedy(_general_issue(code), language)


def family_of(code: str) -> str:
    """Return the first part of a code: the format, or another family such as "oai"."""
    return code.partition(".")[0]


def successors(code: str) -> list[str]:
    """Return the rules that replace one of an earlier version, [] if there are none."""
    return [successor for successor, rule in RULES.items() if code in rule.replaces]


def _japanese_source(source: str) -> str:
    """Return a source in Japanese; names of standards stay as they are."""
    for english, japanese in _SOURCES.items():
        source = source.replace(english, japanese)
    return source


def _general_issue(code: str) -> Issue:
    return Issue(code=code, field="…", value="…", result="…")


def _fill(text: str, issue: Issue) -> str:
    return text.format(field=issue.field or "-", value=_shortened(issue.value), result=_shortened(issue.result))


def _shortened(text: str) -> str:
    """Return the text cut to _SHOWN characters; "-" for an empty text, so that the message has no empty brackets."""
    if not text:
        return "-"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
