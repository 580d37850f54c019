"""How a Document lies in Tantivy: the fields, and a document's values for them. Knows no query and no folder."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import chain, repeat
from math import log2
from zlib import crc32

import tantivy

from aggregator.search.base import Document
from aggregator.search.segment import segment_fields
from aggregator.search.words import code

# Raise it with every change of what is below, of `segment` or of `metadata.text`: the index must then be rebuilt.
SCHEMA_VERSION = 1

# Terms with positions, and where single characters are looked for. "any1" has those of all three: a character beside
# other words is one term there instead of three alternatives, which Tantivy cannot skip through.
TEXT_FIELDS = {"title": "title1", "creator": "creator1", "rest": "any1"}
# Counting the values of a column is ten times faster where every document has exactly one. So the first values of a
# facet stand in columns of their own, "" where there is none; the few documents with more are marked and counted apart.
FACET_COLUMNS = {"repository": ("repository_first", "repository_second", "repository_third"), "type": ("type_first",)}
NO_YEAR = 9999  # where a document without year stands among the oldest: last
YEARS = range(1, NO_YEAR)
_ID_BITS = 40


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for terms, characters in TEXT_FIELDS.items():
        builder.add_text_field(terms, tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(characters, tokenizer_name="characters", index_option="basic")
    builder.add_unsigned_field("exact", indexed=True)
    builder.add_text_field("code", tokenizer_name="raw", index_option="basic")
    for facet, columns in FACET_COLUMNS.items():
        builder.add_text_field(facet, tokenizer_name="raw", index_option="basic")
        for column in (*columns, more_column(facet)):
            builder.add_text_field(column, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_text_field("many", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("year", fast=True)
    builder.add_float_field("holdings", fast=True)
    builder.add_unsigned_field("newest", fast=True)
    builder.add_unsigned_field("oldest", fast=True)
    return builder.build()


def more_column(facet: str) -> str:
    """The column with what has no place in FACET_COLUMNS; "many" names the facets that need it."""
    return f"{facet}_more"


SCHEMA = build_schema()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """Tantivy keeps tokenizers by name only; each opened index must be told them."""
    single = tantivy.Tokenizer.ngram(min_gram=1, max_gram=1)
    index.register_tokenizer("characters", tantivy.TextAnalyzerBuilder(single).build())
    return index


def tantivy_document(document: Document) -> tantivy.Document:
    titles, creators, rest = segment_fields(
        document.titles, document.creators, document.publishers + document.subjects + document.texts
    )
    values: dict[str, object] = {
        "id": document.id,
        "title": titles.terms,
        "title1": titles.characters,
        "creator": creators.terms,
        "creator1": creators.characters,
        "rest": rest.terms,
        "any1": titles.characters + creators.characters + rest.characters,
        "exact": [exact(key) for key in titles.keys],
        "code": _codes(document),
        "year": document.year if document.year in YEARS else 0,
        "holdings": _weight(document.holdings),
        "newest": document.id,
        "oldest": NO_YEAR << _ID_BITS | document.id,
    }
    if document.year in YEARS:
        values["newest"] = values["oldest"] = document.year << _ID_BITS | document.id
    for facet, facet_values in (("repository", document.repositories), ("type", document.types)):
        values.update(_facet_values(facet, facet_values))
    if many := [facet for facet in FACET_COLUMNS if values[more_column(facet)]]:
        values["many"] = many
    return tantivy.Document.from_dict(values, SCHEMA)


def exact(key: str) -> int:
    """A whole title as a number: half the cost of a text as term, and it only decides on the order of what is found."""
    return crc32(key.encode("utf-8", "ignore"))


def id_of_order(value: int) -> int:
    """The id in a value of "newest" or "oldest". Year and id in one number: no two documents are equal in order."""
    return value & (1 << _ID_BITS) - 1


@lru_cache(maxsize=1024)  # few combinations are all there are
def _facet_values(facet: str, values: tuple[str, ...]) -> Mapping[str, object]:
    columns = FACET_COLUMNS[facet]
    firsts = zip(columns, chain(values, repeat("")), strict=False)
    return {facet: list(values), more_column(facet): list(values[len(columns) :]), **dict(firsts)}


def _codes(document: Document) -> list[str]:
    if not document.identifiers:
        return list(document.isbns)
    return [*document.isbns, *filter(None, map(code, document.identifiers))]


@lru_cache(maxsize=256)
def _weight(holdings: int) -> float:
    """Tantivy multiplies a score by log2(2 + weight): 1 for one holding, a twentieth more with each doubling."""
    return float(2 ** (1 + 0.05 * log2(max(holdings, 1))) - 2)
