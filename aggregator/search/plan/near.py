"""Plans for books with nearly the typed text: candidates for "did you mean"."""

from collections.abc import Iterator

from aggregator.search.analysis.fields import SOUND_FIELDS, SUGGEST
from aggregator.search.plan.nodes import Both, Near, Plan, Term, best_of
from aggregator.search.query.nearness import LONGEST, allowed_errors
from aggregator.search.query.segment import terms
from metadata.text.folding import fold_tight

MOST = 12  # books of each plan
_WORD_FIELDS = ("title", "creator", "rest")
_LATIN_FIELDS = (*_WORD_FIELDS, *SOUND_FIELDS.values())  # romanised readings as well


def near_plans(typed: str) -> Iterator[Plan]:
    """Plans for books with a title, name, subject or word similar to the typed text; MOST books of each are enough."""
    key = fold_tight(typed[: LONGEST + 1])
    errors = allowed_errors(key)
    if not errors or len(key) > LONGEST:
        return
    yield Near(SUGGEST, key, errors, beginning=True)
    if key.isascii():
        yield best_of([Near(field, key, errors) for field in _LATIN_FIELDS])
        return
    pairs = [term for term in dict.fromkeys(terms(typed)) if len(term) > 1]
    least = len(pairs) - 2 * errors  # one wrong letter spoils two pairs
    if least >= 2:
        yield best_of([_most_of(pairs, field, least) for field in _WORD_FIELDS])


def _most_of(pairs: list[str], field: str, least: int) -> Plan:
    return Both(should=tuple(Term(field, pair) for pair in pairs), least=least)
