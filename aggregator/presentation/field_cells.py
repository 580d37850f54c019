"""The values of a record's fields as cells: texts, readings, notes, links. No HTTP, no database access."""

from collections.abc import Callable, Iterable, Iterator

from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from aggregator.browse.addresses import person_path
from aggregator.presentation.field_labels import (
    DATES,
    FILES,
    RELATIONS,
    VERSIONS,
    access_statement,
    accessible_label,
    class_name,
    country_name,
    identifier_scheme,
    label,
    licence_badge,
    material_type_name,
    media_type_name,
    ndlc_name,
    role_name,
    subject_scheme,
)
from aggregator.query import field_searches
from aggregator.query.parameters import address_of
from aggregator.search.identities import agent_identities
from metadata.accessible import accessible_formats
from metadata.authorities import project_page, stated_page
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

RESOLVERS = {
    "DOI": "https://doi.org/",
    "NIIBibID": "https://ci.nii.ac.jp/ncid/",
    "NCID": "https://ci.nii.ac.jp/ncid/",
}

LONG_TEXT = 600  # characters


class Link(Struct, frozen=True, gc=False):
    """A link to another page."""

    text: str
    href: str


class Cell(Struct, frozen=True, kw_only=True, gc=False):
    """One value of a field: its text, its reading, a note, and its link: a search here (search) or another site (href).

    details: further facts, one on each line. links: addresses that belong to the value, such as a person's ORCID.
    works: pages of this site with all works of a person or body.
    codes: codes that have no name, which only staff and readers of the source record see; the text may be "" then.
    is_badge: the text is short and from a closed list, such as a licence.
    """

    text: str
    codes: tuple[str, ...] = ()
    is_badge: bool = False
    reading: str = ""
    note: str = ""
    search: str = ""
    href: str = ""
    details: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    works: tuple[Link, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether the text is an abstract rather than a phrase, so that pages fold it."""
        return len(self.text) > LONG_TEXT

    def with_codes(self) -> "Cell":
        """Return the cell with its codes in the note, or as the text of a cell that has none."""
        if not self.codes:
            return self
        codes = "; ".join(self.codes)
        if not self.text:
            return replace(self, text=codes, codes=())
        return replace(self, note="; ".join(filter(None, (self.note, codes))), codes=())


Reader = Callable[[BibliographicRecord], Iterable[Cell]]


def accessible(record: BibliographicRecord) -> Iterable[Cell]:
    """Return the accessible formats, each with a link to the search for it."""
    return (
        Cell(text=accessible_label(form), search=address_of("accessible", form)) for form in accessible_formats(record)
    )


def named(read: Callable[[BibliographicRecord], Iterable[str]], name_of: Callable[[str], str]) -> Reader:
    """Return a function that makes cells of values that may be codes. name_of: returns "" for a code without a name."""
    return lambda record: (named_cell(value, name_of(value)) for value in read(record))


def named_cell(code: str, name: str) -> Cell:
    return Cell(text=name, codes=() if name else (code,))


def material_types(record: BibliographicRecord) -> list[str]:
    """Return the names of the record's material types, without repetitions."""
    names = (material_type_name(kind.uri, kind.label) for kind in record.material_types)
    return list(dict.fromkeys(name for name in names if name))


def types(record: BibliographicRecord) -> Iterator[Cell]:
    return (
        named_cell(kind.label or kind.uri, material_type_name(kind.uri, kind.label)) for kind in record.material_types
    )


def texts(read: Callable[[BibliographicRecord], Iterable[str]]) -> Reader:
    return lambda record: (Cell(text=text) for text in read(record))


def titles(
    read: Callable[[BibliographicRecord], Iterable[Title]], search: Callable[[str], str] = lambda _text: ""
) -> Reader:
    return lambda record: (
        Cell(text=title.value, reading=title.transcription, note=title.responsibility, search=search(title.value))
        for title in read(record)
    )


def agents(
    read: Callable[[BibliographicRecord], Iterable[Agent]], search: Callable[[str], str] = field_searches.by_creator
) -> Reader:
    return lambda record: (_agent(agent, search) for agent in read(record))


def _agent(agent: Agent, search: Callable[[str], str] = field_searches.by_word) -> Cell:
    bodies = "; ".join(dict.fromkeys(body.name for body in agent.affiliations if body.name))
    role = role_name(agent.role)
    return Cell(
        text=agent.name,
        reading=agent.transcription,
        note="; ".join(filter(None, (role, agent.location))),
        search=search(agent.name),
        details=tuple(filter(None, ("; ".join(names(agent.other_names)), bodies))),
        links=tuple(_agent_links(agent)),
        works=tuple(_works(agent)),
        codes=_unnamed(agent.role, role),
    )


def _agent_links(agent: Agent) -> Iterator[Link]:
    """Return the pages about the person or body, and about its institutions."""
    yield from _links(agent.identifiers)
    for body in agent.affiliations:
        for link in _links(body.identifiers):
            yield Link(f"{link.text} ({body.name})", link.href)


def _links(numbers: Iterable[Identifier]) -> Iterator[Link]:
    for number in numbers:
        if href := stated_page(number.scheme, number.value, _resolved(number)):
            yield Link(identifier_scheme(number.scheme) or _("Identifier"), href)


def _works(agent: Agent) -> Iterator[Link]:
    """Return the pages with all works that give an identifier of this person or body."""
    for identifier in agent_identities(agent):
        yield Link(_("Works with this %(scheme)s") % {"scheme": identifier.partition(" ")[0]}, person_path(identifier))


def _unnamed(code: str, name: str) -> tuple[str, ...]:
    """Return the code if it has no name."""
    return (code,) if code and not name else ()


def names(titles: Iterable[Title]) -> Iterator[str]:
    """Return the texts without repetitions, followed by their readings."""
    for title in dict.fromkeys(titles):
        yield f"{title.value} {title.transcription}".rstrip()


def subjects(read: Callable[[BibliographicRecord], Iterable[Subject]]) -> Reader:
    return lambda record: map(_subject, read(record))


def _subject(subject: Subject) -> Cell:
    scheme = subject_scheme(subject.scheme)
    return Cell(
        text=_heading(subject),
        reading=subject.transcription,
        note=scheme,
        search=field_searches.by_subject(subject),
        codes=_unnamed(subject.scheme, scheme),
    )


def _heading(subject: Subject) -> str:
    """Return the subject, with its name if it is a class of NDC or NDLC."""
    if subject.scheme.startswith("NDC") and subject.value[:1].isdecimal():
        return class_name(subject.value)
    return ndlc_name(subject.value) if subject.scheme == "NDLC" else subject.value


def publishers(record: BibliographicRecord) -> Iterator[Cell]:
    for publisher in record.publishers:
        role = role_name(publisher.role)
        note = "; ".join(filter(None, (publisher.location, role)))
        details = tuple(names(publisher.other_names))
        yield Cell(
            text=publisher.name,
            reading=publisher.transcription,
            note=note,
            search=field_searches.by_publisher(publisher.name),
            details=details,
            codes=_unnamed(publisher.role, role),
        )


def dates(record: BibliographicRecord) -> Iterator[Cell]:
    """Return the dates as the provider prints them ("1991.10"), else the normal form."""
    for text in record.dates or (record.issued,):
        yield Cell(text=text)


def other_dates(record: BibliographicRecord) -> Iterator[Cell]:
    return (_date(date.value, date.type) for date in record.other_dates)


def _date(value: str, kind: str) -> Cell:
    name = label(DATES, kind)
    return Cell(text=value, note=name, codes=_unnamed(kind, name))


def identifiers(read: Callable[[BibliographicRecord], Iterable[Identifier]]) -> Reader:
    return lambda record: (_identifier(identifier) for identifier in read(record))


def _identifier(identifier: Identifier) -> Cell:
    isbn = identifier.scheme in {"ISBN", "SetISBN"}
    text = hyphenated_issn(identifier.value) if identifier.scheme in {"ISSN", "ISSNL"} else identifier.value
    scheme = identifier_scheme(identifier.scheme)
    return Cell(
        text=hyphenate(identifier.value) if isbn else text,
        note=scheme,
        search=address_of("isbn", identifier.value) if isbn else "",
        href=_resolved(identifier),
        codes=_unnamed(identifier.scheme, scheme),
    )


def _resolved(identifier: Identifier) -> str:
    """Return the address that the identifier resolves to, "" if none is known."""
    return identifier.uri or (RESOLVERS[identifier.scheme] + identifier.value if identifier.scheme in RESOLVERS else "")


def relations(record: BibliographicRecord) -> Iterator[Cell]:
    return map(_relation, record.relations)


def _relation(relation: Relation) -> Cell:
    number = f"{identifier_scheme(relation.scheme)} {relation.number}".strip() if relation.number else ""
    text = relation.label or relation.uri or number
    kind = label(RELATIONS, relation.term) or label(RELATIONS, relation.type)
    details = [*names(relation.titles), *([number] if number and number != text else [])]
    return Cell(text=text, note=kind, href=relation.uri, details=tuple(details))


def host(record: BibliographicRecord) -> Iterator[Cell]:
    """Return the journal or book that contains an article, on one line."""
    host_record = record.host
    issue = host_record.number or host_record.issue
    parts = (
        host_record.title,
        f"{host_record.volume}({issue})" if issue else host_record.volume,
        host_record.pages,
        *(f"ISSN {issn[:4]}-{issn[4:]}" for issn in host_record.issn),
        *(
            f"{identifier_scheme(identifier.scheme)} {identifier.value}".strip()
            for identifier in host_record.identifiers
            if identifier.value not in host_record.issn
        ),
    )
    text = ", ".join(part for part in parts if part)
    yield Cell(text=text, search=field_searches.by_journal(record), details=tuple(names(host_record.titles)))


def files(full_texts: bool) -> Reader:
    """Return a function that makes cells of the full texts, with licence (True), or of all other files (False)."""

    def read(record: BibliographicRecord) -> Iterator[Cell]:
        for file in record.files:
            if (file.type == "fulltext") is full_texts:
                yield _file(file, record)

    return read


def _file(file: File, record: BibliographicRecord) -> Cell:
    kind = label(FILES, file.type) if file.type not in {"fulltext", "other"} else ""
    version = label(VERSIONS, record.version_type) if file.type == "fulltext" else ""
    form = media_type_name(file.media_type)
    note = "; ".join(filter(None, (kind, version, form, *file.extents, file.version)))
    days = [f"{label(DATES, day.type)}: {day.value}" for day in file.dates if day.type != "issued"]
    text = file.label or file.uri.rstrip("/").rsplit("/", 1)[-1]
    terms = record.licenses if file.type == "fulltext" else ()
    links = tuple(
        Link(
            _("Licence: %(name)s") % {"name": licence_badge(licence.uri)[0] or licence.label or licence.uri},
            licence.uri,
        )
        for licence in terms
    )
    codes = _unnamed(file.media_type, form)
    return Cell(text=text, note=note, href=file.uri, details=tuple(days), links=links, codes=codes)


def access_rights(record: BibliographicRecord) -> Iterator[Cell]:
    return (named_cell(text, access_statement(text)) for text in record.access_rights)


def rights_holders(record: BibliographicRecord) -> Iterator[Cell]:
    known = {agent.name: agent for agent in record.rights_agents}
    for name in dict.fromkeys((*record.rights_holders, *known)):
        yield _agent(known.get(name) or Agent(name=name))


def fundings(record: BibliographicRecord) -> Iterator[Cell]:
    return map(_funding, record.fundings)


def _funding(funding: Funding) -> Cell:
    """Return the title of the award, which readers look for, with the funder in the details."""
    award = next(names(funding.titles), "")
    number = funding.award.value
    funder = "; ".join(filter(None, (funding.funder.name, next(names(funding.streams), ""))))
    text = award or funder or number
    details = [*list(names(funding.titles))[1:], *([funder] if funder and funder != text else [])]
    return Cell(
        text=text,
        note=number if number != text else "",
        href=project_page(number) or project_page(funding.award.uri) or funding.award.uri,
        details=tuple(details),
        links=tuple(_agent_links(funding.funder)),
        works=tuple(_works(funding.funder)),
    )


def conferences(record: BibliographicRecord) -> Iterator[Cell]:
    return map(_conference, record.conferences)


def _conference(conference: Conference) -> Cell:
    date = conference.date.value or " – ".join(filter(None, (conference.start, conference.end)))
    country = country_name(conference.country)
    place = ", ".join(filter(None, (*names(conference.venues[:1]), *names(conference.places[:1]), country)))
    sponsors = "; ".join(names(conference.sponsors))
    titles = list(names(conference.names)) or [date or place]
    details = filter(
        None, (*titles[1:], date, place, _("Organised by %(names)s") % {"names": sponsors} if sponsors else "")
    )
    return Cell(text=titles[0], note=conference.sequence, details=tuple(details))


def registrations(record: BibliographicRecord) -> Iterator[Cell]:
    return (_number(registration) for registration in record.registrations)


def _number(registration: Identifier) -> Cell:
    agency = identifier_scheme(registration.scheme)
    return Cell(text=registration.value, note=agency, codes=_unnamed(registration.scheme, agency))


def version(record: BibliographicRecord) -> Iterator[Cell]:
    yield named_cell(record.version_type, label(VERSIONS, record.version_type))
    yield Cell(text=record.resource_version)


def seen_elsewhere(record: BibliographicRecord) -> Iterator[Cell]:
    """Return the addresses in `see_also` but for those of files, which have rows of their own."""
    shown = {file.uri for file in record.files}
    return (Cell(text=uri, href=uri) for uri in record.see_also if uri not in shown)
