"""A Document's values for the fields of Tantivy. Knows no query and no folder."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from math import log2

import tantivy

from aggregator.search.base import Document
from aggregator.search.query.segment import segment_fields
from aggregator.search.query.words import code
from aggregator.search.suggest.entries import folded_once
from aggregator.search.suggest.entries import terms as suggest_terms
from aggregator.search.tantivy.schema import (
    ANY_CHARACTER,
    DIGITS,
    FACET_COLUMNS,
    ID_BITS,
    NO_YEAR,
    ONLINE,
    SCHEMA,
    START_OF,
    SUGGEST,
    SUGGEST_FIRST,
    WORDED,
    YEARS,
    change_place,
    exact,
    issn_code,
    more_column,
    printed_column,
    start_key,
    value_field,
    value_key,
    year_code,
)
from aggregator.search.titles import proper_keys, readings

_MOST_HELD = 1 << 20
_SORTED_BY = 30  # characters of a title that decide on its place
_LAST = "\U0010ffff"
_WORDED_FIELDS = {facet: (value_field(facet), printed_column(facet)) for facet in WORDED}


def tantivy_document(document: Document) -> tantivy.Document:
    titles, creators, publishers, subjects, texts = segment_fields(
        document.titles, document.creators, document.publishers, document.subjects, document.texts
    )
    rest = (publishers, subjects, texts)
    title_keys = titles.keys
    title_readings, creator_readings = readings(document.titles), readings(document.creators)
    folded = _folded(
        (document.titles, title_keys), (document.creators, creators.keys), (document.subjects, subjects.keys)
    )
    suggested = suggest_terms(document.suggestions, folded)
    characters = "".join([each.characters for each in (titles, creators, *rest)])
    values: dict[str, object] = {
        "id": document.id,
        "title": titles.terms,
        "title1": titles.characters,
        "creator": creators.terms,
        "creator1": creators.characters,
        "publisher": publishers.terms,
        "publisher1": publishers.characters,
        "subject": subjects.terms,
        "subject1": subjects.characters,
        "rest": " ".join([each.terms for each in rest if each.terms]),
        ANY_CHARACTER: characters,
        "exact": [*map(exact, {*title_keys, *proper_keys(document.titles, title_keys), *title_readings.wholes})],
        "start": list({key[:2] for key in title_keys if len(key) > 1}),
        "title_sound": " ".join(title_readings.terms),
        "creator_sound": " ".join(creator_readings.terms),
        "code": _codes(document),
        "classes": list(document.ndcs),
        "year": document.year if document.year in YEARS else 0,
        "holdings": _weight(document.holdings, document.year),
        "changed": document.changed,
        SUGGEST: suggested,
        SUGGEST_FIRST: [each for each in {term[0] for term in suggested} if each not in characters],
        **_orders(document, folded),
        **_counted(document),
    }
    for facet, facet_values in (
        ("subject", document.headings),
        ("creator", document.names),
        ("publisher", document.houses),
    ):
        if facet_values:
            _add_words(values, facet, facet_values)
    return tantivy.Document.from_dict(values, SCHEMA)


def _folded(*fields: tuple[Sequence[str], Sequence[str]]) -> dict[str, str]:
    """Text -> the same without blanks, folded. A field that signs of its own have cut in other pieces is left out."""
    return {
        text: key for texts, keys in fields if len(texts) == len(keys) for text, key in zip(texts, keys, strict=True)
    }


def _orders(document: Document, folded: Mapping[str, str]) -> Mapping[str, object]:
    """One value a document for each way to put hits in order; the id in it, so no two are equal.

    folded: of texts that have been folded before.
    """
    dated = document.year if document.year in YEARS else 0
    number = document.id
    by_title = _alphabetical(document.sort_title, folded, number)
    by_creator = _alphabetical(document.sort_creator, folded, number)
    return {
        "newest": dated << ID_BITS | number,
        "oldest": (dated or NO_YEAR) << ID_BITS | number,
        "most_held": min(max(document.holdings, 0), _MOST_HELD) << ID_BITS | number,
        "latest": change_place(document.changed, number),
        "by_title": by_title,
        "by_creator": by_creator,
        START_OF["by_title"]: start_key(by_title),
        START_OF["by_creator"]: start_key(by_creator),
    }


def _alphabetical(text: str, folded: Mapping[str, str], number: int) -> str:
    """The folded text, what has none last, and the number in as many digits as any."""
    key = folded[text] if text in folded else folded_once(text)
    return f"{key[:_SORTED_BY] or _LAST}\0{number:013d}"


def _counted(document: Document) -> Mapping[str, object]:
    """The facets with columns of their own; what has more values than columns is marked."""
    values, many = _of_kinds(document.repositories, document.types, document.languages, document.online)
    classes, many_classes = _of_classes(document.ndcs)
    found = {**values, **classes}
    if many or many_classes:
        found["many"] = [*many, *many_classes]
    return found


type Columns = tuple[Mapping[str, object], Sequence[str]]  # with the facets that have more values than columns


@lru_cache(maxsize=4096)  # few combinations are nearly all there are
def _of_kinds(
    repositories: tuple[str, ...], types: tuple[str, ...], languages: tuple[str, ...], online: bool
) -> Columns:
    return _columns(
        {"repository": repositories, "type": types, "language": languages, "online": (ONLINE,) if online else ()}
    )


@lru_cache(maxsize=4096)
def _of_classes(ndcs: tuple[str, ...]) -> Columns:
    return _columns({facet: _beginnings(ndcs, digits) for facet, digits in DIGITS.items()})


def _columns(facets: Mapping[str, tuple[str, ...]]) -> Columns:
    values: dict[str, object] = {}
    many = []
    for facet, found in facets.items():
        columns = FACET_COLUMNS[facet]
        values |= zip(columns, chain(found, repeat("")), strict=False)
        if found:
            values[value_field(facet)] = list(found)
        if len(found) > len(columns):
            values[more_column(facet)] = list(found[len(columns) :])
            many.append(facet)
    return values, many


def _beginnings(numbers: tuple[str, ...], digits: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each[:digits] for each in numbers if len(each) >= digits))


def _add_words(values: dict[str, object], facet: str, found: tuple[str, ...]) -> None:
    """Of values that differ in writing only, the first; found by their keys, counted as printed."""
    keyed: dict[str, str] = {}
    for value in found:
        keyed.setdefault(value_key(value), value)
    field, column = _WORDED_FIELDS[facet]
    values[field], values[column] = list(keyed), list(keyed.values())


def _codes(document: Document) -> list[str]:
    found = list(document.isbns)
    found += [issn_code(each) for each in document.issns]
    found += filter(None, map(code, document.identifiers))
    if document.year in YEARS:
        found.append(year_code(document.year))
    return found


@lru_cache(maxsize=4096)
def _weight(holdings: int, year: int) -> float:
    """Tantivy multiplies a score by log2(2 + weight): 1 for one holding of an unknown year, a twentieth more with each
    doubling, and so little more for a later year that it decides among equals only.
    """
    factor = 1 + 0.05 * log2(max(holdings, 1)) + (2e-5 * (year - 1000) if 1000 < year < 2100 else 0)
    return float(2**factor - 2)
