"""The search of an alert: as it is stored, in words, and the books that are new in it. No HTTP, no mail.

A book is new by its number. Numbers are given in the order in which books appear in the catalogue, stay when books are
joined, and are never given again, so one number says what an alert has seen. The date of the last change would not do:
a further library or a corrected note would announce the same book again.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Max, Min
from django.http import QueryDict
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.indexing.searching import search_whole
from aggregator.models import Manifestation
from aggregator.query.parameters import BadParameter, pairs, read_query
from aggregator.results.conditions import conditions
from aggregator.results.value_labels import value_labels
from aggregator.search.base import ADDED, Query

MOST_BOOKS = 20  # in a mail
MOST_PAGES = 20  # of hits that are looked through


@dataclass(frozen=True, slots=True)
class NewBooks:
    """Numbers of books, the newest first. more: there are others. until: what was looked at."""

    numbers: tuple[int, ...]
    more: bool
    until: int


def written(query: Query) -> str:
    """Return a search as it is stored: its query string, without page and order."""
    plain = Query()
    return urlencode(pairs(replace(query, page=1, page_size=plain.page_size, sort=plain.sort)))


def stored(search: str) -> Query:
    """Return a stored search. Raises BadParameter if something that it names does not exist any more."""
    return read_query(QueryDict(search))


def in_words(query: Query) -> list[str]:
    """Return the conditions of a search in the active language, one text for each."""
    labels = value_labels({}, query)
    return [
        _("without %(condition)s") % {"condition": text} if condition.excluded else text
        for condition in conditions(query, labels, "")
        for text in [f"{condition.label}: {condition.value}" if condition.label else condition.value]
    ]


def in_words_of(search: str) -> list[str]:
    """Return a stored search in words; [] if it is not possible any more."""
    try:
        return in_words(stored(search))
    except BadParameter:
        return []


def newest() -> int:
    """Return the number of the newest book of the catalogue, 0 if there is none."""
    return Manifestation.objects.aggregate(last=Max("pk"))["last"] or 0


def new_books(query: Query, seen: int) -> NewBooks:
    """Return the books of a search that came after the number `seen`. Raises QueryError and IndexUnavailable.

    Books that wait for the index, and all younger ones, are left for the next time.
    """
    until = _indexed_until(seen)
    found: list[int] = []
    page = replace(query, sort=ADDED, page=1, page_size=MOST_BOOKS + 1, after="")
    for _page in range(MOST_PAGES):
        results = search_whole(page, facets=())
        numbers = [number for number, _score in results.hits]
        found += [number for number in numbers if seen < number <= until]
        if not results.next or len(found) > MOST_BOOKS or (numbers and numbers[-1] <= seen):
            break
        page = replace(page, after=results.next)
    return NewBooks(tuple(found[:MOST_BOOKS]), len(found) > MOST_BOOKS, until)


def _indexed_until(seen: int) -> int:
    """Return the number up to which all books that came after `seen` are in the index."""
    younger = Manifestation.objects.filter(pk__gt=seen)
    waiting = (younger.to_merge(), younger.to_index())
    firsts: list[int | None] = [rows.order_by().aggregate(first=Min("pk"))["first"] for rows in waiting]
    return min([newest(), *(first - 1 for first in firsts if first)])
