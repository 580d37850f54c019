"""How many books have the terms of a plan, and the plan without parts that no book fits. Read-only."""

from collections.abc import Iterable

import tantivy

from aggregator.search.plan.nodes import Adjacent, Best, Both, Constant, Nothing, Plan, Term, Weighted, best_of
from aggregator.search.tantivy.plan import engine_query


class Frequencies:
    """The frequencies of the terms of one search, each looked up once."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._known: dict[tuple[str, str | int], int] = {}

    def at_most(self, plan: Plan) -> int:
        """At most how many books fit the plan. A part of a kind without frequencies counts as if all books fitted."""
        return self._reduced(plan)[0]

    def query(self, plan: Plan) -> tantivy.Query:
        """Return the query for a plan, without alternatives and optional parts that no book fits.

        Hits and scores stay the same. But Tantivy reads all that fits one of several alternatives, and of a single one
        only what fits the other conditions as well. A word has four alternatives, and often only one of them exists.
        """
        return engine_query(self._reduced(plan)[1])

    def _reduced(self, plan: Plan) -> tuple[int, Plan]:
        """At most how many books fit the plan, and the plan without parts that none fits."""
        match plan:
            case Term(field, value):
                return self._of_term(field, value), plan
            case Adjacent(field, terms):
                return min(self._of_term(field, term) for _place, term in terms), plan
            case Best(alternatives):
                existing = self._existing(alternatives)
                return sum(count for count, _part in existing), best_of([part for _count, part in existing])
            case Weighted(of) | Constant(of):
                count, part = self._reduced(of)
                return count, plan._replace(of=part)
            case Both():
                return self._reduced_both(plan)
        return self._searcher.num_docs, plan

    def _reduced_both(self, plan: Both) -> tuple[int, Plan]:
        must = [self._reduced(part) for part in plan.must]
        should = tuple(part for _count, part in self._existing(plan.should))
        count = min((count for count, _part in must), default=self._searcher.num_docs)
        if not count or plan.least > len(should):
            return 0, Nothing()
        return count, Both(tuple(part for _count, part in must), should, plan.must_not, plan.least)

    def _existing(self, plans: Iterable[Plan]) -> list[tuple[int, Plan]]:
        return [(count, part) for count, part in map(self._reduced, plans) if count]

    def _of_term(self, field: str, value: str | int) -> int:
        key = field, value
        if key not in self._known:
            self._known[key] = self._searcher.doc_freq(field, value)
        return self._known[key]
