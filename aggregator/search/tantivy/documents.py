"""Convert a Document to the fields of Tantivy."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from math import log2

import tantivy

from aggregator.search.base import Document, HoldingLibrary
from aggregator.search.query.segment import segment_fields
from aggregator.search.query.words import code
from aggregator.search.suggest.entries import entry_terms as suggest_terms
from aggregator.search.suggest.entries import fold_cached
from aggregator.search.tantivy.schema import (
    ANY_CHARACTER,
    CHILDREN,
    DIGITS,
    FACET_COLUMNS,
    HOLDS,
    ID_BITS,
    NO_YEAR,
    PREFECTURE,
    SCHEMA,
    START_OF,
    SUGGEST,
    SUGGEST_FIRST,
    WORDED,
    YEARS,
    change_order,
    exact_term,
    issn_code,
    jpno_code,
    more_column,
    printed_column,
    start_key,
    value_field,
    value_key,
    year_code,
)
from aggregator.search.titles import proper_keys, readings

_MOST_HELD = 1 << 20
_SORTED_BY = 30  # characters of a title that determine its place in the order
_LAST = "\U0010ffff"
# Fields of a document that are searched by words, and those that are also searched alone, in a field named "title" for
# "titles" and in one of their characters, "title1".
_SEGMENTED = ("titles", "creators", "publishers", "subjects", "journals", "digitizers", "texts")
_ALONE = tuple(name for name in _SEGMENTED if name != "texts")
_WORDED_FIELDS = {facet: (value_field(facet), printed_column(facet)) for facet in WORDED}


def tantivy_document(document: Document) -> tantivy.Document:
    segments = dict(zip(_SEGMENTED, segment_fields(*(getattr(document, name) for name in _SEGMENTED)), strict=True))
    titles, creators, subjects = segments["titles"], segments["creators"], segments["subjects"]
    rest = [segments[name] for name in _SEGMENTED if name not in ("titles", "creators")]
    title_keys = titles.keys
    title_readings, creator_readings = readings(document.titles), readings(document.creators)
    folded = _folded(
        (document.titles, title_keys), (document.creators, creators.keys), (document.subjects, subjects.keys)
    )
    suggested = suggest_terms(document.suggestions, folded)
    characters = "".join([field.characters for field in segments.values()])
    values: dict[str, object] = {
        "id": document.id,
        **{name[:-1]: segments[name].terms for name in _ALONE},
        **{f"{name[:-1]}1": segments[name].characters for name in _ALONE},
        "rest": " ".join([field.terms for field in rest if field.terms]),
        ANY_CHARACTER: characters,
        "exact": [*map(exact_term, {*title_keys, *proper_keys(document.titles, title_keys), *title_readings.wholes})],
        "start": list({key[:2] for key in title_keys if len(key) > 1}),
        "title_sound": " ".join(title_readings.terms),
        "creator_sound": " ".join(creator_readings.terms),
        "code": _codes(document),
        "classes": [*document.ndcs, *map(str.lower, document.classes)],
        "year": document.year if document.year in YEARS else 0,
        "issued_first": document.issued[0],
        "issued_last": document.issued[1],
        "holdings": _weight(document.holdings, document.year),
        "changed": document.changed,
        SUGGEST: suggested,
        SUGGEST_FIRST: [first for first in {term[0] for term in suggested} if first not in characters],
        **_sort_values(document, folded),
        **_facet_columns(document),
    }
    _add_whole_values(values, document)
    if document.libraries:
        _add_libraries(values, document.libraries)
    return tantivy.Document.from_dict(values, SCHEMA)


def _add_whole_values(values: dict[str, object], document: Document) -> None:
    for facet in WORDED:
        if facet_values := getattr(document, f"{facet}_values"):
            _add_worded(values, facet, facet_values)
    for name, whole_values in (("place", document.place_values), ("series", document.series_values)):
        if whole_values:
            values[value_field(name)] = list(dict.fromkeys(map(value_key, whole_values)))


def _folded(*fields: tuple[Sequence[str], Sequence[str]]) -> dict[str, str]:
    """Text -> its key (folded, without spaces). A field is left out if it does not have one key for each text."""
    return {
        text: key for texts, keys in fields if len(texts) == len(keys) for text, key in zip(texts, keys, strict=True)
    }


def _sort_values(document: Document, folded: Mapping[str, str]) -> Mapping[str, object]:
    """The document's value for every sort order; the id is part of it, so that no two are equal.

    folded: texts that have already been folded.
    """
    dated = document.year if document.year in YEARS else 0
    number = document.id
    by_title = _text_order_value(document.sort_title, folded, number)
    by_creator = _text_order_value(document.sort_creator, folded, number)
    return {
        "newest": dated << ID_BITS | number,
        "oldest": (dated or NO_YEAR) << ID_BITS | number,
        "most_held": min(max(document.holdings, 0), _MOST_HELD) << ID_BITS | number,
        "latest": change_order(document.changed, number),
        "by_title": by_title,
        "by_creator": by_creator,
        START_OF["by_title"]: start_key(by_title),
        START_OF["by_creator"]: start_key(by_creator),
    }


def _text_order_value(text: str, folded: Mapping[str, str], number: int) -> str:
    """The folded text, then the number padded with zeros. Texts that fold to nothing sort last."""
    key = folded[text] if text in folded else fold_cached(text)
    return f"{key[:_SORTED_BY] or _LAST}\0{number:013d}"


def _facet_columns(document: Document) -> Mapping[str, object]:
    """The values of the facets in FACET_COLUMNS; facets with more values than columns are named in "many"."""
    parts = (
        _kind_columns(document.repositories, document.types, document.languages, document.accessible, document.kinds),
        _access_columns(document.online, document.fulltext, document.access, document.licences),
        _class_columns(document.ndcs),
    )
    result = {column: value for values, _many in parts for column, value in values.items()}
    many = [facet for _values, facets in parts for facet in facets]
    if many:
        result["many"] = many
    return result


# values by column, and the facets that have more values than columns
type Columns = tuple[Mapping[str, object], Sequence[str]]


@lru_cache(maxsize=4096)  # few combinations cover nearly all documents
def _kind_columns(
    repositories: tuple[str, ...],
    types: tuple[str, ...],
    languages: tuple[str, ...],
    accessible: tuple[str, ...],
    kinds: tuple[str, ...],
) -> Columns:
    facets = {"repository": repositories, "type": types, "language": languages, "accessible": accessible}
    return _columns({**facets, "kind": kinds})


@lru_cache(maxsize=4096)
def _access_columns(online: bool, fulltext: bool, access: tuple[str, ...], licences: tuple[str, ...]) -> Columns:
    flags = {"online": (HOLDS,) if online else (), "fulltext": (HOLDS,) if fulltext else ()}
    return _columns({**flags, "access": access, "licence": licences})


@lru_cache(maxsize=4096)
def _class_columns(ndcs: tuple[str, ...]) -> Columns:
    return _columns({facet: _beginnings(ndcs, digits) for facet, digits in DIGITS.items()})


def _columns(facets: Mapping[str, tuple[str, ...]]) -> Columns:
    values: dict[str, object] = {}
    many = []
    for facet, facet_values in facets.items():
        columns = FACET_COLUMNS[facet]
        values |= zip(columns, chain(facet_values, repeat("")), strict=False)
        if facet_values:
            values[value_field(facet)] = list(facet_values)
        if len(facet_values) > len(columns):
            values[more_column(facet)] = list(facet_values[len(columns) :])
            many.append(facet)
    return values, many


def _beginnings(numbers: tuple[str, ...], digits: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(number[:digits] for number in numbers if len(number) >= digits))


def _add_worded(values: dict[str, object], facet: str, facet_values: tuple[str, ...]) -> None:
    """Add the values of a facet in WORDED: keys for searching, printed forms for counting.

    Of values that differ in spelling only, the first one is added.
    """
    value_by_key: dict[str, str] = {}
    for value in facet_values:
        value_by_key.setdefault(value_key(value), value)
    field, column = _WORDED_FIELDS[facet]
    values[field], values[column] = list(value_by_key), list(value_by_key.values())


def _add_libraries(values: dict[str, object], libraries: Sequence[HoldingLibrary]) -> None:
    """Add the regions of these libraries, and the terms that find the libraries: their numbers, names and codes."""
    regions = dict.fromkeys(library.region for library in libraries if library.region)
    prefectures = list(dict.fromkeys([region[:PREFECTURE] for region in regions]))
    municipalities = [region for region in regions if len(region) > PREFECTURE]
    values[value_field("region")] = prefectures + municipalities
    values[value_field("library")] = list(dict.fromkeys(chain.from_iterable(map(_library_terms, libraries))))
    values[printed_column("region")], values[printed_column("municipality")] = prefectures, municipalities
    values[printed_column("library")] = [f"{library.region}/{library.number}" for library in libraries]


@lru_cache(maxsize=16_384)
def _library_terms(library: HoldingLibrary) -> tuple[str, ...]:
    return (library.number, *map(value_key, library.names))


def _codes(document: Document) -> list[str]:
    codes = list(document.isbns)
    codes += [issn_code(issn) for issn in document.issns]
    codes += [jpno_code(form) for form in map(code, document.jpnos) if form]
    codes += filter(None, map(code, document.identifiers))
    if document.year in YEARS:
        codes.append(year_code(document.year))
    if document.children:
        codes.append(CHILDREN)
    return codes


@lru_cache(maxsize=4096)
def _weight(holdings: int, year: int) -> float:
    """The weight of a document. Tantivy multiplies a score by log2(2 + weight).

    The factor is 1 for one holding of an unknown year, 0.05 more for every doubling, and so little more for a later
    year that it only decides between otherwise equal documents.
    """
    factor = 1 + 0.05 * log2(max(holdings, 1)) + (2e-5 * (year - 1000) if 1000 < year < 2100 else 0)
    return float(2**factor - 2)
