"""書誌同定: features -> keys -> compare -> decide -> group. Pure: no Django, no database."""

from aggregator.matching.compare import VETO, WEIGHTS, Evidence, compare
from aggregator.matching.decide import JOIN, Decision, decide, score
from aggregator.matching.explain import sentence
from aggregator.matching.features import VERSION, Features, decode_features, encode_features, features
from aggregator.matching.group import Group, Link, StaffDecision, solve, suspect_isbns
from aggregator.matching.keys import KEYS_AT_MOST, match_keys

__all__ = [
    "JOIN",
    "KEYS_AT_MOST",
    "VERSION",
    "VETO",
    "WEIGHTS",
    "Decision",
    "Evidence",
    "Features",
    "Group",
    "Link",
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
