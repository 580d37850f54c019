"""書誌同定: features -> keys -> compare -> decide -> group. Pure: no Django, no database."""

from aggregator.matching.compare import WEIGHTS, compare
from aggregator.matching.comparisons import Comparisons
from aggregator.matching.decide import JOIN, REVIEW, Decision, decide, score
from aggregator.matching.explain import sentence
from aggregator.matching.features import VERSION, Features, decode_features, encode_features, features
from aggregator.matching.group import Group, Link, Rules, StaffDecision, solve, suspect_isbns
from aggregator.matching.keys import KEYS_AT_MOST, match_keys
from aggregator.matching.model import MODEL, VETO, Evidence

__all__ = [
    "JOIN",
    "KEYS_AT_MOST",
    "MODEL",
    "REVIEW",
    "VERSION",
    "VETO",
    "WEIGHTS",
    "Comparisons",
    "Decision",
    "Evidence",
    "Features",
    "Group",
    "Link",
    "Rules",
    "StaffDecision",
    "compare",
    "decide",
    "decode_features",
    "encode_features",
    "features",
    "match_keys",
    "score",
    "sentence",
    "solve",
    "suspect_isbns",
]
