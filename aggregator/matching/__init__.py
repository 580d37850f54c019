"""書誌同定 (record matching): features -> blocking keys -> comparison -> decision -> groups. No Django, no database."""

from aggregator.matching.blocking_keys import KEYS_AT_MOST, match_keys
from aggregator.matching.comparison.compare import WEIGHTS, compare
from aggregator.matching.comparison.decide import JOIN, REVIEW, Decision, decide, score
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.comparison.weights import MODEL, VETO, Evidence
from aggregator.matching.explain import sentence
from aggregator.matching.features.row import (
    VERSION,
    Features,
    decode_features,
    encode_features,
    extract_features,
    recall_features,
)
from aggregator.matching.groups.partition import RuledPair
from aggregator.matching.groups.solve import Group, Link, Ruled, Rules, solve
from aggregator.matching.groups.suspects import suspect_isbns

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
    "Ruled",
    "RuledPair",
    "Rules",
    "compare",
    "decide",
    "decode_features",
    "encode_features",
    "extract_features",
    "match_keys",
    "recall_features",
    "score",
    "sentence",
    "solve",
    "suspect_isbns",
]
