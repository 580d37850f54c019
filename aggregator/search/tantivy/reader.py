"""One search in an open Tantivy index: hits, total and facets. Read-only."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import tantivy
from django.core.cache import caches
from msgspec.structs import replace

from aggregator.search.analysis.fields import TEXT_FIELDS
from aggregator.search.base import FACETS, TEXTS, FacetValue, Query, QueryError, Results
from aggregator.search.plan.alternatives import refined, widened
from aggregator.search.plan.facets import count_facets
from aggregator.search.plan.query import plan_of
from aggregator.search.query.language import parse
from aggregator.search.query.limits import check_page, order_of
from aggregator.search.query.segment import is_character
from aggregator.search.query.words import phrase_parts, word_parts
from aggregator.search.tantivy.facets import Hits, count_fields
from aggregator.search.tantivy.frequencies import Frequencies
from aggregator.search.tantivy.hits import Page, page, these
from aggregator.search.tantivy.plan import engine_query
from aggregator.search.tree import Phrase, Word, leaves

CACHE = "facets"  # in settings.CACHES
Counts = dict[str, tuple[FacetValue, ...]]
_ANY = Query()
# Index entries that one query may read: some tenths of a second. Natural queries need a hundredth of this.
MOST_ENTRIES = 10_000_000
_SHOWN = 5


class OpenIndex(NamedTuple):
    """An index at one commit. state: a name that no other commit of any index has."""

    searcher: tantivy.Searcher
    state: str


def search(opened: OpenIndex | None, query: Query, facets: Sequence[str] = FACETS) -> Results:
    """Return the requested page. opened: None for an index that was never written to. Raises QueryError."""
    check_page(query)
    plan = plan_of(query, scored=order_of(query) == "relevance")
    if opened is None:
        return Results(total=0, hits=())
    check_cost(opened.searcher, query)
    clause = Frequencies(opened.searcher).query(plan)
    result = page(opened.searcher, clause, query, every=bool(facets))
    counts = _counts(opened, query, _hits(query, result), facets, refined(query)) if result.total and facets else {}
    return Results(total=result.total, hits=result.hits, facets=counts, next=result.following)


def _hits(query: Query, result: Page) -> Hits:
    """All hits of a query, for counting. result: one page of them."""
    return Hits(these(result.every) if result.every else engine_query(plan_of(query, scored=False)), result.total)


def alternatives(opened: OpenIndex | None, query: Query, facets: Sequence[str] = FACETS) -> Counts:
    """See SearchIndex."""
    result: Counts = {}
    for facet, wider in widened(query):
        if facet not in facets:
            continue
        clause = engine_query(plan_of(wider, scored=False))
        if opened is not None:
            check_cost(opened.searcher, wider)
            result |= _counts(opened, wider, Hits(clause), (facet,), refined(query))
    return result


def _counts(
    opened: OpenIndex, query: Query, hits: Hits, facets: Sequence[str], chosen: Mapping[str, Sequence[str]]
) -> Counts:
    def count(missing: Sequence[str]) -> Counts:
        return count_facets(lambda fields: count_fields(opened.searcher, hits, fields), missing, chosen)

    return cached_counts(opened.state, query, facets, chosen, count)


def check_cost(searcher: tantivy.Searcher, query: Query, limit: int = MOST_ENTRIES) -> None:
    """Raise QueryError for more common words than the engine can combine in time; it names the most common ones."""
    words = _words(query)
    if len(words) * searcher.num_docs <= limit:
        return
    costs = {word.text: _entries(searcher, word) for word in words}
    if sum(costs[word.text] for word in words) > limit:
        commonest = sorted(costs, key=lambda text: -costs[text])[:_SHOWN]
        raise QueryError("too_common", words=" ".join(commonest))


def _words(query: Query) -> list[Word | Phrase]:
    texts = [getattr(query, name) for name in TEXTS] + [value for name, value in query.excluded if name in TEXTS]
    trees = [query.tree, *(parse(text) for text in texts if text)]
    return [leaf for tree in trees for leaf in leaves(tree) if isinstance(leaf, Word | Phrase)]


def _entries(searcher: tantivy.Searcher, word: Word | Phrase) -> int:
    """The number of index entries read for a word. Of adjacent terms only the entries of the rarest one are counted."""
    terms_by_part = word_parts(word.text) if isinstance(word, Word) else phrase_parts(word.text)
    return sum(min(_frequency(searcher, term) for term in part) for part in terms_by_part)


def _frequency(searcher: tantivy.Searcher, term: str) -> int:
    fields = [TEXT_FIELDS["rest"]] if is_character(term) else [*TEXT_FIELDS]
    return sum(searcher.doc_freq(field, term) for field in fields)


def cached_counts(
    state: str,
    query: Query,
    facets: Sequence[str],
    chosen: Mapping[str, Sequence[str]],
    count: Callable[[Sequence[str]], Counts],
) -> Counts:
    """Return the counts by facet, from a cache in the memory of the process where the index has not changed since.

    Counting is most of the work of a search with very many hits, and readers request the same counts repeatedly: with
    every page, with every sort order, and for the alternatives that could be chosen after every click.

    state: that of the index; changes with every write. chosen: by facet, the values within which it is refined. count:
    computes missing facets.
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
