"""What a query would cost the engine, told before it is asked. Knows how often terms are in the index; asks nothing."""

import tantivy

from aggregator.search.base import TEXTS, Query, QueryError
from aggregator.search.query.language import parse
from aggregator.search.query.segment import is_character
from aggregator.search.query.words import parts, phrase_parts
from aggregator.search.tantivy.schema import TEXT_FIELDS
from aggregator.search.tree import Phrase, Word, leaves

# Entries of the index that one query may have read: some tenths of a second. Natural queries need a hundredth of it.
MOST_ENTRIES = 10_000_000
_SHOWN = 5


def check_cost(searcher: tantivy.Searcher, query: Query, limit: int = MOST_ENTRIES) -> None:
    """Raises QueryError for more common words than the engine can put together in time; it names the commonest."""
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
    """Of what stands together the rarest term decides how much is read."""
    found = parts(word.text) if isinstance(word, Word) else phrase_parts(word.text)
    return sum(min(_frequency(searcher, term) for term in part) for part in found)


def _frequency(searcher: tantivy.Searcher, term: str) -> int:
    fields = [TEXT_FIELDS["rest"]] if is_character(term) else [*TEXT_FIELDS]
    return sum(searcher.doc_freq(field, term) for field in fields)
