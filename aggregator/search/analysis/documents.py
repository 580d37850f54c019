"""The terms and numbers of a document, by field; every engine stores the same ones. Independent of the engine."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from math import log2
from typing import Any

from aggregator.search.analysis.fields import (
    ANY_CHARACTER,
    DIGITS,
    HOLDS,
    MARKED,
    NO_TERM,
    PREFECTURE,
    SUGGEST,
    WORDED,
    YEARS,
    exact_term,
    issn_code,
    jpno_code,
    marked_code,
    printed_column,
    value_field,
    value_key,
    year_code,
)
from aggregator.search.analysis.orders import order_values
from aggregator.search.base import Document, HoldingLibrary
from aggregator.search.query.segment import segment_fields
from aggregator.search.query.words import code
from aggregator.search.suggest.entries import entry_terms as suggest_terms
from aggregator.search.titles import proper_keys, readings

# Fields of a document that are searched by words, and those that are also searched alone, in a field named "title" for
# "titles" and in one of their characters, "title1".
_SEGMENTED = ("titles", "creators", "publishers", "subjects", "journals", "digitizers", "texts", "descriptions")
_ALONE = tuple(name for name in _SEGMENTED if name != "texts")
_WORDED_FIELDS = {facet: (value_field(facet), printed_column(facet)) for facet in WORDED}


def analysed(document: Document) -> dict[str, Any]:
    """Return the terms, numbers and printed values of a document by field, without those of `facet_values`.

    Fields with positions: their terms, separated by blanks. Fields of single characters: the characters in one text.
    None of these is empty (see NO_TERM). Other fields: lists of terms, numbers, and one text or number for every order.
    """
    segments = dict(zip(_SEGMENTED, segment_fields(*(getattr(document, name) for name in _SEGMENTED)), strict=True))
    titles, creators, subjects = segments["titles"], segments["creators"], segments["subjects"]
    rest = [segments[name] for name in _SEGMENTED if name not in ("titles", "creators")]
    title_keys = titles.keys
    title_readings, creator_readings = readings(document.titles), readings(document.creators)
    folded = _folded(
        (document.titles, title_keys), (document.creators, creators.keys), (document.subjects, subjects.keys)
    )
    values: dict[str, Any] = {
        "id": document.id,
        **{name[:-1]: segments[name].terms or NO_TERM for name in _ALONE},
        **{f"{name[:-1]}1": _once(segments[name].characters) for name in _ALONE},
        "rest": " ".join([field.terms for field in rest if field.terms]) or NO_TERM,
        ANY_CHARACTER: _once("".join([field.characters for field in segments.values()])),
        "exact": [*map(exact_term, {*title_keys, *proper_keys(document.titles, title_keys), *title_readings.wholes})],
        "start": list({key[:2] for key in title_keys if len(key) > 1}),
        "title_sound": " ".join(title_readings.terms) or NO_TERM,
        "creator_sound": " ".join(creator_readings.terms) or NO_TERM,
        "code": _codes(document),
        "classes": [*document.ndcs, *map(str.lower, document.classes)],
        "year": document.year if document.year in YEARS else 0,
        "issued_first": document.issued[0],
        "issued_last": document.issued[1],
        "changed": document.changed,
        SUGGEST: suggest_terms(document.suggestions, folded),
        **order_values(document, folded),
    }
    _add_whole_values(values, document)
    if document.libraries:
        _add_libraries(values, document.libraries)
    return values


def _once(characters: str) -> str:
    """The characters without repetition: how often one occurs is not indexed, and would only make the text longer."""
    return "".join(dict.fromkeys(characters)) or NO_TERM


def facet_values(document: Document) -> dict[str, tuple[str, ...]]:
    """The values of the facets that are not in WORDED or PLACED, by facet; those without a value are left out."""
    values = {
        "repository": document.repositories,
        "type": document.types,
        "language": document.languages,
        "accessible": document.accessible,
        "kind": document.kinds,
        "online": (HOLDS,) if document.online else (),
        "fulltext": (HOLDS,) if document.fulltext else (),
        "access": document.access,
        "licence": document.licences,
        **{facet: beginnings(document.ndcs, digits) for facet, digits in DIGITS.items()},
    }
    return {facet: of_facet for facet, of_facet in values.items() if of_facet}


def beginnings(numbers: tuple[str, ...], digits: int) -> tuple[str, ...]:
    """The first so many digits of the class numbers, without repetition; shorter numbers are left out."""
    return tuple(dict.fromkeys(number[:digits] for number in numbers if len(number) >= digits))


@lru_cache(maxsize=4096)
def rank_factor(holdings: int, year: int) -> float:
    """The factor of all scores of a document.

    It is 1 for one holding of an unknown year, 0.05 more for every doubling, and so little more for a later year that
    it only decides between otherwise equal documents.
    """
    return 1 + 0.05 * log2(max(holdings, 1)) + (2e-5 * (year - 1000) if 1000 < year < 2100 else 0)


def _add_whole_values(values: dict[str, Any], document: Document) -> None:
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


def _add_worded(values: dict[str, Any], facet: str, facet_values: tuple[str, ...]) -> None:
    """Add the values of a facet in WORDED: keys for searching, printed forms for counting.

    Of values that differ in spelling only, the first one is added.
    """
    value_by_key: dict[str, str] = {}
    for value in facet_values:
        value_by_key.setdefault(value_key(value), value)
    field, column = _WORDED_FIELDS[facet]
    values[field], values[column] = list(value_by_key), list(value_by_key.values())


def _add_libraries(values: dict[str, Any], libraries: Sequence[HoldingLibrary]) -> None:
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
    marks = zip(MARKED, (document.media_types, document.collections, document.levels), strict=True)
    codes += [marked_code(name, value) for name, values in marks for value in values]
    return codes
