"""Records for property tests: any content of DC-NDL, in the normal form that reading gives."""

import string

from hypothesis import strategies as st

from metadata.identifiers import normalise
from metadata.record import (
    Agent,
    BibliographicRecord,
    Date,
    Host,
    Identifier,
    Item,
    MaterialType,
    Relation,
    Subject,
    Title,
)
from metadata.vocabularies.dcndl import DATE_TYPES, RELATION_TYPES

# Letters, digits, signs and symbols of all scripts; no white space, control or private-use characters.
WORD = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
TEXT = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
OPTIONAL = st.just("") | TEXT
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
NAME = st.text(string.ascii_letters + string.digits, min_size=1, max_size=8)
URI = NAME.map("https://opac.example.jp/{}".format)
URIS = st.lists(URI, max_size=2, unique=True).map(tuple)
CODES = st.lists(st.sampled_from(["jpn", "eng", "chi", "ger"]), max_size=2, unique=True).map(tuple)
ISBN = st.text(string.digits, min_size=9, max_size=9).map(
    lambda nine: next(filter(None, (normalise("ISBN", f"978{nine}{digit}") for digit in range(10))))
)
ISSN = st.sampled_from(["04887484", "00380113", "02877783"])
DATE = st.sampled_from(["1906", "2005-03", "1963-01-05"])


def several(one: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(one, max_size=2).map(tuple)


TITLE = st.builds(Title, value=TEXT, transcription=OPTIONAL, language=st.sampled_from(["", "ja", "en"]))
AGENT = st.builds(Agent, name=TEXT, transcription=OPTIONAL, uri=st.just("") | URI, role=OPTIONAL, location=OPTIONAL)
SUBJECT = st.one_of(
    st.builds(Subject, value=TEXT, transcription=OPTIONAL, uri=st.just("") | URI),
    st.builds(Subject, value=TEXT, scheme=st.sampled_from(["NDC", "NDC9", "NDLC", "DDC", "NDLSH"])),
    st.builds(lambda code: Subject(value=code, scheme="NDC10", uri=f"http://id.ndl.go.jp/class/ndc10/{code}"), NAME),
)
IDENTIFIERS = st.lists(
    st.one_of(
        st.builds(Identifier, scheme=st.sampled_from(["ISBN", "SetISBN"]), value=ISBN),
        st.builds(Identifier, scheme=st.just("ISSN"), value=ISSN),
        st.builds(Identifier, scheme=st.sampled_from(["", "TRCMARCNO", "OCLCNO"]), value=TEXT),
        st.builds(Identifier, scheme=st.just("DOI"), value=NAME.map(lambda name: f"10.1234/{name.lower()}")),
    ),
    max_size=4,
    unique_by=lambda identifier: identifier.value,
).map(tuple)
WRONG = st.builds(Identifier, scheme=st.sampled_from(["ISBN", "ISSN", "ISSNL"]), value=TEXT)
HOST = st.builds(
    Host,
    title=OPTIONAL,
    volume=OPTIONAL,
    number=OPTIONAL,
    issue=OPTIONAL,
    pages=OPTIONAL,
    issn=st.lists(ISSN, max_size=2, unique=True).map(tuple),
)
RELATION = st.builds(Relation, type=st.sampled_from(RELATION_TYPES), uri=URI, label=OPTIONAL) | st.builds(
    Relation, type=st.sampled_from(RELATION_TYPES), label=TEXT
)
ITEM = st.builds(
    Item,
    uri=URI,
    holding_agent=OPTIONAL,
    holding_agent_transcription=st.just(""),
    library_code=st.just("") | NAME,
    call_number=OPTIONAL,
    local_call_number=OPTIONAL,
    availability=OPTIONAL,
    location=OPTIONAL,
    identifiers=several(st.builds(Identifier, scheme=st.just("somokuBibID"), value=NAME)),
    notes=several(TEXT.map("注記: {}".format)),
    see_also=URIS,
    holding_issues=OPTIONAL,
    absent_issues=OPTIONAL,
    publishers=several(AGENT),
    issued=st.just("") | DATE,
    dates=TEXTS,
)
PART = st.builds(Title, value=TEXT, transcription=OPTIONAL, responsibility=OPTIONAL)

RECORD = st.builds(
    BibliographicRecord,
    uri=URI,
    repository_number=st.just("R900000001"),
    level=st.just("") | NAME,
    cataloging_status=OPTIONAL,
    cataloging_rule=OPTIONAL,
    sub_category=st.lists(NAME, max_size=2).map(" ".join),
    titles=st.lists(TITLE, min_size=1, max_size=2).map(tuple),
    display_title=OPTIONAL,
    alternatives=several(TITLE),
    volumes=several(TITLE),
    volume_titles=several(TITLE),
    series=several(TITLE),
    parts=several(PART),
    editions=TEXTS,
    creators=several(AGENT),
    contributors=several(AGENT),
    responsibility=TEXTS,
    publishers=several(AGENT),
    publication_places=TEXTS,
    issued=DATE,
    dates=TEXTS,
    identifiers=IDENTIFIERS,
    invalid_identifiers=several(WRONG),
    source_identifiers=IDENTIFIERS,
    subjects=several(SUBJECT),
    genres=several(st.builds(Subject, value=TEXT, transcription=OPTIONAL)),
    languages=CODES,
    original_languages=CODES,
    extents=TEXTS,
    prices=TEXTS,
    audiences=TEXTS,
    material_types=several(st.builds(MaterialType, uri=URI, label=OPTIONAL)),
    formats=TEXTS,
    notes=TEXTS,
    abstracts=TEXTS,
    contents=TEXTS,
    rights=TEXTS,
    access_rights=TEXTS,
    rights_holders=TEXTS,
    relations=several(RELATION),
    spatial=TEXTS,
    temporal=TEXTS,
    host=HOST,
    see_also=URIS,
    thumbnails=URIS,
    items=several(ITEM),
    series_creators=TEXTS,
    volume_ranges=TEXTS,
    periodicities=TEXTS,
    publication_statuses=TEXTS,
    digitized_publishers=several(AGENT),
    other_dates=several(st.builds(Date, type=st.sampled_from(sorted(DATE_TYPES.keys() - {"issued"})), value=TEXT)),
    dissertation_numbers=TEXTS,
    degree_names=TEXTS,
    degree_grantors=several(AGENT),
)
