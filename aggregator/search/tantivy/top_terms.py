"""The suggestions for typed beginnings that very many terms of a large index share, in a cache: reading all is slow.

They are made from the index after a rebuild, and again when they are a day old; all other beginnings are looked up in
the index. Without the cache nothing fails, suggestions are only slow. Independent of the engine.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from itertools import batched

from django.core.cache import caches

from aggregator.search.suggest.choice import TermCounts

CACHE = "suggestions"  # in settings.CACHES
LARGE = 50_000  # documents; a smaller index needs no prepared suggestions
AGE = 24 * 60 * 60  # seconds; the ranking of terms with very many books hardly changes
MAKING = 60 * 60  # seconds after which an attempt to make them counts as failed
BATCH = 1000


def is_due(generation: str, documents: int) -> bool:
    """Whether the caller should make the suggestions of an index with this many documents now.

    True for one of several callers, and never where nothing can be stored. generation: the name of the index.
    """
    return documents >= LARGE and caches[CACHE].add(_key(generation), b"", MAKING)


def store_top_terms(generation: str, tops: Mapping[str, TermCounts]) -> None:
    """Store the terms by beginning. They are replaced before they expire."""
    for batch in batched(tops.items(), BATCH):
        packed = {_key(generation, beginning): json.dumps(terms).encode() for beginning, terms in batch}
        caches[CACHE].set_many(packed, 2 * AGE)
    caches[CACHE].set(_key(generation), b"", AGE)


def top_terms_of(generation: str, beginning: str) -> TermCounts | None:
    """Return the most frequent terms with a beginning, None where they were not prepared."""
    packed: bytes | None = caches[CACHE].get(_key(generation, beginning))
    terms: TermCounts | None = json.loads(packed) if packed else None
    return terms


def _key(generation: str, beginning: str = "") -> str:
    text = f"{generation}\0{beginning}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
