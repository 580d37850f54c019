"""Strategies for property tests: records with what each format can hold, in the form that reading returns.

The parts are those of `tests.metadata.records`. Fields that a format has no place for are not in its table, and
values that it can hold only in another form are generated in that form. Each record has only some of the fields, so
that generating one is cheap.
"""

import msgspec
from hypothesis import strategies as st

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
from metadata.vocabularies.dcndl import MATERIAL_TYPES, class_uri
from tests.metadata.records import CODES, DATE, ISBN, ISSN, NAME, OPTIONAL, TEXT, URI, URIS

KANA = st.text(
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲンガギ",
    min_size=1,
    max_size=5,
)
READING = st.just("") | KANA
# Values have no punctuation that formats use as a separator.
_MARKS = " ,;:/.=+|()"
PLAIN = TEXT.filter(lambda text: "--" not in text and text.strip(_MARKS) == text and not text.startswith("http"))
SUBJECT_TEXT = st.lists(PLAIN, min_size=1, max_size=2).map("--".join)


def many(one: st.SearchStrategy, *names: str) -> st.SearchStrategy:
    """Up to two values. No two are equal in the attributes `names`, if the format removes such repetitions."""
    key = (lambda value: tuple(getattr(value, name) for name in names)) if names else None
    return st.lists(one, max_size=2, unique_by=key).map(tuple)


TEXTS = st.lists(PLAIN, max_size=2, unique=True).map(tuple)
TITLE = st.builds(Title, value=PLAIN, transcription=READING)
TITLES = many(TITLE, "value")
NUMBERED = st.builds(Title, value=st.lists(PLAIN, min_size=1, max_size=2).map(" ; ".join), transcription=READING)
AGENT = st.builds(Agent, name=PLAIN, transcription=READING)
HEADING = st.builds(
    Subject, value=SUBJECT_TEXT, scheme=st.sampled_from(["NDLSH", "LCSH", "BSH", "MeSH"]), transcription=READING
)
KEYWORD = st.builds(Subject, value=PLAIN, transcription=READING)
HEADINGS = many(HEADING | KEYWORD, "scheme", "value")
CLASS = st.tuples(st.sampled_from(["NDC", "NDC9", "NDC10", "NDLC"]), NAME).map(
    lambda pair: Subject(value=pair[1], scheme=pair[0], uri=class_uri(*pair))
)
SUBJECTS = st.tuples(many(CLASS, "scheme", "value"), HEADINGS).map(lambda pair: (*pair[0], *pair[1]))
MATERIAL = st.sampled_from(sorted(MATERIAL_TYPES)).map(lambda uri: MaterialType(uri=uri, label=MATERIAL_TYPES[uri].ja))
NUMBERS = {
    scheme: st.builds(Identifier, scheme=st.just(scheme), value=value)
    for scheme, value in (
        ("ISBN", ISBN),
        ("SetISBN", ISBN),
        ("ISSN", ISSN),
        ("JPNO", st.from_regex(r"2[0-9]{7}", fullmatch=True)),
        ("DOI", NAME.map(lambda name: f"10.1234/{name.lower()}")),
        ("OCLCNO", st.from_regex(r"[1-9][0-9]{6}", fullmatch=True)),
        ("TOHANMARCNO", st.from_regex(r"3[0-9]{7}", fullmatch=True)),
    )
}
PLACE_IN_HOST = {"volume": OPTIONAL, "number": OPTIONAL, "pages": OPTIONAL}


def numbers(*schemes: str) -> st.SearchStrategy:
    """At most one identifier of each scheme, in this order."""
    return st.tuples(*(st.just(()) | st.tuples(NUMBERS[scheme]) for scheme in schemes)).map(
        lambda identifiers: sum(identifiers, ())
    )


def host(**parts: st.SearchStrategy) -> st.SearchStrategy:
    issn = st.lists(ISSN, max_size=2, unique=True).map(tuple)
    return st.builds(Host, title=PLAIN, issn=issn, **parts)


def records(always: dict[str, st.SearchStrategy], **fields: st.SearchStrategy) -> st.SearchStrategy:
    """Records with a title, the fields that reading fills in any case, and some of the other fields."""
    own = {"titles": TITLE.map(lambda title: (title,)), **always}
    some = {name: values for name, values in fields.items() if name not in own}
    return st.fixed_dictionaries(own, optional=some).map(_record)


def _record(values: dict[str, object]) -> BibliographicRecord:
    record = BibliographicRecord(**values)
    return msgspec.structs.replace(record, display_title=record.title)


TEXT_FIELDS = dict.fromkeys("notes abstracts extents rights access_rights editions".split(), TEXTS)
COMMON = {
    **TEXT_FIELDS,
    "alternatives": TITLES,
    "volumes": TITLES,
    "volume_titles": TITLES,
    "languages": CODES,
    "original_languages": CODES,
    "issued": DATE,
    "see_also": URIS,
    "publication_places": st.lists(st.sampled_from(["JP", "US", "AQ"]), max_size=2, unique=True).map(tuple),
}
_ROLES = st.sampled_from(["", "著", "訳", "editor", "trl"])
_MARC_AGENT = st.builds(
    Agent,
    name=PLAIN,
    transcription=READING,
    uri=st.just("") | URI,
    role=_ROLES,
    kind=st.sampled_from(["", "Organizational"]),
)
_MARC_RELATION = st.one_of(
    st.builds(
        Relation,
        type=st.sampled_from(["relation", "replaces", "requires"]),
        label=PLAIN,
        term=st.sampled_from(["", "Enthält"]),
    ),
    st.builds(
        Relation, type=st.sampled_from(["hasPart", "references"]), label=PLAIN, scheme=st.just("ISSN"), number=ISSN
    ),
    st.builds(Relation, type=st.sampled_from(["isVersionOf", "source"]), label=st.just("") | PLAIN, uri=URI),
)
_MARC = {
    **COMMON,
    **dict.fromkeys(
        "responsibility prices audiences contents rights_holders spatial temporal volume_ranges periodicities "
        "degree_names dissertation_numbers".split(),
        TEXTS,
    ),
    "series": many(NUMBERED),
    "creators": many(_MARC_AGENT, "name"),
    "contributors": many(_MARC_AGENT, "name"),
    "publishers": many(st.builds(Agent, name=PLAIN, transcription=READING, location=st.just("") | PLAIN)),
    "identifiers": numbers("ISBN", "ISSN", "JPNO", "DOI", "TOHANMARCNO"),
    "source_identifiers": NAME.map(lambda number: (Identifier(value=number),)),
    "invalid_identifiers": NAME.map(lambda number: (Identifier(scheme="ISBN", value=number),)),
    "subjects": SUBJECTS.map(
        lambda subjects: tuple(sorted(subjects, key=lambda subject: subject.uri == "" and subject.scheme != "NDC"))
    ),
    "genres": many(HEADING),
    "material_types": many(MATERIAL, "uri"),
    "parts": many(st.builds(Title, value=PLAIN, transcription=READING, responsibility=st.just("")), "value"),
    "relations": many(_MARC_RELATION),
    "host": host(**PLACE_IN_HOST, issue=OPTIONAL),
    "thumbnails": URI.map(lambda uri: (f"{uri}-cover",)),
    "formats": st.just(("application/pdf", "text/html")),
    "items": many(st.builds(Item, holding_agent=PLAIN, location=OPTIONAL, call_number=OPTIONAL, notes=TEXTS)),
    "degree_grantors": many(st.builds(Agent, name=PLAIN)),
    "other_dates": st.just((Date(type="dateCopyrighted", value="©2003"), Date(type="dateGranted", value="2004"))),
}
_SIMPLE = {
    **COMMON,
    **dict.fromkeys(
        "prices audiences contents rights_holders volume_ranges periodicities publication_statuses "
        "degree_names dissertation_numbers spatial temporal formats".split(),
        TEXTS,
    ),
    "series": many(TITLE),
    "creators": many(AGENT),
    "contributors": many(AGENT),
    "publishers": many(AGENT),
    "identifiers": numbers("ISBN", "SetISBN", "ISSN", "JPNO", "DOI", "TOHANMARCNO"),
    "subjects": SUBJECTS,
    "genres": many(KEYWORD),
    "material_types": many(MATERIAL, "uri"),
    "relations": many(st.builds(Relation, type=st.sampled_from(["replaces", "requires"]), label=PLAIN)),
    "host": host(**PLACE_IN_HOST, issue=OPTIONAL),
    "thumbnails": URIS,
}
_MODS = {
    **COMMON,
    **dict.fromkeys("audiences contents periodicities responsibility spatial temporal".split(), TEXTS),
    "series": many(st.builds(Title, value=PLAIN)),
    "creators": many(AGENT, "name"),
    "publishers": many(st.builds(Agent, name=PLAIN, transcription=READING, location=PLAIN)),
    "identifiers": numbers("ISBN", "SetISBN", "ISSN", "JPNO", "DOI", "OCLCNO"),
    "subjects": SUBJECTS,
    "genres": many(st.builds(Subject, value=PLAIN), "value"),
    "material_types": many(MATERIAL, "uri"),
    "host": host(**PLACE_IN_HOST),
    "thumbnails": URIS,
    "formats": st.just(("application/pdf",)),
    "items": many(st.builds(Item, holding_agent=PLAIN, call_number=OPTIONAL)),
}
_JAPANESE = st.builds(Title, value=PLAIN, transcription=READING, language=st.just("ja"))
_NAMED = st.builds(Agent, name=PLAIN, transcription=READING, language=st.just("ja"))
_JPCOAR = {
    **dict.fromkeys("notes abstracts contents editions temporal degree_names".split(), TEXTS),
    "alternatives": many(_JAPANESE, "value"),
    "creators": many(_NAMED, "name"),
    "contributors": many(
        st.builds(Agent, name=PLAIN, language=st.just("ja"), role=st.sampled_from(["Editor", ""])), "name"
    ),
    "publishers": many(st.builds(Agent, name=PLAIN, transcription=READING, language=st.just("ja"), location=PLAIN)),
    "publication_places": COMMON["publication_places"],
    "languages": CODES,
    "original_languages": CODES,
    "issued": DATE,
    "see_also": URIS,
    "subjects": many(
        st.builds(Subject, value=PLAIN, scheme=st.sampled_from(["", "NDLSH", "NDC"]), language=st.just("ja"))
    ),
    "host": host(
        volume=st.sampled_from(["", "12"]), number=st.sampled_from(["", "3"]), pages=st.sampled_from(["", "4-7"])
    ),
    "relations": many(
        st.builds(Relation, type=st.sampled_from(["replaces", "references"]), label=PLAIN, language=st.just("ja"))
    ),
}

_PAPER = MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="journal article")


def _with_listed_parts_first(record: BibliographicRecord) -> BibliographicRecord:
    """Order the parts as reading does: first those that the contents name, in their order."""
    positions = {line: position for position, line in enumerate(record.contents)}
    parts = sorted(record.parts, key=lambda part: positions.get(part.value, len(positions)))
    return msgspec.structs.replace(record, parts=tuple(parts)) if parts else record


def _with_uri_of_first_page(record: BibliographicRecord) -> BibliographicRecord:
    return msgspec.structs.replace(record, uri=next(iter(record.see_also), ""))


RECORDS_BY_FORMAT = {
    "marcxml": records({"issued": DATE}, **_MARC).map(_with_listed_parts_first),
    "dcndl_simple": records({}, **_SIMPLE),
    "mods": records({}, **_MODS).map(_with_uri_of_first_page),
    "jpcoar": records(
        {"titles": _JAPANESE.map(lambda title: (title,)), "material_types": st.just((_PAPER,))}, **_JPCOAR
    ),
}
