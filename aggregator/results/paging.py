"""The orders and the pages of a result as links. No HTTP, no database access."""

from django.utils.translation import gettext_lazy
from msgspec.structs import replace

from aggregator.query.parameters import LAST_PAGE, address
from aggregator.results.facets import Choice
from aggregator.search.base import SORTS, Query, Results

SORT_WORDS = {
    "relevance": gettext_lazy("Relevance"),
    "newest": gettext_lazy("Newest first"),
    "oldest": gettext_lazy("Oldest first"),
    "title": gettext_lazy("By title"),
    "creator": gettext_lazy("By creator"),
    "holdings": gettext_lazy("Most holdings first"),
}
SIZES = (20, 50, 100)
NEAR = 2  # pages on either side of the current one that get a link


def sorts(query: Query, base: str) -> list[Choice]:
    """Return the orders in which hits can be listed."""
    return [
        Choice(
            label=str(SORT_WORDS[name]), url=address(replace(query, sort=name, page=1), base), chosen=query.sort == name
        )
        for name in SORTS
    ]


def sizes(query: Query, base: str) -> list[Choice]:
    """Return the numbers of hits that a page may have, including the current one even if it is unusual."""
    return [
        Choice(
            label=str(size), url=address(replace(query, page_size=size, page=1), base), chosen=size == query.page_size
        )
        for size in sorted({*SIZES, query.page_size})
    ]


def pages(query: Query, results: Results, base: str) -> list[Choice]:
    """Return links to the pages around this one, the first and the last; an empty label is a gap."""
    last = last_page(query, results)
    if last < 2:
        return []
    near = range(max(1, query.page - NEAR), min(last, query.page + NEAR) + 1)
    choices: list[Choice] = []
    previous = 0
    for number in sorted({1, *near, last}):
        if number > previous + 1:
            choices.append(Choice(label="", url=""))
        choices.append(
            Choice(label=str(number), url=address(replace(query, page=number), base), chosen=number == query.page)
        )
        previous = number
    return choices


def previous_and_next(query: Query, results: Results, base: str) -> dict[str, str]:
    """Return the addresses of the previous and of the next page ("before", "after"), "" where there is none."""
    last = last_page(query, results)
    return {
        "before": address(replace(query, page=query.page - 1), base) if 1 < query.page <= last else "",
        "after": address(replace(query, page=query.page + 1), base) if query.page < last else "",
    }


def last_page(query: Query, results: Results) -> int:
    """Return the number of the last page with hits, at most LAST_PAGE."""
    return min(LAST_PAGE, -(-results.total // query.page_size))
