"""The canonical record: a DC-NDL description as immutable values. Pure; independent of XML and the formats.

Absent text is "", an absent list is (), never None. Every text is stored as it was received; folding for search and
matching happens in `metadata.text.folding`.
"""

import msgspec

PERSONAL, ORGANIZATIONAL = "Personal", "Organizational"  # kinds of an agent, in the words of JPCOAR
MEETING = "Meeting"  # a body that is a conference; its name is a heading: "ICML (2nd : 1998 : Tokyo)"


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of the record types: immutable, compared by value, written compactly by msgspec.

    All subclasses have gc=False: an immutable value can refer only to older values, so there are no reference cycles,
    and a harvest makes millions of them.
    """


class Identifier(Value, frozen=True, kw_only=True, gc=False):
    """An identifier of the resource.

    scheme: local name of the DC-NDL datatype ("ISBN", "SetISBN", "ISSN", "JPNO", "DOI", …; "" = untyped).
    value: normal form for comparison (ISBN: 13 digits without hyphens). printed: as received.
    uri: only where it does not follow from the scheme.
    """

    scheme: str = ""
    value: str
    printed: str = ""
    uri: str = ""


class Title(Value, frozen=True, kw_only=True, gc=False):
    """A title-like text with its reading (dcndl:transcription); also for volumes, series and parts.

    responsibility: statement of responsibility of a part, as printed. kind: "parallel" (the main title in another
    language or script); for a name "alternative" (not the main one); for an alternative title also "translation",
    "uniform", "volume" (title of a volume); for a series "alternative", "volume" (the title of its volume).
    """

    value: str = ""
    transcription: str = ""
    language: str = ""
    responsibility: str = ""
    kind: str = ""


class Agent(Value, frozen=True, kw_only=True, gc=False):
    """A person or body: creator, contributor, publisher. location: place of a publisher.

    kind: PERSONAL, ORGANIZATIONAL or MEETING where the record says so, or the record's own word (see `is_person`,
    `is_body`). other_names: in other languages and scripts, and variant names.
    """

    name: str
    transcription: str = ""
    uri: str = ""
    role: str = ""
    location: str = ""
    language: str = ""
    kind: str = ""
    other_names: tuple[Title, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    affiliations: tuple["Agent", ...] = ()

    @property
    def is_person(self) -> bool:
        """Whether the record says that this is a person. False for most persons: records seldom say so."""
        return self.kind == PERSONAL

    @property
    def is_body(self) -> bool:
        """Whether the record says that this is a body; a conference is one."""
        return self.kind in {ORGANIZATIONAL, MEETING}


class Subject(Value, frozen=True, kw_only=True, gc=False):
    """A subject heading or class number. scheme: "NDC10", "NDLC", "NDLSH", "DDC", … ("" = free keyword)."""

    value: str = ""
    scheme: str = ""
    transcription: str = ""
    uri: str = ""
    language: str = ""


class MaterialType(Value, frozen=True, kw_only=True, gc=False):
    """dcndl:materialType. The URI identifies the type; the label is for people."""

    uri: str = ""
    label: str = ""


class Relation(Value, frozen=True, kw_only=True, gc=False):
    """A link to another resource. type: the DCMI term ("isPartOf", "replaces", …).

    term: the provider's own, more specific term. scheme: of the URI, or of the number if there is no URI.
    titles: in languages other than the label's.
    """

    type: str
    uri: str = ""
    label: str = ""
    term: str = ""
    scheme: str = ""
    number: str = ""
    language: str = ""
    titles: tuple[Title, ...] = ()


class Date(Value, frozen=True, kw_only=True, gc=False):
    """A date other than that of publication. type: the local name in dcterms or dcndl ("dateDigitized", …)."""

    type: str
    value: str


class Host(Value, frozen=True, kw_only=True, gc=False):
    """The publication that contains an article.

    titles: in other languages. identifiers: PISSN and EISSN (both also in issn), NCID, ISBN.
    """

    title: str = ""
    volume: str = ""
    number: str = ""
    issue: str = ""
    pages: str = ""
    issn: tuple[str, ...] = ()
    language: str = ""
    titles: tuple[Title, ...] = ()
    identifiers: tuple[Identifier, ...] = ()


class License(Value, frozen=True, kw_only=True, gc=False):
    """A statement of rights with a URI. label: its text, which is also in the rights of the record."""

    uri: str
    label: str = ""
    language: str = ""


class File(Value, frozen=True, kw_only=True, gc=False):
    """A file of the resource. type: "fulltext", "abstract", "thumbnail", …; extents: size, pages."""

    uri: str = ""
    type: str = ""
    label: str = ""
    media_type: str = ""
    extents: tuple[str, ...] = ()
    dates: tuple[Date, ...] = ()
    version: str = ""


class Funding(Value, frozen=True, kw_only=True, gc=False):
    """A grant: the funder, its programme, the award (for KAKENHI a Japan Grant Number, "JP15H02781")."""

    funder: Agent
    stream_identifier: Identifier = Identifier(value="")
    streams: tuple[Title, ...] = ()
    award: Identifier = Identifier(value="")
    titles: tuple[Title, ...] = ()


class Conference(Value, frozen=True, kw_only=True, gc=False):
    """The conference where the resource was presented. Texts may be in several languages.

    start, end: "2016-02-29". country: alpha-3 code as received.
    """

    names: tuple[Title, ...] = ()
    sequence: str = ""
    sponsors: tuple[Title, ...] = ()
    date: Title = Title()
    start: str = ""
    end: str = ""
    venues: tuple[Title, ...] = ()
    places: tuple[Title, ...] = ()
    country: str = ""


class Item(Value, frozen=True, kw_only=True, gc=False):
    """個別資料: what one library holds. see_also: the library's own pages about it (NDL guideline 2.1.2 (7)).

    publishers, issued, dates: of this copy if they differ from the record's (DC-NDL v3: of the digitised copy).
    """

    uri: str = ""
    holding_agent: str = ""
    holding_agent_transcription: str = ""
    library_code: str = ""
    call_number: str = ""
    local_call_number: str = ""
    availability: str = ""
    location: str = ""
    identifiers: tuple[Identifier, ...] = ()
    notes: tuple[str, ...] = ()
    see_also: tuple[str, ...] = ()
    holding_issues: str = ""
    absent_issues: str = ""
    publishers: tuple[Agent, ...] = ()
    issued: str = ""
    dates: tuple[str, ...] = ()
    holding_agent_names: tuple[Title, ...] = ()
    holding_agent_identifiers: tuple[Identifier, ...] = ()


class SourceLink(Value, frozen=True, kw_only=True, gc=False):
    """A record that a description was merged from. uri: its address. repository_number: of its provider."""

    uri: str
    repository_number: str = ""


class BibliographicRecord(Value, frozen=True, kw_only=True, gc=False):
    """One description, in whatever format it was received. titles[0] is the main title.

    creator_alternatives: variant names that cannot be assigned to one of several creators; otherwise they are in the
    creator's other_names. alternative_volumes: of an alternative title. series_volumes: volumes that are given
    separately from their series. sources: if this is a merged record, one of every provider from whose records it
    was merged. control_number: of a description that is redistributed, its number at the site that does so; scheme:
    the domain of that site.
    """

    uri: str = ""
    repository_number: str = ""
    level: str = ""
    cataloging_status: str = ""
    cataloging_rule: str = ""
    sub_category: str = ""
    titles: tuple[Title, ...] = ()
    display_title: str = ""
    alternatives: tuple[Title, ...] = ()
    volumes: tuple[Title, ...] = ()
    volume_titles: tuple[Title, ...] = ()
    series: tuple[Title, ...] = ()
    parts: tuple[Title, ...] = ()
    editions: tuple[str, ...] = ()
    creators: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    responsibility: tuple[str, ...] = ()
    publishers: tuple[Agent, ...] = ()
    publication_places: tuple[str, ...] = ()
    issued: str = ""
    dates: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    invalid_identifiers: tuple[Identifier, ...] = ()
    source_identifiers: tuple[Identifier, ...] = ()
    subjects: tuple[Subject, ...] = ()
    genres: tuple[Subject, ...] = ()
    languages: tuple[str, ...] = ()
    original_languages: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    audiences: tuple[str, ...] = ()
    material_types: tuple[MaterialType, ...] = ()
    formats: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    abstracts: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    access_rights: tuple[str, ...] = ()
    rights_holders: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    spatial: tuple[str, ...] = ()
    temporal: tuple[str, ...] = ()
    host: Host = Host()
    see_also: tuple[str, ...] = ()
    thumbnails: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    series_creators: tuple[str, ...] = ()
    volume_ranges: tuple[str, ...] = ()
    periodicities: tuple[str, ...] = ()
    publication_statuses: tuple[str, ...] = ()
    digitized_publishers: tuple[Agent, ...] = ()
    other_dates: tuple[Date, ...] = ()
    dissertation_numbers: tuple[str, ...] = ()
    degree_names: tuple[str, ...] = ()
    degree_grantors: tuple[Agent, ...] = ()
    licenses: tuple[License, ...] = ()
    rights_agents: tuple[Agent, ...] = ()
    registrations: tuple[Identifier, ...] = ()
    resource_version: str = ""
    version_type: str = ""
    dataset_series: str = ""
    files: tuple[File, ...] = ()
    fundings: tuple[Funding, ...] = ()
    conferences: tuple[Conference, ...] = ()
    record_status: str = ""
    creator_alternatives: tuple[Title, ...] = ()
    alternative_volumes: tuple[Title, ...] = ()
    series_volumes: tuple[Title, ...] = ()
    sources: tuple[SourceLink, ...] = ()
    control_number: Identifier = Identifier(value="")

    @property
    def title(self) -> str:
        """The main title, "" if there is none."""
        return self.titles[0].value if self.titles else ""

    @property
    def volume(self) -> str:
        """The volume (巻次) of the record, "" if there is none."""
        return self.volumes[0].value if self.volumes else ""

    @property
    def edition(self) -> str:
        """The edition statement, "" if there is none."""
        return self.editions[0] if self.editions else ""

    @property
    def year(self) -> str:
        """The four-digit year of publication, "" if unknown."""
        return self.issued[:4]

    def values(self, scheme: str) -> tuple[str, ...]:
        """Return the normal forms of the valid identifiers of one scheme, in the order received."""
        return tuple(identifier.value for identifier in self.identifiers if identifier.scheme == scheme)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(BibliographicRecord)


def encode_record(record: BibliographicRecord) -> bytes:
    """Encode the record as MessagePack; fields with their default value are left out."""
    return _encoder.encode(record)


def decode_record(data: bytes) -> BibliographicRecord:
    """Decode the output of `encode_record`. Raises msgspec.DecodeError for anything else."""
    return _decoder.decode(data)
