"""A record as labelled rows for reading, in groups: one table, label and reader. No HTTP, no database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator.merge import Statement, record_with, unanimous
from aggregator.presentation import field_cells as cells
from aggregator.presentation.field_cells import Cell, Link, Reader, language_name, material_types, spoken, type_label
from aggregator.query import field_searches
from metadata.links import safe_href
from metadata.record import BibliographicRecord

__all__ = [
    "Cell",
    "Row",
    "Saying",
    "Speaker",
    "language_name",
    "makers",
    "material_types",
    "rows",
    "spoken",
    "type_label",
]


Label = str | Promise


class Speaker(NamedTuple):
    """Whose description it is, and the address of its page."""

    name: str
    page: str


@dataclass(frozen=True, slots=True)
class Saying:
    """One form of what a row says, and who says it, each name once. kept: it stands in the row."""

    text: str
    speakers: tuple[Speaker, ...]
    kept: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A label with its values, and the group that it stands in. sayings: who says what, where not all say the same."""

    label: str
    cells: tuple[Cell, ...]
    group: str = ""
    sayings: tuple[Saying, ...] = ()

    @property
    def contested(self) -> bool:
        """Somebody says what does not stand in the row."""
        return not all(each.kept for each in self.sayings)


class Field(NamedTuple):
    """A row of the table: how it is called and read, and the fields of the record that descriptions may differ in."""

    label: Label
    read: Reader
    told: tuple[str, ...] = ()


def rows(
    record: BibliographicRecord,
    search_base: str,
    said: Mapping[str, Sequence[Statement]] | None = None,
    speakers: Sequence[Speaker] = (),
) -> list[Row]:
    """Every field of the record that has a value, group by group, in the language of the page.

    said: of a merged record, as `merge.voices`; speakers: whose descriptions these are, in the same order.
    """
    return [
        Row(str(field.label), found, str(group), tuple(_sayings(field, said or {}, speakers)))
        for group, table in TABLE
        for field in table
        if (found := _unique(field.read(record), search_base))
    ]


def makers(record: BibliographicRecord, search_base: str) -> tuple[Cell, ...]:
    """The creators as they are spoken of, each with the search for what else is theirs."""
    found = cells.agents(lambda each: each.creators)(record)
    return _unique((replace(cell, text=field_searches.as_spoken(cell.text)) for cell in found), search_base)


def _sayings(field: Field, said: Mapping[str, Sequence[Statement]], speakers: Sequence[Speaker]) -> Iterator[Saying]:
    for name in field.told:
        heard = said.get(name, ())
        for voice in heard if not unanimous(heard) else ():
            text = "; ".join(_texts(field.read(record_with(name, voice.value))))
            if text:
                named = {speakers[place].name: speakers[place] for place in reversed(voice.places)}
                yield Saying(text, tuple(reversed(named.values())), voice.kept)


def _texts(found: Iterable[Cell]) -> Iterator[str]:
    for cell in found:
        if cell.text:
            yield f"{cell.text} ({cell.note})" if cell.note else cell.text


def _unique(found: Iterable[Cell], base: str) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(_complete(cell, base) for cell in found if cell.text))


def _complete(cell: Cell, base: str) -> Cell:
    if not (cell.search or cell.href or cell.links):
        return cell
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
        _("Country of publication"), cells.countries(lambda record: record.publication_places), ("publication_places",)
    ),
    Field(_("Date of publication"), cells.dates, ("issued",)),
    Field(_("Frequency"), cells.texts(lambda record: record.periodicities), ("periodicities",)),
    Field(_("Publication status"), cells.texts(lambda record: record.publication_statuses), ("publication_statuses",)),
    Field(_("Digitised by"), cells.agents(lambda record: record.digitized_publishers, field_searches.by_word)),
    Field(_("Other dates"), cells.other_dates),
    Field(_("Extent"), cells.texts(lambda record: record.extents), ("extents",)),
    Field(_("Material type"), cells.types, ("material_types",)),
    Field(_("Form"), cells.texts(lambda record: record.formats)),
    Field(_("Version"), cells.version, ("version_type",)),
    Field(_("Language"), cells.languages(lambda record: record.languages), ("languages",)),
    Field(
        _("Language of the original"),
        cells.languages(lambda record: record.original_languages),
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
    Field(_("Access rights"), cells.texts(lambda record: record.access_rights), ("access_rights",)),
    Field(_("Rights"), cells.licences, ("rights",)),
    Field(_("Rights holder"), cells.rights_holders),
]
CONTENT: Table = [
    Field(_("Subject"), cells.subjects(lambda record: record.subjects), ("subjects",)),
    Field(_("Genre"), cells.subjects(lambda record: record.genres), ("genres",)),
    Field(_("Place as subject"), cells.texts(lambda record: record.spatial), ("spatial",)),
    Field(_("Period as subject"), cells.texts(lambda record: record.temporal), ("temporal",)),
    Field(_("Abstract"), cells.texts(lambda record: record.abstracts)),
    Field(_("Contents"), cells.texts(lambda record: record.contents)),
    Field(_("Note"), cells.texts(lambda record: record.notes), ("notes",)),
    Field(_("Audience"), cells.texts(lambda record: record.audiences), ("audiences",)),
]
NUMBERS: Table = [
    Field(_("Identifiers"), cells.identifiers(lambda record: record.identifiers), ("identifiers",)),
    Field(
        _("Identifiers with an error"),
        cells.identifiers(lambda record: record.invalid_identifiers),
        ("invalid_identifiers",),
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
