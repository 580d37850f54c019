"""Which of the libraries that a reader has chosen hold books. The choice comes with the request: none is stored."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from aggregator.links.instead import links_instead
from aggregator.models import Holding


def held_by(libraries: Sequence[int], books: Collection[int]) -> dict[int, list[tuple[str, str]]]:
    """Return book -> (name, link) of each chosen library that holds it, in the order of `libraries`. One query, more if
    a link is dead.
    """
    held: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    rows = Holding.objects.filter(manifestation__in=books, library__in=libraries).select_related("library")
    fields = ("manifestation_id", "link", *(f"library__{name}" for name in ("id", "name", "name_en")))
    found = sorted(rows.only(*fields), key=lambda row: libraries.index(row.library_id))
    instead = links_instead((row.manifestation_id, row.library_id, row.link) for row in found)
    for row in found:
        link = instead.get((row.manifestation_id, row.library_id))
        held[row.manifestation_id].append((row.library.label, row.link if link is None else link.url))
    return dict(held)
