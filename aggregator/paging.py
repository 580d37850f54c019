"""The orders and the pages of a result as things to click. No HTTP, no database."""

from dataclasses import replace

from django.utils.translation import gettext as _

from aggregator.facets import Choice
from aggregator.parameters import LAST_PAGE, address
from aggregator.search.base import Query, Results

NEAR = 2  # pages shown on either side of this one


def sorts(query: Query, base: str) -> list[Choice]:
    """The orders that hits can be put in."""
    words = {"relevance": _("Relevance"), "newest": _("Newest first"), "oldest": _("Oldest first")}
    return [
        Choice(label=word, url=address(replace(query, sort=name, page=1), base), chosen=query.sort == name)
        for name, word in words.items()
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
