"""A cache of facet counts, valid until the index changes. Independent of the engine.

Counting is most of the work of a search with very many hits, and readers request the same counts repeatedly: with
every page, with every sort order, and for the alternatives that could be chosen after every click.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from aggregator.search.base import FacetValue, Query

Counts = dict[str, tuple[FacetValue, ...]]
MOST = 512  # cached counts, each of one facet; the least recently used are dropped first
_ANY = Query()


class FacetCache:
    """The facet counts of one state of an index; thread-safe."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._cached: OrderedDict[tuple[object, ...], tuple[FacetValue, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def counts_of(
        self,
        query: Query,
        facets: Sequence[str],
        chosen: Mapping[str, Sequence[str]],
        count: Callable[[Sequence[str]], Counts],
    ) -> Counts:
        """Return the counts by facet. chosen: by facet, the values within which it is refined. count: computes missing
        facets.
        """
        hits = replace(query, page=1, page_size=_ANY.page_size, sort=_ANY.sort, after="", start=0)
        keys = {facet: (hits, facet, tuple(chosen.get(facet, ()))) for facet in facets}
        with self._lock:
            cached = {facet: self._cached[key] for facet, key in keys.items() if key in self._cached}
            for facet in cached:
                self._cached.move_to_end(keys[facet])
        computed = count([facet for facet in facets if facet not in cached]) if len(cached) < len(facets) else {}
        with self._lock:
            self._cached |= {keys[facet]: values for facet, values in computed.items()}
            while len(self._cached) > self._most:
                self._cached.popitem(last=False)
        return {facet: cached[facet] if facet in cached else computed[facet] for facet in facets}
