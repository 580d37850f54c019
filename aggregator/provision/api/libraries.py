"""Makes the answers of the JSON interface about libraries. No HTTP."""

from collections.abc import Iterable

from aggregator.catalogue.found_library import LibraryFacts
from aggregator.catalogue.library_lists import open_libraries
from aggregator.libraries.addresses import library_url
from aggregator.libraries.numbers import library_number
from aggregator.models import Library
from aggregator.provision.api import shapes

_BRIEF = ("name", "name_en", "kind", "prefecture", "municipality", "latitude", "longitude")
_TEXTS = (
    *(*_BRIEF, "reading", "short_name"),
    *("address", "telephone", "hours", "closed_days", "page", "lends", "ill_terms", "remarks", "closed_on"),
)


def libraries() -> shapes.Libraries:
    """Return the list of all libraries. One query."""
    rows = open_libraries().order_by("pk").values("pk", "holdings", *_BRIEF)
    entries = tuple(
        shapes.LibraryEntry(
            number=library_number(row["pk"]),
            url=library_url(row["pk"]),
            books=row["holdings"],
            **{name: row[name] for name in _BRIEF},
        )
        for row in rows
    )
    return shapes.Libraries(total=len(entries), libraries=entries)


def library(facts: LibraryFacts) -> shapes.LibraryPage:
    """Return one library."""
    row = facts.library
    return shapes.LibraryPage(
        number=library_number(row.pk),
        url=library_url(row.pk),
        books=row.holdings,
        codes=tuple(shapes.LibraryCode(scheme=code.scheme, value=code.value) for code in facts.codes),
        parent=_brief(row.parent) if row.parent else None,
        branches=_briefs(facts.branches),
        former=_briefs(facts.former),
        repositories=tuple(repository.number for repository in facts.providers),
        newest=tuple(book.public_id for book in facts.newest),
        **{name: getattr(row, name) for name in _TEXTS},
    )


def _briefs(libraries: Iterable[Library]) -> tuple[shapes.LibraryInBrief, ...]:
    return tuple(map(_brief, libraries))


def _brief(library: Library) -> shapes.LibraryInBrief:
    return shapes.LibraryInBrief(number=library_number(library.pk), name=library.name, url=library_url(library.pk))
