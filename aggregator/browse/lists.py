"""Lists of headings from the last finished counting: by letter, page by page, or those with most books. No HTTP."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from aggregator.browse.kinds import CLASS, DIGITS, code_of
from aggregator.browse.letters import LETTERS, LONGEST_KEY, letter_of, sort_key
from aggregator.models import Heading, HeadingRun

PAGE = 120  # headings on a page


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: the sort key of its first heading, and the number of its row among those with equal keys."""

    key: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """Headings of a letter in their order. before, after: where the neighbouring pages begin; None if there is none."""

    headings: tuple[Heading, ...]
    before: Place | None = None
    after: Place | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, and the number of headings that begin with it."""

    letter: str
    headings: int


def letters(run: HeadingRun, kind: str) -> list[Letter]:
    """Return all letters in their order, also those without headings."""
    counts = run.letters.get(kind, {})
    return [Letter(letter, counts.get(letter, 0)) for letter in LETTERS]


def place_of(text: str) -> tuple[str, Place]:
    """Return the letter and the place where a typed beginning is listed; ("", Place()) for an empty one."""
    key = sort_key(text, "") if text.strip() else ""
    return (letter_of(key), Place(key)) if key else ("", Place())


def page(run: HeadingRun, kind: str, letter: str, start: Place) -> Page:
    """Return the page of a letter's headings that begins at a place. Two queries, whatever the number of headings."""
    of_letter = Heading.objects.filter(run=run.pk, kind=kind, letter=letter)
    key = start.key[:LONGEST_KEY]
    from_here = of_letter.filter(key__gte=key).filter(Q(key__gt=key) | Q(pk__gte=start.row))
    rows = list(from_here.order_by("key", "pk")[: PAGE + 1])
    up_to_here = of_letter.filter(key__lte=key).filter(Q(key__lt=key) | Q(pk__lt=start.row))
    earlier = list(up_to_here.order_by("-key", "-pk").values_list("key", "pk")[:PAGE]) if start != Place() else []
    after = Place(rows[PAGE].key, rows[PAGE].pk) if len(rows) > PAGE else None
    return Page(tuple(rows[:PAGE]), Place(*earlier[-1]) if earlier else None, after)


def largest(run: HeadingRun, kind: str, most: int) -> list[Heading]:
    """Return the headings with most books. Names that belong to a main one count there."""
    return list(_by_books(run, kind).filter(main="")[:most])


def _by_books(run: HeadingRun, kind: str) -> QuerySet[Heading]:
    return Heading.objects.filter(run=run.pk, kind=kind).order_by("-books", "pk")


def class_counts(run: HeadingRun | None, numbers: Iterable[str]) -> Mapping[str, int]:
    """Return class -> number of books; classes without books are left out. One query."""
    if run is None:
        return {}
    codes = [code_of(CLASS, number) for number in numbers]
    return dict(Heading.objects.filter(run=run.pk, code__in=codes).values_list("label", "books"))


def narrower_classes(number: str) -> list[str]:
    """Return the ten classes within a class; [] for a class of the narrowest level that is counted."""
    return [f"{number}{digit}" for digit in range(10)] if len(number) < DIGITS else []
