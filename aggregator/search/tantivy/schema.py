"""The fields of a document in Tantivy, and the terms of values looked up as a whole."""

from functools import lru_cache
from hashlib import blake2b

import tantivy

from metadata.text.folding import fold_tight

# Increase this with every change of what is below, of `segment` or of `metadata.text.folding`: the index must then be
# rebuilt.
SCHEMA_VERSION = 15

# Fields of terms with positions, and the fields where single characters are searched. "any1" holds the characters of
# all three fields, so that a single character in a search is one term instead of three alternatives: Tantivy skips
# quickly through the documents of one term, but not through those of alternatives.
ANY_CHARACTER = "any1"
TEXT_FIELDS = {"title": "title1", "creator": "creator1", "rest": ANY_CHARACTER}
# Parts of "rest" that can be searched alone.
PART_FIELDS = {name: f"{name}1" for name in ("publisher", "subject", "journal", "digitizer")}
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
# Facets whose values are printed words: different spellings are one value (`value_key`). They have so many values
# that one column for all values of a document is cheaper than several.
WORDED = ("subject", "creator", "publisher", "funder", "degree")
# Where the libraries are that hold a book, and which they are: columns with several values, counted only when a reader
# opens these facets. Their terms: all regions; the numbers, names and codes of libraries.
PLACED = ("region", "municipality", "library")
# Whole values, found by the key of a worded facet, that no facet counts.
HEADED = ("place", "series")
# Where the sounds of readings are searched.
SOUND_FIELDS = {"title": "title_sound", "creator": "creator_sound"}
# Columns for counting and sorting only: they need no terms. Tantivy has no switch for this, but allows one tokenizer
# for terms and another, of the same name, for columns.
_COLUMN = "column"
DIGITS = {"ndc": 1, "ndc2": 2, "ndc3": 3}
HOLDS = "1"  # the value of a flag
PREFECTURE = 2  # digits of a prefecture's code, with which the codes of its municipalities begin
# The terms of suggestions (see `suggest.entries`); their first characters, as far as ANY_CHARACTER does not have them.
SUGGEST, SUGGEST_FIRST = "suggest", "suggest1"
# Sort orders by text, and the number that encodes the beginning of a document's text.
START_OF = {"by_title": "title_start", "by_creator": "creator_start"}
NO_YEAR = 9999  # puts documents without a year last in the order "oldest"
YEARS = range(1, NO_YEAR)
ID_BITS = 40
_EMPTY = blake2b(digest_size=8)
_FIRST_CHANGE = 1_577_836_800  # 2020-01-01: no changes are older


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for terms, characters in (TEXT_FIELDS | PART_FIELDS).items():
        builder.add_text_field(terms, tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(characters, tokenizer_name="characters", index_option="basic")
    builder.add_unsigned_field("exact", indexed=True)
    for field in ("code", "start", SUGGEST, SUGGEST_FIRST, "classes"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
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
    return builder.build()


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


def printed_column(facet: str) -> str:
    """The column with the printed values of a facet in WORDED or PLACED."""
    return f"{facet}_printed"


def value_field(facet: str) -> str:
    """The field where the values of a facet are searched."""
    return f"{facet}_is"


SCHEMA = build_schema()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """Register the tokenizers: Tantivy stores only their names, so every opened index needs this."""
    single = tantivy.Tokenizer.ngram(min_gram=1, max_gram=1)
    index.register_tokenizer("characters", tantivy.TextAnalyzerBuilder(single).build())
    whole = tantivy.Tokenizer.raw()
    index.register_fast_field_tokenizer(_COLUMN, tantivy.TextAnalyzerBuilder(whole).build())
    # A filter that removes every term. A regex pattern that matches nothing would cost Tantivy ten times as much.
    nothing = tantivy.TextAnalyzerBuilder(whole).filter(tantivy.Filter.remove_long(0))
    index.register_tokenizer(_COLUMN, nothing.build())
    return index


def exact_term(key: str) -> int:
    """A whole title as a number, which as a term costs half as much as a text."""
    digest = _EMPTY.copy()  # copying costs half of creating a new one
    digest.update(key.encode("utf-8", "ignore"))
    return int.from_bytes(digest.digest())


@lru_cache(maxsize=65_536)  # many documents share the same names and subjects
def value_key(value: str) -> str:
    """One key for all spellings of a name or a subject: "夏目, 漱石", "夏目漱石"."""
    return fold_tight(value) or value


def change_order(changed: int, number: int) -> int:
    """A document's position in the order of changes. Steps of four minutes leave room for its id."""
    return max(changed - _FIRST_CHANGE, 0) // 240 << ID_BITS | number


def year_code(year: int) -> str:
    return f"year:{year}"


CHILDREN = "audience:children"  # a term of books for children


def issn_code(issn: str) -> str:
    """An ISSN as a term; the prefix distinguishes it from other numbers with eight digits."""
    return f"issn:{issn.lower()}"


def jpno_code(number: str) -> str:
    """A number of the national bibliography as a term; the prefix distinguishes it from other numbers."""
    return f"jpno:{number.lower()}"


def id_of_order(value: int | str) -> int:
    """The id in a value made by `documents._sort_values`."""
    return int(value.rpartition("\0")[2]) if isinstance(value, str) else value & (1 << ID_BITS) - 1


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
