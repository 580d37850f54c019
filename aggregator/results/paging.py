"""The orders and the pages of a result as things to click. No HTTP, no database."""

from dataclasses import replace

from django.utils.translation import gettext_lazy

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
NEAR = 2  # pages shown on either side of this one


def sorts(query: Query, base: str) -> list[Choice]:
    """The orders that hits can be put in."""
    return [
        Choice(
            label=str(SORT_WORDS[name]), url=address(replace(query, sort=name, page=1), base), chosen=query.sort == name
        )
        for name in SORTS
    ]


def sizes(query: Query, base: str) -> list[Choice]:
    """How many hits a page may have; one that was asked for by its address stands among them."""
    return [
        Choice(
            label=str(size), url=address(replace(query, page_size=size, page=1), base), chosen=size == query.page_size
        )
        for size in sorted({*SIZES, query.page_size})
    ]


def pages(query: Query, results: Results, base: str) -> list[Choice]:
    """Links to the pages around this one, with the first and the last that can be asked for; label "" = a gap."""
    last = last_page(query, results)
    if last < 2:
        return []
    near = range(max(1, query.page - NEAR), min(last, query.page + NEAR) + 1)
    found: list[Choice] = []
    before = 0
    for number in sorted({1, *near, last}):
        if number > before + 1:
            found.append(Choice(label="", url=""))
        found.append(
            Choice(label=str(number), url=address(replace(query, page=number), base), chosen=number == query.page)
        )
        before = number
    return found


def beside(query: Query, results: Results, base: str) -> dict[str, str]:
    """The addresses of the page before and of the one after, "" where there is none."""
    last = last_page(query, results)
    return {
        "before": address(replace(query, page=query.page - 1), base) if 1 < query.page <= last else "",
        "after": address(replace(query, page=query.page + 1), base) if query.page < last else "",
    }


def last_page(query: Query, results: Results) -> int:
    """The number of the last page with hits, at most the last that can be asked for."""
    return min(LAST_PAGE, -(-results.total // query.page_size))
