"""The fields of a document in Tantivy."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import tantivy

from aggregator.search.analysis.fields import (
    HEADED,
    PART_FIELDS,
    PLACED,
    SOUND_FIELDS,
    SUGGEST,
    TEXT_FIELDS,
    WORDED,
    printed_column,
    value_field,
)

# Counting a column is ten times faster where every document has exactly one value. So a facet's first values are in
# columns of their own, "" where there is none; the few documents with more values are marked and counted separately.
FACET_COLUMNS = {
    "repository": ("repository_first", "repository_second", "repository_third"),
    "type": ("type_first",),
    "language": ("language_first",),
    "ndc": ("ndc_first",),  # "ndc", "ndc2", "ndc3": the first one, two and three digits of the NDC number
    "ndc2": ("ndc2_first",),
    "ndc3": ("ndc3_first",),
    "online": ("online_first",),
    "accessible": ("accessible_first",),
    "fulltext": ("fulltext_first",),
    "kind": ("kind_first",),
    "access": ("access_first",),
    "licence": ("licence_first",),
}
_COLUMN = "column"  # the tokenizer of columns for counting and sorting only, which takes a value as it is
SUGGEST_FIRST = "suggest1"  # the first characters of suggestions, as far as ANY_CHARACTER does not have them
SUGGESTED = "suggested"  # the printed texts of suggestions, which the terms name by a code (`suggest.entries`)
# Sort orders by text, and the number that encodes the beginning of a document's text.
START_OF = {"by_title": "title_start", "by_creator": "creator_start"}


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for terms, characters in (TEXT_FIELDS | PART_FIELDS).items():
        builder.add_text_field(terms, tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(characters, tokenizer_name="characters", index_option="basic")
    builder.add_unsigned_field("exact", indexed=True)
    for field in ("code", "start", SUGGEST, SUGGEST_FIRST, "classes"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(SUGGESTED, tokenizer_name=_COLUMN, index_option="basic", fast=True)
    for sounds in SOUND_FIELDS.values():
        builder.add_text_field(sounds, tokenizer_name="whitespace", index_option="basic")
    _add_facets(builder)
    for field in ("year", "issued_first", "issued_last"):
        builder.add_integer_field(field, fast=True)
    builder.add_float_field("holdings", fast=True)
    builder.add_unsigned_field("newest", fast=True)
    builder.add_unsigned_field("oldest", fast=True)
    builder.add_unsigned_field("most_held", fast=True)
    builder.add_unsigned_field("changed", fast=True)
    builder.add_unsigned_field("latest", fast=True)
    for order, start in START_OF.items():
        builder.add_text_field(order, tokenizer_name=_COLUMN, index_option="basic", fast=True)
        builder.add_unsigned_field(start, fast=True)
    return _without_terms(builder.build())


def _without_terms(schema: tantivy.Schema) -> tantivy.Schema:
    """The schema without terms for the columns: they would cost time and space, and nothing looks for them.

    Tantivy can do this, but its `SchemaBuilder` for Python has no switch for it. So the switch is set in the plain
    values of which a copy of the schema is made.
    """
    make, (values,) = cast("tuple[Callable[[Any], tantivy.Schema], tuple[Any]]", schema.__reduce__())
    for field in values["inner"]:
        if field["options"].get("indexing", {}).get("tokenizer") == _COLUMN:
            del field["options"]["indexing"]
    return make(values)


def _add_facets(builder: tantivy.SchemaBuilder) -> None:
    for facet, columns in FACET_COLUMNS.items():
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
        for column in (*columns, more_column(facet)):
            builder.add_text_field(column, tokenizer_name=_COLUMN, index_option="basic", fast=True)
    builder.add_text_field("many", tokenizer_name="raw", index_option="basic")
    for facet in WORDED:
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
        builder.add_text_field(printed_column(facet), tokenizer_name=_COLUMN, index_option="basic", fast=True)
    for facet in ("region", "library", *HEADED):
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
    for facet in PLACED:
        builder.add_text_field(printed_column(facet), tokenizer_name=_COLUMN, index_option="basic", fast=True)


def more_column(facet: str) -> str:
    """The column for values beyond those in FACET_COLUMNS; the field "many" names the facets that have such values."""
    return f"{facet}_more"


SCHEMA = build_schema()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """Register the tokenizers: Tantivy stores only their names, so every opened index needs this."""
    single = tantivy.Tokenizer.ngram(min_gram=1, max_gram=1)
    index.register_tokenizer("characters", tantivy.TextAnalyzerBuilder(single).build())
    index.register_fast_field_tokenizer(_COLUMN, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).build())
    return index


def start_key(text: str) -> int:
    """The first eight characters as a number that preserves the order of texts."""
    return int.from_bytes(bytes(map(_rank, text[:8])).ljust(8, b"\0"))


@lru_cache(maxsize=8192)
def _rank(char: str) -> int:
    """One byte per character, in order. Digits, Latin letters and kana have one each; 512 kanji share one."""
    code = ord(char)
    if code <= ord("z"):
        return code >> 1 if code < ord("0") else code - 0x18
    if code <= ord("ヺ"):
        return 0x63 if code < ord("ァ") else 0x64 + code - ord("ァ")
    return 0xBD if code < 0x3100 else min(0xBE + (code - 0x3100 >> 9), 0xFF)
