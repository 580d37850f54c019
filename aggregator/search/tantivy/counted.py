"""Counts of facets that were made before, good as long as nothing is written. Knows no engine.

To count is most of the work of a search with very many hits, and readers ask for the same counts again and again: with
each page, with each order, and for what else could be chosen after every click.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from aggregator.search.base import FacetValue, Query

Counts = dict[str, tuple[FacetValue, ...]]
MOST = 512  # counts of one facet that are kept; the ones used longest ago go first
_ANY = Query()


class Counted:
    """The counts of one state of an index; for several threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[object, ...], tuple[FacetValue, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self, query: Query, facets: Sequence[str], chosen: Sequence[str], count: Callable[[Sequence[str]], Counts]
    ) -> Counts:
        """By facet. chosen: the classes inside which "ndc" goes on. count: makes those that are not kept."""
        hits = replace(query, page=1, page_size=_ANY.page_size, sort=_ANY.sort, after="", start=0)
        keys = {facet: (hits, facet, tuple(chosen) if facet == "ndc" else ()) for facet in facets}
        with self._lock:
            found = {facet: self._kept[key] for facet, key in keys.items() if key in self._kept}
            for facet in found:
                self._kept.move_to_end(keys[facet])
        made = count([facet for facet in facets if facet not in found]) if len(found) < len(facets) else {}
        with self._lock:
            self._kept |= {keys[facet]: values for facet, values in made.items()}
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return {facet: found[facet] if facet in found else made[facet] for facet in facets}
