"""Convert a Document to the fields of Tantivy."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, NamedTuple

import msgspec

from aggregator.search.analysis.documents import analysed_all, beginnings, rank_factor
from aggregator.search.analysis.fields import ANY_CHARACTER, DIGITS, HOLDS, SUGGEST, value_field
from aggregator.search.base import Document
from aggregator.search.suggest.entries import label_code
from aggregator.search.tantivy.schema import (
    FACET_COLUMNS,
    START_OF,
    SUGGEST_FIRST,
    SUGGESTED,
    more_column,
    start_key,
)

_ENCODER = msgspec.json.Encoder()
_MOST_DIGITS = max(DIGITS.values())


def tantivy_documents(documents: Sequence[Document]) -> Iterator[str]:
    """The documents as JSON objects, the form that Tantivy takes in at least cost."""
    for document, values in zip(documents, analysed_all(documents, label_code), strict=True):
        characters, suggested = values[ANY_CHARACTER], values[SUGGEST]
        values[SUGGEST_FIRST] = [first for first in {term[0] for term in suggested} if first not in characters]
        values[SUGGESTED] = list({entry.label for entry in document.suggestions})
        values["holdings"] = _weight(document.holdings, document.year)
        values |= {start: start_key(values[order]) for order, start in START_OF.items()}
        facets = _facet_columns(document)
        if many := [facet for columns in facets for facet in columns.many]:
            values["many"] = many
        members = b",".join([_members(values), *[columns.members for columns in facets]])
        yield f"{members.decode()}}}"


def _members(values: Mapping[str, Any]) -> bytes:
    """A JSON object without its last brace."""
    return _ENCODER.encode(values)[:-1]


class _Columns(NamedTuple):
    """members: columns with values, as part of a JSON object. many: the facets with more values than columns."""

    members: bytes
    many: Sequence[str]


def _facet_columns(document: Document) -> tuple[_Columns, ...]:
    """The values of the facets in FACET_COLUMNS."""
    return (
        _kind_columns(document.repositories, document.types, document.languages, document.accessible, document.kinds),
        _access_columns(document.online, document.fulltext, document.access, document.licences),
        _class_columns(tuple([number[:_MOST_DIGITS] for number in document.ndcs])),
    )


@lru_cache(maxsize=4096)  # few combinations cover nearly all documents
def _kind_columns(
    repositories: tuple[str, ...],
    types: tuple[str, ...],
    languages: tuple[str, ...],
    accessible: tuple[str, ...],
    kinds: tuple[str, ...],
) -> _Columns:
    facets = {"repository": repositories, "type": types, "language": languages, "accessible": accessible}
    return _columns({**facets, "kind": kinds})


@lru_cache(maxsize=4096)
def _access_columns(online: bool, fulltext: bool, access: tuple[str, ...], licences: tuple[str, ...]) -> _Columns:
    flags = {"online": (HOLDS,) if online else (), "fulltext": (HOLDS,) if fulltext else ()}
    return _columns({**flags, "access": access, "licence": licences})


@lru_cache(maxsize=4096)
def _class_columns(ndcs: tuple[str, ...]) -> _Columns:
    """ndcs: as many digits as the facets have; there are few combinations of these."""
    return _columns({facet: beginnings(ndcs, digits) for facet, digits in DIGITS.items()})


def _columns(facets: Mapping[str, tuple[str, ...]]) -> _Columns:
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
    return _Columns(_members(values)[1:], many)


@lru_cache(maxsize=4096)
def _weight(holdings: int, year: int) -> float:
    """The weight of a document. Tantivy multiplies a score by log2(2 + weight)."""
    return float(2 ** rank_factor(holdings, year) - 2)
