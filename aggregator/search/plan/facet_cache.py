"""A cache of facet counts, in the memory of the process, valid until the index changes. Independent of the engine.

Counting is most of the work of a search with very many hits, and readers request the same counts repeatedly: with
every page, with every sort order, and for the alternatives that could be chosen after every click.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from django.core.cache import caches

from aggregator.search.base import FacetValue, Query

CACHE = "facets"  # in settings.CACHES
Counts = dict[str, tuple[FacetValue, ...]]
_ANY = Query()


def cached_counts(
    state: str,
    query: Query,
    facets: Sequence[str],
    chosen: Mapping[str, Sequence[str]],
    count: Callable[[Sequence[str]], Counts],
) -> Counts:
    """Return the counts by facet. state: that of the index; changes with every write. chosen: by facet, the values
    within which it is refined. count: computes missing facets.
    """
    hits = replace(query, page=1, page_size=_ANY.page_size, sort=_ANY.sort, after="", start=0)
    keys = {facet: _key(state, repr(hits), facet, *chosen.get(facet, ())) for facet in facets}
    known = caches[CACHE].get_many(keys.values())
    found: Counts = {facet: known[key] for facet, key in keys.items() if key in known}
    if missing := [facet for facet in facets if facet not in found]:
        computed = count(missing)
        caches[CACHE].set_many({keys[facet]: values for facet, values in computed.items()}, timeout=None)
        found |= computed
    return {facet: found[facet] for facet in facets}


def _key(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
