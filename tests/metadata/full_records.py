"""Records for property tests with the fields of all formats, in the normal form that reading DC-NDL gives."""

import msgspec
from hypothesis import strategies as st

from metadata.formats.common.uris import as_uri
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    License,
    Relation,
    Subject,
    Title,
)
from metadata.vocabularies.dcndl import DATE_TYPES, RELATION_TYPES
from tests.metadata.records import DATE, ISSN, NAME, OPTIONAL, RECORD, TEXT, TEXTS, TITLE, URI, several

LANGUAGE = st.sampled_from(["", "ja", "en", "ja-Latn"])
SCHEME = st.sampled_from(["ORCID", "e-Rad_funder", "Crossref Funder", "ISNI", "NCID"])
NUMBER = st.builds(Identifier, scheme=SCHEME, value=TEXT, printed=OPTIONAL, uri=st.just("") | URI)
TEXT_IN = st.builds(Title, value=TEXT, language=LANGUAGE)
OTHER_NAME = st.builds(
    Title, value=TEXT, transcription=OPTIONAL, language=LANGUAGE, kind=st.just("") | st.just("alternative")
)


def body(affiliations: st.SearchStrategy) -> st.SearchStrategy:
    return st.builds(
        Agent,
        name=TEXT,
        transcription=OPTIONAL,
        uri=st.just("") | URI,
        role=OPTIONAL,
        location=OPTIONAL,
        language=LANGUAGE,
        kind=st.sampled_from(["", "Organizational", "Personal", "会議"]),
        other_names=several(OTHER_NAME),
        identifiers=several(NUMBER),
        affiliations=affiliations,
    )


AGENT = body(several(body(st.just(()))))
ALTERNATIVE = st.builds(
    Title,
    value=TEXT,
    transcription=OPTIONAL,
    language=LANGUAGE,
    kind=st.sampled_from(["", "parallel", "translation", "uniform", "volume"]),
)
SERIES = st.builds(Title, value=TEXT, transcription=OPTIONAL, kind=st.sampled_from(["", "alternative", "volume"]))
SUBJECT = st.builds(
    Subject,
    value=TEXT,
    scheme=st.sampled_from(["", "NDC9", "LCSH", "e-Rad_field", "GND-CONTENT"]),
    transcription=OPTIONAL,
    uri=st.just("") | URI,
    language=LANGUAGE,
)
RELATION = st.builds(
    Relation,
    type=st.sampled_from(RELATION_TYPES),
    uri=OPTIONAL.map(as_uri) | URI,
    label=TEXT,
    term=OPTIONAL,
    scheme=st.just("") | SCHEME,
    number=OPTIONAL,
    language=LANGUAGE,
    titles=several(TEXT_IN),
)
FILE = st.builds(
    File,
    uri=st.just("") | URI,
    type=OPTIONAL,
    label=OPTIONAL,
    media_type=OPTIONAL,
    extents=TEXTS,
    dates=several(st.builds(Date, type=st.sampled_from(sorted(DATE_TYPES)), value=DATE)),
    version=OPTIONAL,
).filter(lambda file: file != File())
FUNDING = st.builds(
    Funding,
    funder=AGENT | st.just(Agent(name="")),
    stream_identifier=NUMBER | st.just(Identifier(value="")),
    streams=several(TEXT_IN),
    award=NUMBER
    | st.builds(Identifier, scheme=st.just("JGN"), value=st.just("JP15H02781"))
    | st.just(Identifier(value="")),
    titles=several(TEXT_IN),
).filter(lambda funding: funding != Funding(funder=Agent(name="")))
CONFERENCE = st.builds(
    Conference,
    names=several(TEXT_IN),
    sequence=OPTIONAL,
    sponsors=several(TEXT_IN),
    date=TEXT_IN | st.just(Title()),
    start=st.just("") | DATE,
    end=st.just("") | DATE,
    venues=several(TEXT_IN),
    places=several(TEXT_IN),
    country=st.just("") | st.just("JPN"),
)
HOST = st.builds(
    Host,
    title=TEXT,
    volume=OPTIONAL,
    number=OPTIONAL,
    issue=OPTIONAL,
    pages=OPTIONAL,
    issn=st.lists(ISSN, max_size=2, unique=True).map(tuple),
    language=LANGUAGE,
    titles=several(TEXT_IN),
    identifiers=several(st.builds(Identifier, scheme=SCHEME, value=TEXT, uri=st.just("") | URI)),
)
ITEM = st.builds(
    Item,
    uri=URI,
    holding_agent=TEXT,
    library_code=st.just("") | NAME,
    holding_agent_names=several(TEXT_IN),
    holding_agent_identifiers=several(NUMBER),
)
MORE = st.fixed_dictionaries(
    {
        "alternatives": several(ALTERNATIVE),
        "alternative_volumes": several(TITLE),
        "series": several(SERIES),
        "series_volumes": several(TITLE),
        "creators": st.tuples(AGENT, AGENT),
        "creator_alternatives": several(TITLE),
        "contributors": several(AGENT),
        "publishers": several(AGENT),
        "degree_grantors": several(AGENT),
        "digitized_publishers": several(AGENT),
        "rights_agents": several(AGENT),
        "subjects": several(SUBJECT),
        "genres": several(SUBJECT),
        "relations": several(RELATION),
        "host": HOST,
        "items": several(ITEM),
        "licenses": several(st.builds(License, uri=URI, label=OPTIONAL, language=LANGUAGE)),
        "registrations": several(st.builds(Identifier, scheme=st.sampled_from(["JaLC", "Crossref"]), value=TEXT)),
        "invalid_identifiers": several(
            st.builds(Identifier, scheme=st.sampled_from(["ISBN", "ISSN", "PISSN", "DOI", "JPNO"]), value=TEXT)
        ),
        "record_status": OPTIONAL,
        "resource_version": OPTIONAL,
        "version_type": st.just("") | st.sampled_from(["AM", "VoR"]),
        "dataset_series": st.just("") | st.just("True"),
        "files": several(FILE),
        "fundings": several(FUNDING),
        "conferences": several(CONFERENCE),
    }
)


def _with(record: BibliographicRecord, more: dict) -> BibliographicRecord:
    """The record with more fields. Rights holders are also named in rights_holders, as in all formats."""
    holders = (*(agent.name for agent in more["rights_agents"]), *record.rights_holders)
    return msgspec.structs.replace(record, **more, rights_holders=holders)


FULL_RECORD = st.builds(_with, RECORD, MORE)
