"""The plan for books that share traits with another one: subjects, a class, a series."""

from collections.abc import Callable, Sequence

from aggregator.search.plan.nodes import Both, Plan
from aggregator.search.plan.query import tree_plan
from aggregator.search.tree import Phrase, Word

ENOUGH = 500  # books: where the rarest traits have as many, books with none of these are not looked at


def alike_plan(traits: Sequence[Word | Phrase], frequency: Callable[[Plan], int]) -> Plan:
    """Return a plan for books with at least one of the traits, of which there is one at least; the scores are added.

    A class of novels has a twentieth of all books, so reading them all would cost more than the rest of a page.
    frequency: about how many books fit the plan of a trait. Raises QueryError.
    """
    counted = sorted(((frequency(plan), plan) for plan in map(tree_plan, traits)), key=lambda item: item[0])
    rare: list[Plan] = []
    found = 0
    for count, trait in counted:
        if found >= ENOUGH:
            break
        rare.append(trait)
        found += count
    plan: Plan = Both(should=tuple(rare), least=1)
    for _count, trait in counted[len(rare) :]:
        # One inside the other: an engine looks up a single optional part for the books that it has found so far, but
        # reads several optional parts of one query for all books.
        plan = Both(must=(plan,), should=(trait,))
    return plan
