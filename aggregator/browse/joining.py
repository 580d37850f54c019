"""Joins the names of one person or body, where sources say that they are one; never by similarity.

Sources say so in two ways: a record gives both forms as names of one agent, or records give the same identifier (Web
NDL Authorities, VIAF, ISNI, ORCID, NRID) with both. A name that comes with two identifiers of one scheme may stand for
several people, so it is joined with no other.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count

from aggregator.browse.kinds import CREATOR
from aggregator.models import Heading, HeadingLink
from core.database.batches import chunks, select_in, update

BATCH = 500


def join_names(run: int) -> None:
    """Set `main` of every other name of a person, and add its books to those of the main one, which has most books."""
    ambiguous = _ambiguous(run)
    for group in _groups(pair for pair in _pairs(run) if ambiguous.isdisjoint(pair)):
        _join(run, group)


def _ambiguous(run: int) -> set[str]:
    """Return the codes that have two identifiers of one scheme."""
    several = (
        HeadingLink.objects.filter(run=run, is_name=False, code__startswith=CREATOR)
        .order_by()
        .values("code")
        .annotate(number=Count("pk"))
        .filter(number__gt=1)
        .values_list("code", flat=True)
    )
    found = set()
    for codes in chunks(several.iterator()):
        schemes: dict[str, list[str]] = defaultdict(list)
        for code, value in select_in(HeadingLink, ("code", "value"), "code", codes, run=run):
            schemes[code].append(value.partition(" ")[0])
        found |= {code for code, names in schemes.items() if len(set(names)) < len(names)}
    return found


def _pairs(run: int) -> Iterable[tuple[str, str]]:
    """Yield the codes of two names that sources say are one person's. Codes without books may be among them."""
    links = HeadingLink.objects.filter(run=run, code__startswith=CREATOR).order_by()
    yield from links.filter(is_name=True).values_list("code", "value").iterator()
    shared = links.filter(is_name=False).values("value").annotate(number=Count("pk")).filter(number__gt=1)
    for values in chunks(shared.values_list("value", flat=True).iterator()):
        first: dict[str, str] = {}
        for value, code in select_in(HeadingLink, ("value", "code"), "value", values, run=run):
            if code.startswith(CREATOR):
                yield first.setdefault(value, code), code


def _groups(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the codes that are connected, two or more together."""
    group_of: dict[str, list[str]] = {}
    for one, other in pairs:
        larger, smaller = group_of.setdefault(one, [one]), group_of.setdefault(other, [other])
        if larger is smaller:
            continue
        if len(larger) < len(smaller):
            larger, smaller = smaller, larger
        larger += smaller
        group_of |= dict.fromkeys(smaller, larger)
    unique = {id(group): group for group in group_of.values()}
    return [group for group in unique.values() if len(group) > 1]


class _Row(NamedTuple):
    """A heading; the fields are columns."""

    id: int
    code: str
    books: int
    first_year: int
    last_year: int


def _join(run: int, codes: list[str]) -> None:
    found = map(_Row._make, select_in(Heading, _Row._fields, "code", codes, run=run))
    rows = sorted(found, key=lambda row: (-row.books, row.code))
    if len(rows) < 2:
        return
    main, others = rows[0], rows[1:]
    first = min((row.first_year for row in rows if row.first_year), default=0)
    total, last = sum(row.books for row in rows), max(row.last_year for row in rows)
    update(Heading, ("books", "first_year", "last_year"), [(total, first, last, main.id)])
    update(Heading, ("main",), [(main.code, row.id) for row in others])
