"""The values of a record's fields as cells for reading: texts, readings, notes, links. No HTTP, no database."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.presentation.field_labels import DATES, FILES, RELATIONS, VERSIONS, label
from aggregator.query import field_searches
from aggregator.query.parameters import address
from aggregator.search.base import Query
from metadata.citations.facts import hyphenated_issn
from metadata.identifiers import hyphenate
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    File,
    Funding,
    Identifier,
    Relation,
    Subject,
    Title,
)
from metadata.vocabularies.countries import NAMES as COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPES, Label
from metadata.vocabularies.languages import NAMES

TYPE_LABELS = {uri.rsplit("/", 1)[-1]: label for uri, label in MATERIAL_TYPES.items()}
RESOLVERS = {
    "DOI": "https://doi.org/",
    "NIIBibID": "https://ci.nii.ac.jp/ncid/",
    "NCID": "https://ci.nii.ac.jp/ncid/",
    "ORCID": "https://orcid.org/",
    "ISNI": "https://isni.org/isni/",
    "VIAF": "https://viaf.org/viaf/",
    "NRID": "https://nrid.nii.ac.jp/nrid/",
}


LONG_TEXT = 600  # characters


@dataclass(frozen=True, slots=True)
class Link:
    """An address outside, with what it is called."""

    text: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value: text, its reading, a note on it; where it leads: a search of ours, or an address outside.

    details: what else is known of it, a line each. links: addresses that belong to it, such as a person's ORCID.
    """

    text: str
    reading: str = ""
    note: str = ""
    search: str = ""
    href: str = ""
    details: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def is_long(self) -> bool:
        """Too long to be read in passing: an abstract of a page."""
        return len(self.text) > LONG_TEXT


Reader = Callable[[BibliographicRecord], Iterable[Cell]]


def type_label(value: str) -> str:
    """The name of a material type (URI or its last part) in the language of the page.

    Where the vocabulary has none: the last part of the URI, or the text itself.
    """
    term = value.rstrip("/").rsplit("/", 1)[-1] if "://" in value else value
    return spoken(TYPE_LABELS.get(term), term)


def language_name(code: str) -> str:
    """The name of a language in the language of the page; the code itself where there is none."""
    return spoken(NAMES.get(code), code)


def countries(read: Callable[[BibliographicRecord], Iterable[str]]) -> Reader:
    """Places given as ISO 3166 codes by the names of the countries; words as they are."""
    return lambda record: (Cell(text=spoken(COUNTRIES.get(code.upper()), code)) for code in read(record))


def spoken(label: Label | None, otherwise: str) -> str:
    """A term in the language of the page."""
    if label is None:
        return otherwise
    return label.en if get_language() == "en" else label.ja


def material_types(record: BibliographicRecord) -> list[str]:
    """The names of the record's material types, each once."""
    names = (type_label(each.uri) if each.uri else each.label for each in record.material_types)
    return list(dict.fromkeys(name for name in names if name))


def texts(read: Callable[[BibliographicRecord], Iterable[str]]) -> Reader:
    return lambda record: (Cell(text=text) for text in read(record))


def languages(read: Callable[[BibliographicRecord], Iterable[str]]) -> Reader:
    return lambda record: (Cell(text=language_name(code)) for code in read(record))


def titles(
    read: Callable[[BibliographicRecord], Iterable[Title]], search: Callable[[str], str] = lambda _text: ""
) -> Reader:
    return lambda record: (
        Cell(text=each.value, reading=each.transcription, note=each.responsibility, search=search(each.value))
        for each in read(record)
    )


def agents(
    read: Callable[[BibliographicRecord], Iterable[Agent]], search: Callable[[str], str] = field_searches.by_creator
) -> Reader:
    return lambda record: (_agent(each, search) for each in read(record))


def _agent(each: Agent, search: Callable[[str], str] = field_searches.by_word) -> Cell:
    bodies = "; ".join(dict.fromkeys(body.name for body in each.affiliations if body.name))
    return Cell(
        text=each.name,
        reading=each.transcription,
        note="; ".join(filter(None, (each.role, each.location))),
        search=search(each.name),
        details=tuple(filter(None, ("; ".join(names(each.other_names)), bodies))),
        links=tuple(Link(number.scheme, href) for number in each.identifiers if (href := _resolved(number))),
    )


def names(found: Iterable[Title]) -> Iterator[str]:
    """Each text once, with its reading behind it."""
    for each in dict.fromkeys(found):
        yield f"{each.value} {each.transcription}".rstrip()


def subjects(read: Callable[[BibliographicRecord], Iterable[Subject]]) -> Reader:
    return lambda record: (
        Cell(text=each.value, reading=each.transcription, note=each.scheme, search=field_searches.by_subject(each))
        for each in read(record)
    )


def publishers(record: BibliographicRecord) -> Iterator[Cell]:
    for each in record.publishers:
        note = "; ".join(filter(None, (each.location, each.role)))
        details = tuple(names(each.other_names))
        yield Cell(
            text=each.name,
            reading=each.transcription,
            note=note,
            search=field_searches.by_publisher(each.name),
            details=details,
        )


def dates(record: BibliographicRecord) -> Iterator[Cell]:
    """The date as the provider prints it ("1991.10"), else the normal form."""
    for text in record.dates or (record.issued,):
        yield Cell(text=text)


def other_dates(record: BibliographicRecord) -> Iterator[Cell]:
    return (Cell(text=each.value, note=label(DATES, each.type)) for each in record.other_dates)


def identifiers(read: Callable[[BibliographicRecord], Iterable[Identifier]]) -> Reader:
    return lambda record: (_identifier(each) for each in read(record))


def _identifier(each: Identifier) -> Cell:
    isbn = each.scheme in {"ISBN", "SetISBN"}
    text = hyphenated_issn(each.value) if each.scheme in {"ISSN", "ISSNL"} else each.value
    return Cell(
        text=hyphenate(each.value) if isbn else text,
        note=each.scheme,
        search=address(Query(isbn=each.value), "") if isbn else "",
        href=_resolved(each),
    )


def _resolved(each: Identifier) -> str:
    """Where the identifier leads, "" where nothing is known of it."""
    return each.uri or (RESOLVERS[each.scheme] + each.value if each.scheme in RESOLVERS else "")


def relations(record: BibliographicRecord) -> Iterator[Cell]:
    return map(_relation, record.relations)


def _relation(each: Relation) -> Cell:
    number = f"{each.scheme} {each.number}".strip() if each.number else ""
    text = each.label or each.uri or number
    kind = label(RELATIONS, each.term or each.type)
    details = [*names(each.titles), *([number] if number and number != text else [])]
    return Cell(text=text, note=kind, href=each.uri, details=tuple(details))


def host(record: BibliographicRecord) -> Iterator[Cell]:
    """The publication an article stands in, as one line."""
    around = record.host
    number = around.number or around.issue
    parts = (
        around.title,
        f"{around.volume}({number})" if number else around.volume,
        around.pages,
        *(f"ISSN {issn[:4]}-{issn[4:]}" for issn in around.issn),
        *(f"{each.scheme} {each.value}" for each in around.identifiers if each.value not in around.issn),
    )
    text = ", ".join(part for part in parts if part)
    yield Cell(text=text, details=tuple(names(around.titles)))


def files(kinds: bool) -> Reader:
    """Files of full texts, or else all others; with what the licence allows."""

    def read(record: BibliographicRecord) -> Iterator[Cell]:
        for each in record.files:
            if (each.type == "fulltext") is kinds:
                yield _file(each, record)

    return read


def _file(each: File, record: BibliographicRecord) -> Cell:
    kind = label(FILES, each.type) if each.type not in {"fulltext", "other"} else ""
    version = label(VERSIONS, record.version_type) if each.type == "fulltext" else ""
    note = "; ".join(filter(None, (kind, version, each.media_type, *each.extents, each.version)))
    days = [f"{label(DATES, day.type)}: {day.value}" for day in each.dates if day.type != "issued"]
    text = each.label or each.uri.rstrip("/").rsplit("/", 1)[-1]
    terms = record.licenses if each.type == "fulltext" else ()
    links = tuple(Link(_("Licence: %(name)s") % {"name": one.label or one.uri}, one.uri) for one in terms)
    return Cell(text=text, note=note, href=each.uri, details=tuple(days), links=links)


def licences(record: BibliographicRecord) -> Iterator[Cell]:
    """Statements of rights: those with an address lead there."""
    addresses = {each.label or each.uri: each.uri for each in record.licenses}
    for text in dict.fromkeys((*record.rights, *addresses)):
        yield Cell(text=text, href=addresses.get(text, ""))


def rights_holders(record: BibliographicRecord) -> Iterator[Cell]:
    known = {each.name: each for each in record.rights_agents}
    for name in dict.fromkeys((*record.rights_holders, *known)):
        yield _agent(known.get(name) or Agent(name=name))


def fundings(record: BibliographicRecord) -> Iterator[Cell]:
    return map(_funding, record.fundings)


def _funding(each: Funding) -> Cell:
    """The award first, which is what people look for; who pays for it below."""
    award = next(names(each.titles), "")
    number = each.award.value
    payer = "; ".join(filter(None, (each.funder.name, next(names(each.streams), ""))))
    text = award or payer or number
    details = [*list(names(each.titles))[1:], *([payer] if payer and payer != text else [])]
    return Cell(text=text, note=number if number != text else "", href=each.award.uri, details=tuple(details))


def conferences(record: BibliographicRecord) -> Iterator[Cell]:
    return map(_conference, record.conferences)


def _conference(each: Conference) -> Cell:
    date = each.date.value or " – ".join(filter(None, (each.start, each.end)))
    place = ", ".join(filter(None, (*names(each.venues[:1]), *names(each.places[:1]), each.country)))
    sponsors = "; ".join(names(each.sponsors))
    found = list(names(each.names)) or [date or place]
    details = filter(None, (*found[1:], date, place, _("Held by %(names)s") % {"names": sponsors} if sponsors else ""))
    return Cell(text=found[0], note=each.sequence, details=tuple(details))


def registrations(record: BibliographicRecord) -> Iterator[Cell]:
    return (Cell(text=each.value, note=each.scheme) for each in record.registrations)


def version(record: BibliographicRecord) -> Iterator[Cell]:
    yield Cell(text=label(VERSIONS, record.version_type))
    yield Cell(text=record.resource_version)


def types(record: BibliographicRecord) -> Iterator[Cell]:
    return (Cell(text=name) for name in material_types(record))


def seen_elsewhere(record: BibliographicRecord) -> Iterator[Cell]:
    """Pages; files have their own rows."""
    shown = {each.uri for each in record.files}
    return (Cell(text=uri, href=uri) for uri in record.see_also if uri not in shown)
