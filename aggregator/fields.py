"""A record as labelled rows for reading: one table, label and reader. No HTTP, no database."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import get_language, get_language_info
from django.utils.translation import gettext_lazy as _

from aggregator.parameters import TEXT_LIMIT, address
from aggregator.search.base import Query
from metadata.identifiers import hyphenate
from metadata.links import safe_href
from metadata.record import Agent, BibliographicRecord, Identifier, Subject, Title
from metadata.vocabulary import LANGUAGES, MATERIAL_TYPES

TYPE_LABELS = {uri.rsplit("/", 1)[-1]: label for uri, label in MATERIAL_TYPES.items()}
# ISO 639-2 -> 639-1, which is what Django has names for.
SHORT_CODES = {code: short for short, code in LANGUAGES.items() if len(short) == 2 and short.isascii()}
RESOLVERS = {"DOI": "https://doi.org/", "NIIBibID": "https://ci.nii.ac.jp/ncid/", "NCID": "https://ci.nii.ac.jp/ncid/"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value: text, its reading, a note on it; where it leads: a search of ours, or an address outside."""

    text: str
    reading: str = ""
    note: str = ""
    search: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A label with its values."""

    label: str | Promise
    cells: tuple[Cell, ...]


Reader = Callable[[BibliographicRecord], Iterable[Cell]]


def rows(record: BibliographicRecord, search_base: str) -> list[Row]:
    """Every field of the record that has a value, in the order of a catalogue card."""
    found = []
    for label, read in TABLE:
        cells = (cell for cell in read(record) if cell.text)
        unique = tuple(dict.fromkeys(_complete(cell, search_base) for cell in cells))
        if unique:
            found.append(Row(label, unique))
    return found


def type_label(value: str) -> str:
    """The name of a material type (URI or its last part) in the language of the page.

    Where the vocabulary has none: the last part of the URI, or the text itself.
    """
    term = value.rstrip("/").rsplit("/", 1)[-1] if "://" in value else value
    label = TYPE_LABELS.get(term)
    if label is None:
        return term
    return label.en if get_language() == "en" else label.ja


def language_name(code: str) -> str:
    """The name of a language in the language of the page; the code itself where there is none."""
    try:
        return str(get_language_info(SHORT_CODES.get(code, code))["name_translated"])
    except KeyError:
        return code


def material_types(record: BibliographicRecord) -> list[str]:
    """The names of the record's material types, each once."""
    names = (type_label(each.uri) if each.uri else each.label for each in record.material_types)
    return list(dict.fromkeys(name for name in names if name))


def _complete(cell: Cell, base: str) -> Cell:
    search = base + cell.search if cell.search else ""
    return replace(cell, search=search, href=safe_href(cell.href) if cell.href else "")


def _by_creator(name: str) -> str:
    """The query string that looks for a name, cut where the search box would refuse it."""
    return address(Query(creator=name[:TEXT_LIMIT]), "")


def _by_word(text: str) -> str:
    return address(Query(q=text[:TEXT_LIMIT]), "")


def _texts(read: Callable[[BibliographicRecord], Iterable[str]]) -> Reader:
    return lambda record: (Cell(text=text) for text in read(record))


def _languages(read: Callable[[BibliographicRecord], Iterable[str]]) -> Reader:
    return lambda record: (Cell(text=language_name(code)) for code in read(record))


def _titles(read: Callable[[BibliographicRecord], Iterable[Title]]) -> Reader:
    return lambda record: (Cell(text=each.value, reading=each.transcription) for each in read(record))


def _agents(read: Callable[[BibliographicRecord], Iterable[Agent]]) -> Reader:
    return lambda record: (
        Cell(text=each.name, reading=each.transcription, note=each.role, search=_by_creator(each.name))
        for each in read(record)
    )


def _subjects(read: Callable[[BibliographicRecord], Iterable[Subject]]) -> Reader:
    return lambda record: (
        Cell(text=each.value, reading=each.transcription, note=each.scheme, search=_by_word(each.value))
        for each in read(record)
    )


def _publishers(record: BibliographicRecord) -> Iterator[Cell]:
    for each in record.publishers:
        yield Cell(text=each.name, reading=each.transcription, note=each.location, search=_by_word(each.name))


def _dates(record: BibliographicRecord) -> Iterator[Cell]:
    """The date as the provider prints it ("1991.10"), else the normal form."""
    for text in record.dates or (record.issued,):
        yield Cell(text=text)


def _identifiers(read: Callable[[BibliographicRecord], Iterable[Identifier]]) -> Reader:
    return lambda record: (_identifier(each) for each in read(record))


def _identifier(each: Identifier) -> Cell:
    isbn = each.scheme in {"ISBN", "SetISBN"}
    return Cell(
        text=hyphenate(each.value) if isbn else each.value,
        note=each.scheme,
        search=address(Query(isbn=each.value), "") if isbn else "",
        href=RESOLVERS[each.scheme] + each.value if each.scheme in RESOLVERS else "",
    )


def _relations(record: BibliographicRecord) -> Iterator[Cell]:
    for each in record.relations:
        yield Cell(text=each.label or each.uri, note=each.type, href=each.uri)


def _host(record: BibliographicRecord) -> Iterator[Cell]:
    """The publication an article stands in, as one line."""
    host = record.host
    numbers = f"{host.volume}({host.number or host.issue})" if host.number or host.issue else host.volume
    parts = (host.title, numbers, host.pages, *(f"ISSN {issn}" for issn in host.issn))
    yield Cell(text=", ".join(part for part in parts if part))


def _material_types(record: BibliographicRecord) -> Iterator[Cell]:
    return (Cell(text=name) for name in material_types(record))


def _seen_elsewhere(record: BibliographicRecord) -> Iterator[Cell]:
    return (Cell(text=uri, href=uri) for uri in record.see_also)


TABLE: list[tuple[str | Promise, Reader]] = [
    (_("Title"), _titles(lambda record: record.titles)),
    (_("Alternative title"), _titles(lambda record: record.alternatives)),
    (_("Volume"), _titles(lambda record: record.volumes)),
    (_("Volume title"), _titles(lambda record: record.volume_titles)),
    (_("Parts"), _titles(lambda record: record.parts)),
    (_("Series"), _titles(lambda record: record.series)),
    (_("Edition"), _texts(lambda record: record.editions)),
    (_("Creator"), _agents(lambda record: record.creators)),
    (_("Contributor"), _agents(lambda record: record.contributors)),
    (_("Statement of responsibility"), _texts(lambda record: record.responsibility)),
    (_("Publisher"), _publishers),
    (_("Country of publication"), _texts(lambda record: record.publication_places)),
    (_("Date of publication"), _dates),
    (_("Published in"), _host),
    (_("Extent"), _texts(lambda record: record.extents)),
    (_("Material type"), _material_types),
    (_("Form"), _texts(lambda record: record.formats)),
    (_("Language"), _languages(lambda record: record.languages)),
    (_("Language of the original"), _languages(lambda record: record.original_languages)),
    (_("Identifiers"), _identifiers(lambda record: record.identifiers)),
    (_("Identifiers with an error"), _identifiers(lambda record: record.invalid_identifiers)),
    (_("Subject"), _subjects(lambda record: record.subjects)),
    (_("Genre"), _subjects(lambda record: record.genres)),
    (_("Place as subject"), _texts(lambda record: record.spatial)),
    (_("Period as subject"), _texts(lambda record: record.temporal)),
    (_("Abstract"), _texts(lambda record: record.abstracts)),
    (_("Contents"), _texts(lambda record: record.contents)),
    (_("Note"), _texts(lambda record: record.notes)),
    (_("Audience"), _texts(lambda record: record.audiences)),
    (_("Price"), _texts(lambda record: record.prices)),
    (_("Rights"), _texts(lambda record: record.rights)),
    (_("Access rights"), _texts(lambda record: record.access_rights)),
    (_("Rights holder"), _texts(lambda record: record.rights_holders)),
    (_("Related resources"), _relations),
    (_("See also"), _seen_elsewhere),
]
