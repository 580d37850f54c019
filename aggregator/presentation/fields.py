"""A record as labelled rows in groups, made from one table of labels and functions. No HTTP, no database access."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from aggregator.merge import Statement, record_with, unanimous
from aggregator.presentation import field_cells as cells
from aggregator.presentation.field_cells import Cell, Link, Reader, material_types
from aggregator.presentation.field_labels import (
    audience_name,
    country_name,
    language_name,
    media_type_name,
    place_words,
)
from aggregator.presentation.licences import licence_cells
from aggregator.query import field_searches
from metadata.links import safe_href
from metadata.record import BibliographicRecord

__all__ = ["Cell", "Origin", "Row", "Variant", "display_creators", "material_types", "rows", "source_rows"]


Label = str | Promise


class Origin(NamedTuple):
    """The provider of a description, and the address of the description's page."""

    name: str
    page: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several versions of a row's value, with the providers that give it. shown: the row has this version."""

    text: str
    origins: tuple[Origin, ...]
    shown: bool


class Row(msgspec.Struct, frozen=True, gc=False):
    """A label with its values, and the group of rows that it belongs to. variants: empty if all providers agree."""

    label: str
    cells: tuple[Cell, ...]
    group: str = ""
    variants: tuple[Variant, ...] = ()

    @property
    def contested(self) -> bool:
        """Whether a provider gives a value that the row does not show."""
        return not all(variant.shown for variant in self.variants)


class Field(NamedTuple):
    """A row of the table. read: makes the cells. compared: the record's fields whose differing values the row shows.
    for_readers: whether the page of a book has the row, not only the pages of its source records.
    """

    label: Label
    read: Reader
    compared: tuple[str, ...] = ()
    for_readers: bool = True


def rows(
    record: BibliographicRecord,
    search_base: str,
    statements: Mapping[str, Sequence[Statement]] | None = None,
    origins: Sequence[Origin] = (),
) -> list[Row]:
    """Return the fields of a book that have a value, group by group, in the language of the page.

    search_base: address of the search page, which is put before the query strings of the cells. statements: of a merged
    record, from `merge.statements`. origins: of the descriptions that were given to it, in the same order.
    """
    return [
        Row(str(field.label), values, str(group), tuple(_variants(field, statements or {}, origins)))
        for group, table in TABLE
        for field in table
        if field.for_readers and (values := _unique(field.read(record), search_base))
    ]


def source_rows(record: BibliographicRecord, search_base: str) -> list[Row]:
    """Return every field of a source record that has a value, also wrong identifiers and codes that have no name.

    search_base: as in `rows`.
    """
    return [
        Row(str(field.label), values, str(group))
        for group, table in TABLE
        for field in table
        if (values := _unique(map(Cell.with_codes, field.read(record)), search_base))
    ]


def display_creators(record: BibliographicRecord, search_base: str) -> tuple[Cell, ...]:
    """Return the creators without the dates of headings, with a search for other books of the same creator.

    search_base: as in `rows`.
    """
    creators = cells.agents(lambda described: described.creators)(record)
    return _unique((replace(cell, text=field_searches.display_name(cell.text)) for cell in creators), search_base)


def _variants(
    field: Field, statements: Mapping[str, Sequence[Statement]], origins: Sequence[Origin]
) -> Iterator[Variant]:
    for name in field.compared:
        of_field = statements.get(name, ())
        for statement in of_field if not unanimous(of_field) else ():
            text = "; ".join(_texts(field.read(record_with(name, statement.value))))
            if text:
                by_name = {origins[place].name: origins[place] for place in reversed(statement.places)}
                yield Variant(text, tuple(reversed(by_name.values())), statement.in_merged)


def _texts(values: Iterable[Cell]) -> Iterator[str]:
    for cell in values:
        if cell.text:
            yield f"{cell.text} ({cell.note})" if cell.note else cell.text


def _unique(values: Iterable[Cell], base: str) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(_complete(cell, base) for cell in values if cell.text))


def _complete(cell: Cell, base: str) -> Cell:
    if not (cell.search or cell.href or cell.links or cell.codes):
        return cell
    return replace(
        cell,
        codes=(),
        search=base + cell.search if cell.search else "",
        href=safe_href(cell.href) if cell.href else "",
        links=tuple(_safe(cell.links)),
    )


def _safe(links: Iterable[Link]) -> Iterator[Link]:
    for link in links:
        href = safe_href(link.href)
        if href:
            yield Link(link.text, href)


Table = list[Field]

DESCRIPTION: Table = [
    Field(_("Title"), cells.titles(lambda record: record.titles), ("titles",)),
    Field(_("Alternative title"), cells.titles(lambda record: record.alternatives), ("alternatives",)),
    Field(_("Volume"), cells.titles(lambda record: (*record.volumes, *record.alternative_volumes)), ("volumes",)),
    Field(_("Volume title"), cells.titles(lambda record: record.volume_titles), ("volume_titles",)),
    Field(_("Volumes published"), cells.texts(lambda record: record.volume_ranges), ("volume_ranges",)),
    Field(_("Parts"), cells.titles(lambda record: record.parts), ("parts",)),
    Field(_("Series"), cells.titles(lambda record: record.series, field_searches.by_series), ("series",)),
    Field(_("Volume in the series"), cells.titles(lambda record: record.series_volumes)),
    Field(_("Creator of the series"), cells.texts(lambda record: record.series_creators)),
    Field(_("Edition"), cells.texts(lambda record: record.editions), ("editions",)),
    Field(_("Creator"), cells.agents(lambda record: record.creators), ("creators",)),
    Field(_("Other names of creators"), cells.titles(lambda record: record.creator_alternatives)),
    Field(_("Contributor"), cells.agents(lambda record: record.contributors), ("contributors",)),
    Field(_("Statement of responsibility"), cells.texts(lambda record: record.responsibility)),
]
PUBLICATION: Table = [
    Field(_("Published in"), cells.host, ("host",)),
    Field(_("Publisher"), cells.publishers, ("publishers",)),
    Field(
        _("Country of publication"),
        cells.named(lambda record: record.publication_places, country_name),
        ("publication_places",),
    ),
    Field(_("Date of publication"), cells.dates, ("issued",)),
    Field(_("Frequency"), cells.texts(lambda record: record.periodicities), ("periodicities",)),
    Field(_("Publication status"), cells.texts(lambda record: record.publication_statuses), ("publication_statuses",)),
    Field(_("Digitised by"), cells.agents(lambda record: record.digitized_publishers, field_searches.by_word)),
    Field(_("Other dates"), cells.other_dates),
    Field(_("Extent"), cells.texts(lambda record: record.extents), ("extents",)),
    Field(_("Material type"), cells.types, ("material_types",)),
    Field(_("Accessible format"), cells.accessible),
    Field(_("Form"), cells.named(lambda record: record.formats, media_type_name)),
    Field(_("Version"), cells.version, ("version_type",)),
    Field(_("Language"), cells.named(lambda record: record.languages, language_name), ("languages",)),
    Field(
        _("Language of the original"),
        cells.named(lambda record: record.original_languages, language_name),
        ("original_languages",),
    ),
    Field(_("Price"), cells.texts(lambda record: record.prices), ("prices",)),
]
ORIGIN: Table = [
    Field(_("Dissertation number"), cells.texts(lambda record: record.dissertation_numbers), ("dissertation_numbers",)),
    Field(_("Degree"), cells.texts(lambda record: record.degree_names), ("degree_names",)),
    Field(
        _("Degree grantor"),
        cells.agents(lambda record: record.degree_grantors, field_searches.by_word),
        ("degree_grantors",),
    ),
    Field(_("Conference"), cells.conferences, ("conferences",)),
    Field(_("Funding"), cells.fundings, ("fundings",)),
]
ACCESS: Table = [
    Field(_("Full text"), cells.files(True)),
    Field(_("Other files"), cells.files(False)),
    Field(_("Access rights"), cells.access_rights, ("access_rights",)),
    Field(_("Rights"), licence_cells, ("rights",)),
    Field(_("Rights holder"), cells.rights_holders),
]
CONTENT: Table = [
    Field(_("Subject"), cells.subjects(lambda record: record.subjects), ("subjects",)),
    Field(_("Genre"), cells.subjects(lambda record: record.genres), ("genres",)),
    Field(_("Place as subject"), cells.named(lambda record: record.spatial, place_words), ("spatial",)),
    Field(_("Period as subject"), cells.texts(lambda record: record.temporal), ("temporal",)),
    Field(_("Abstract"), cells.texts(lambda record: record.abstracts)),
    Field(_("Contents"), cells.texts(lambda record: record.contents)),
    Field(_("Note"), cells.texts(lambda record: record.notes), ("notes",)),
    Field(_("Audience"), cells.named(lambda record: record.audiences, audience_name), ("audiences",)),
]
NUMBERS: Table = [
    Field(_("Identifiers"), cells.identifiers(lambda record: record.identifiers), ("identifiers",)),
    Field(
        _("Identifiers with an error"),
        cells.identifiers(lambda record: record.invalid_identifiers),
        ("invalid_identifiers",),
        for_readers=False,
    ),
    Field(_("Identifiers of the original"), cells.identifiers(lambda record: record.source_identifiers)),
    Field(_("Registered identifier"), cells.registrations),
    Field(_("Related resources"), cells.relations),
    Field(_("See also"), cells.seen_elsewhere),
]
TABLE: list[tuple[Label, Table]] = [
    (_("Title and responsibility"), DESCRIPTION),
    (_("Publication and form"), PUBLICATION),
    (_("Degree, conference, funding"), ORIGIN),
    (_("Subject and contents"), CONTENT),
    (_("Full text and rights"), ACCESS),
    (_("Identifiers and related resources"), NUMBERS),
]
