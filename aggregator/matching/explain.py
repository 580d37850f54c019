"""Evidence as sentences in Japanese and English. The sentences are in explain.toml."""

from pathlib import Path

from aggregator.matching.comparison.weights import Evidence
from metadata.text.languages import is_japanese
from metadata.text.tables import Words, read_families

SENTENCES = read_families(Path(__file__).with_name("explain.toml"), Words)  # by rule and outcome
_FORBIDS = SENTENCES.pop(("weight", "forbids"))


def rule_outcomes() -> list[tuple[str, str]]:
    """The (rule, outcome) of everything that `compare` can return."""
    return [outcome for outcome in SENTENCES if outcome[0] not in ("staff", "limit")]


def sentence(evidence: Evidence, language: str) -> str:
    """One piece of evidence with its weight: "The ISBN agrees (+3.0)". language: of the reader."""
    words, weight = text(evidence, language), weight_text(evidence, language)
    if not weight:
        return words
    return f"{words}（{weight}）" if is_japanese(language) else f"{words} ({weight})"


def text(evidence: Evidence, language: str) -> str:
    """One piece of evidence without its weight."""
    words = SENTENCES.get((evidence.rule, evidence.outcome))
    # The database may hold a rule of an earlier version of the matcher.
    return words.in_language(language) if words else f"{evidence.rule}: {evidence.outcome}"


def weight_text(evidence: Evidence, language: str) -> str:
    """The weight of one piece of evidence as text: "+3.0", or that it forbids grouping; "" for a ruling."""
    if evidence.rule == "staff":
        return ""
    return _FORBIDS.in_language(language) if evidence.vetoes else points(evidence.weight)


def points(score: float) -> str:
    """Weights and their sums as people read them: "+1.4"."""
    return f"{score:+.1f}"
