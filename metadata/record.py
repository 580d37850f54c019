"""The canonical record: a DC-NDL description as frozen values. Pure; knows no XML and no format.

Absent text is "", an absent list is (), never None. Every text is stored as it was sent; folding for
search and matching happens in `metadata.text.folding`.
"""

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of the record types: frozen, compared by value, written compactly by msgspec.

    gc=False on all: what is frozen holds only what was there before it, so they can be in no cycle, and a harvest makes
    them by the million.
    """


class Identifier(Value, frozen=True, kw_only=True, gc=False):
    """An identifier of the resource.

    scheme: local name of the DC-NDL datatype ("ISBN", "SetISBN", "ISSN", "JPNO", "DOI", …; "" = untyped).
    value: normal form for comparing (ISBN: 13 digits without hyphens). printed: as sent.
    uri: where the scheme does not give it away.
    """

    scheme: str = ""
    value: str
    printed: str = ""
    uri: str = ""


class Title(Value, frozen=True, kw_only=True, gc=False):
    """A title-like text with its reading (dcndl:transcription); also volumes, series and parts.

    responsibility: who made it, as printed, where it is a part. kind: "parallel" (the main title in another language
    or script), of a name "alternative" (another name than the main one); of an alternative title also "translation",
    "uniform", "volume" (that of a volume); of a series "alternative", "volume" (the title of its volume).
    """

    value: str = ""
    transcription: str = ""
    language: str = ""
    responsibility: str = ""
    kind: str = ""


class Agent(Value, frozen=True, kw_only=True, gc=False):
    """A person or body: creator, contributor, publisher. `location` is a publisher's place.

    kind: "Organizational" where that is said. other_names: in other languages and scripts, and other names.
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


class Subject(Value, frozen=True, kw_only=True, gc=False):
    """A subject heading or class. scheme: "NDC10", "NDLC", "NDLSH", "DDC", … ("" = free keyword)."""

    value: str = ""
    scheme: str = ""
    transcription: str = ""
    uri: str = ""
    language: str = ""


class MaterialType(Value, frozen=True, kw_only=True, gc=False):
    """dcndl:materialType: the URI is the key, the label is for people."""

    uri: str = ""
    label: str = ""


class Relation(Value, frozen=True, kw_only=True, gc=False):
    """A link to another resource. type: the DCMI term ("isPartOf", "replaces", …).

    term: the provider's own, more exact word. scheme: of the identifier, which is the URI or else the number.
    titles: in other languages than the label.
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
    """A date of something else than publication. type: the local name in dcterms or dcndl ("dateDigitized", …)."""

    type: str
    value: str


class Host(Value, frozen=True, kw_only=True, gc=False):
    """The publication that an article stands in.

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
    """A statement of rights that has a URI. label: as in the record's rights, where the text stands too."""

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
    """Who paid for it: the funder, its programme, the award (for KAKENHI a Japan Grant Number, "JP15H02781")."""

    funder: Agent
    stream_identifier: Identifier = Identifier(value="")
    streams: tuple[Title, ...] = ()
    award: Identifier = Identifier(value="")
    titles: tuple[Title, ...] = ()


class Conference(Value, frozen=True, kw_only=True, gc=False):
    """Where it was presented; texts in several languages. start, end: "2016-02-29". country: alpha-3, as sent."""

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
    """個別資料: what one library holds. see_also: its own pages about it (guideline 2.1.2 (7)).

    publishers, issued, dates: of this copy where it was made apart (DC-NDL v3: the digitised one).
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


class BibliographicRecord(Value, frozen=True, kw_only=True, gc=False):
    """One description, whatever format it came in. titles[0] is the main title.

    creator_alternatives: other names where several creators leave open whose they are; a creator's own are its
    other_names. alternative_volumes: of an alternative title. series_volumes: where they stand apart from the series.
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

    @property
    def title(self) -> str:
        """The main title, "" if there is none."""
        return self.titles[0].value if self.titles else ""

    @property
    def volume(self) -> str:
        """巻次 of the record, "" if there is none."""
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
        """Normal forms of the valid identifiers of one scheme, in the order sent."""
        return tuple(each.value for each in self.identifiers if each.scheme == scheme)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(BibliographicRecord)


def encode_record(record: BibliographicRecord) -> bytes:
    """The record as MessagePack; fields at their default are left out."""
    return _encoder.encode(record)


def decode_record(data: bytes) -> BibliographicRecord:
    """The inverse of `encode_record`. Raises msgspec.DecodeError for anything else."""
    return _decoder.decode(data)
