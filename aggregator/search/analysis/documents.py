"""The terms and numbers of a document, by field; every engine stores the same ones. Independent of the engine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import batched, chain
from math import log2
from operator import attrgetter
from typing import Any

from aggregator.search.analysis.fields import (
    ANY_CHARACTER,
    DIGITS,
    HOLDS,
    MARKED,
    NO_TERM,
    PREFECTURE,
    SOUND_FIELDS,
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
from aggregator.search.query.segment import Segments, segment_fields
from aggregator.search.query.words import code
from aggregator.search.suggest.entries import entry_terms as suggest_terms
from aggregator.search.titles import proper_keys, readings

# Fields of a document that are searched by words; all but "texts" also alone, in a field named "title" for "titles" and
# in one of their characters, "title1".
_SEGMENTED = ("titles", "creators", "publishers", "subjects", "journals", "digitizers", "texts", "descriptions")
_OWN_FIELDS = ("titles", "creators")  # the others are searched together, as "rest"
_ALONE = {name: (name[:-1], f"{name[:-1]}1") for name in _SEGMENTED if name != "texts"}
_WORDED_FIELDS = [(value_field(facet), printed_column(facet)) for facet in WORDED]
_worded_values = attrgetter(*[f"{facet}_values" for facet in WORDED])
_texts_of = attrgetter(*_SEGMENTED)
_FEW_LIBRARIES = 4  # the most whose values are kept for other books with the same ones
_AT_ONCE = 4  # documents whose texts are folded and split in one go; more gain little

type _Fields = dict[str, Segments]  # those of _SEGMENTED


def analysed_all(documents: Sequence[Document], shown: Callable[[str], str] = str) -> list[dict[str, Any]]:
    """Return the terms, numbers and printed values of each document by field, without those of `facet_values`.

    Fields with positions: their terms, separated by blanks. Fields of single characters: the characters in one text.
    None of these is empty (see NO_TERM). Other fields: lists of terms, numbers, and one text or number for every order.

    Each step is done for all documents before the next one, because its code and tables then stay in the processor's
    caches. shown: what the terms of suggestions have for the printed text.
    """
    fields = _segmented(documents)
    folded = list(map(_folded, documents, fields))
    suggested = (
        {SUGGEST: suggest_terms(document.suggestions, known, shown)}
        for document, known in zip(documents, folded, strict=True)
    )
    steps: tuple[Iterable[Mapping[str, Any]], ...] = (
        map(_texts, fields),
        map(_titles, documents, fields),
        map(_sounds_of_creators, documents),
        map(_plain_values, documents),
        suggested,
        map(order_values, documents, folded),
        map(_whole_values, documents),
    )
    result: list[dict[str, Any]] = [{} for _ in documents]
    for step in steps:
        for values, more in zip(result, step, strict=True):
            values.update(more)
    return result


def _segmented(documents: Sequence[Document]) -> list[_Fields]:
    """The texts of each document, folded and split."""
    result = []
    for group in batched(documents, _AT_ONCE):
        segments = segment_fields(*chain.from_iterable(map(_texts_of, group)))
        result += [dict(zip(_SEGMENTED, own, strict=True)) for own in batched(segments, len(_SEGMENTED))]
    return result


def _folded(document: Document, fields: _Fields) -> dict[str, str]:
    """Text -> the text folded. A field is left out if it may not have the folded text of each text."""
    folded: dict[str, str] = {}
    for texts, field in (
        (document.titles, fields["titles"]),
        (document.creators, fields["creators"]),
        (document.subjects, fields["subjects"]),
    ):
        if len(texts) == len(values := field.values):
            folded |= zip(texts, values, strict=True)
    return folded


def _texts(fields: _Fields) -> dict[str, str]:
    """Characters come without repetition: how often one occurs is not indexed, and would only make the text longer."""
    every: dict[str, None] = {}
    rest: list[str] = []
    values: dict[str, str] = {}
    for name, (terms, characters, _folded) in fields.items():
        once = dict.fromkeys(characters)
        every |= once
        if terms and name not in _OWN_FIELDS:
            rest.append(terms)
        if name in _ALONE:
            field_of_terms, field_of_characters = _ALONE[name]
            values[field_of_terms], values[field_of_characters] = terms or NO_TERM, "".join(once) or NO_TERM
    values["rest"], values[ANY_CHARACTER] = " ".join(rest) or NO_TERM, "".join(every) or NO_TERM
    return values


def _titles(document: Document, fields: _Fields) -> dict[str, Any]:
    keys, sounds = fields["titles"].keys, readings(document.titles)
    return {
        "exact": [*map(exact_term, {*keys, *proper_keys(document.titles, keys), *sounds.wholes})],
        "start": list({key[:2] for key in keys if len(key) > 1}),
        SOUND_FIELDS["title"]: " ".join(sounds.terms) or NO_TERM,
    }


def _sounds_of_creators(document: Document) -> dict[str, str]:
    return {SOUND_FIELDS["creator"]: " ".join(readings(document.creators).terms) or NO_TERM}


def _plain_values(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "code": _codes(document),
        "classes": [*document.ndcs, *map(str.lower, document.classes)],
        "year": document.year if document.year in YEARS else 0,
        "issued_first": document.issued[0],
        "issued_last": document.issued[1],
        "changed": document.changed,
    }


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


def _whole_values(document: Document) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for fields, facet_values in zip(_WORDED_FIELDS, _worded_values(document), strict=True):
        if facet_values:
            _add_worded(values, fields, facet_values)
    for name, whole_values in (("place", document.place_values), ("series", document.series_values)):
        if whole_values:
            values[value_field(name)] = list(dict.fromkeys(map(value_key, whole_values)))
    if document.libraries:
        is_few = len(document.libraries) <= _FEW_LIBRARIES
        values |= (_values_of_few if is_few else _library_values)(document.libraries)
    return values


def _add_worded(values: dict[str, Any], fields: tuple[str, str], facet_values: tuple[str, ...]) -> None:
    """Add the values of a facet in WORDED: keys for searching, in the first field, and printed forms for counting.

    Of values that differ in spelling only, the first one is added.
    """
    field, column = fields
    keys = list(map(value_key, facet_values))
    if len(keys) == len(set(keys)):
        values[field], values[column] = keys, list(facet_values)
        return
    value_by_key = dict(zip(reversed(keys), reversed(facet_values), strict=True))
    values[field] = list(dict.fromkeys(keys))
    values[column] = [value_by_key[key] for key in values[field]]


def _library_values(libraries: tuple[HoldingLibrary, ...]) -> Mapping[str, Sequence[str]]:
    """The regions of these libraries, and the terms that find the libraries: their numbers, names and codes."""
    regions = dict.fromkeys(library.region for library in libraries if library.region)
    prefectures = list(dict.fromkeys([region[:PREFECTURE] for region in regions]))
    municipalities = [region for region in regions if len(region) > PREFECTURE]
    return {
        value_field("region"): prefectures + municipalities,
        value_field("library"): list(dict.fromkeys(chain.from_iterable(map(_library_terms, libraries)))),
        printed_column("region"): prefectures,
        printed_column("municipality"): municipalities,
        printed_column("library"): [f"{library.region}/{library.number}" for library in libraries],
    }


_values_of_few = lru_cache(maxsize=16_384)(_library_values)


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
    codes += _marks(document.media_types, document.collections, document.levels)
    return codes


@lru_cache(maxsize=4096)  # few combinations cover nearly all documents
def _marks(*marked: tuple[str, ...]) -> tuple[str, ...]:
    """The codes of the values of MARKED."""
    return tuple([marked_code(name, value) for name, values in zip(MARKED, marked, strict=True) for value in values])
