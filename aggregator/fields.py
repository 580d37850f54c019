"""A record as labelled rows for reading, in groups: one table, label and reader. No HTTP, no database."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator import field_cells as cells
from aggregator.field_cells import Cell, Link, Reader, language_name, material_types, spoken, type_label
from metadata.links import safe_href
from metadata.record import BibliographicRecord

__all__ = ["Cell", "Row", "language_name", "material_types", "rows", "spoken", "type_label"]


@dataclass(frozen=True, slots=True)
class Row:
    """A label with its values, and the group that it stands in."""

    label: str | Promise
    cells: tuple[Cell, ...]
    group: str | Promise = ""


def rows(record: BibliographicRecord, search_base: str) -> list[Row]:
    """Every field of the record that has a value, group by group."""
    return [
        Row(label, found, group)
        for group, table in TABLE
        for label, read in table
        if (found := _unique(read(record), search_base))
    ]


def _unique(found: Iterable[Cell], base: str) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(_complete(cell, base) for cell in found if cell.text))


def _complete(cell: Cell, base: str) -> Cell:
    return replace(
        cell,
        search=base + cell.search if cell.search else "",
        href=safe_href(cell.href) if cell.href else "",
        links=tuple(_safe(cell.links)),
    )


def _safe(links: Iterable[Link]) -> Iterator[Link]:
    for each in links:
        href = safe_href(each.href)
        if href:
            yield Link(each.text, href)


Table = list[tuple[str | Promise, Reader]]

DESCRIPTION: Table = [
    (_("Title"), cells.titles(lambda record: record.titles)),
    (_("Alternative title"), cells.titles(lambda record: record.alternatives)),
    (_("Volume"), cells.titles(lambda record: (*record.volumes, *record.alternative_volumes))),
    (_("Volume title"), cells.titles(lambda record: record.volume_titles)),
    (_("Volumes published"), cells.texts(lambda record: record.volume_ranges)),
    (_("Parts"), cells.titles(lambda record: record.parts)),
    (_("Series"), cells.titles(lambda record: record.series)),
    (_("Volume in the series"), cells.titles(lambda record: record.series_volumes)),
    (_("Creator of the series"), cells.texts(lambda record: record.series_creators)),
    (_("Edition"), cells.texts(lambda record: record.editions)),
    (_("Creator"), cells.agents(lambda record: record.creators)),
    (_("Other names of creators"), cells.titles(lambda record: record.creator_alternatives)),
    (_("Contributor"), cells.agents(lambda record: record.contributors)),
    (_("Statement of responsibility"), cells.texts(lambda record: record.responsibility)),
]
PUBLICATION: Table = [
    (_("Publisher"), cells.publishers),
    (_("Country of publication"), cells.texts(lambda record: record.publication_places)),
    (_("Date of publication"), cells.dates),
    (_("Published in"), cells.host),
    (_("Frequency"), cells.texts(lambda record: record.periodicities)),
    (_("Publication status"), cells.texts(lambda record: record.publication_statuses)),
    (_("Digitised by"), cells.agents(lambda record: record.digitized_publishers, cells.by_word)),
    (_("Other dates"), cells.other_dates),
    (_("Extent"), cells.texts(lambda record: record.extents)),
    (_("Material type"), cells.types),
    (_("Form"), cells.texts(lambda record: record.formats)),
    (_("Version"), cells.version),
    (_("Language"), cells.languages(lambda record: record.languages)),
    (_("Language of the original"), cells.languages(lambda record: record.original_languages)),
    (_("Price"), cells.texts(lambda record: record.prices)),
]
ORIGIN: Table = [
    (_("Dissertation number"), cells.texts(lambda record: record.dissertation_numbers)),
    (_("Degree"), cells.texts(lambda record: record.degree_names)),
    (_("Degree grantor"), cells.agents(lambda record: record.degree_grantors, cells.by_word)),
    (_("Conference"), cells.conferences),
    (_("Funding"), cells.fundings),
]
ACCESS: Table = [
    (_("Full text"), cells.files(True)),
    (_("Other files"), cells.files(False)),
    (_("Access rights"), cells.texts(lambda record: record.access_rights)),
    (_("Rights"), cells.licences),
    (_("Rights holder"), cells.rights_holders),
]
CONTENT: Table = [
    (_("Subject"), cells.subjects(lambda record: record.subjects)),
    (_("Genre"), cells.subjects(lambda record: record.genres)),
    (_("Place as subject"), cells.texts(lambda record: record.spatial)),
    (_("Period as subject"), cells.texts(lambda record: record.temporal)),
    (_("Abstract"), cells.texts(lambda record: record.abstracts)),
    (_("Contents"), cells.texts(lambda record: record.contents)),
    (_("Note"), cells.texts(lambda record: record.notes)),
    (_("Audience"), cells.texts(lambda record: record.audiences)),
]
NUMBERS: Table = [
    (_("Identifiers"), cells.identifiers(lambda record: record.identifiers)),
    (_("Identifiers with an error"), cells.identifiers(lambda record: record.invalid_identifiers)),
    (_("Identifiers of the original"), cells.identifiers(lambda record: record.source_identifiers)),
    (_("Registered identifier"), cells.registrations),
    (_("Related resources"), cells.relations),
    (_("See also"), cells.seen_elsewhere),
]
TABLE: list[tuple[str | Promise, Table]] = [
    (_("Full text and rights"), ACCESS),
    (_("Title and responsibility"), DESCRIPTION),
    (_("Publication and form"), PUBLICATION),
    (_("Degree, conference, funding"), ORIGIN),
    (_("Subject and contents"), CONTENT),
    (_("Identifiers and related resources"), NUMBERS),
]
