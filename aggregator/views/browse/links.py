"""Links to headings and classes, on all pages by which readers browse, and the names of the kinds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from aggregator.browse.addresses import heading_path, person_path
from aggregator.browse.kinds import CREATOR, IDENTITY, PLACE, PUBLISHER, SERIES, SUBJECT
from aggregator.models import Heading


@dataclass(frozen=True, slots=True)
class HeadingLink:
    """A link to a heading. see: the main heading, if this is another name of it."""

    label: str
    url: str
    books: int = 0
    reading: str = ""
    see: bool = False


@dataclass(frozen=True, slots=True)
class ClassLink:
    """An NDC class with its books; url: of its narrower classes, or of the search for its books."""

    number: str
    name: str
    books: int
    url: str
    search: str


def kind_names() -> dict[str, str]:
    """Return the names of the kinds, as headings of pages."""
    return {
        CREATOR: _("Authors"),
        SUBJECT: _("Subjects"),
        PUBLISHER: _("Publishers"),
        PLACE: _("Places of publication"),
        SERIES: _("Series titles"),
        IDENTITY: _("Persons and organisations with an identifier"),
    }


def heading_links(kind: str, rows: Iterable[Heading]) -> Iterator[HeadingLink]:
    """Yield the links to counted headings of one kind."""
    for row in rows:
        if kind == IDENTITY:  # several rows may have one name, those of one person among them
            identifier = row.code[1:]
            name = f"{row.label} ({identifier.partition(' ')[0]})"
            yield HeadingLink(name, person_path(identifier), row.books, row.reading)
        else:
            yield HeadingLink(row.label, heading_path(row.label, kind), row.books, row.reading, bool(row.main))
