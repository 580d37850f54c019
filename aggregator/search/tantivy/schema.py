"""How documents lie in Tantivy: the fields, and the terms of what is looked up whole. Knows no query and no folder."""

from functools import lru_cache
from hashlib import blake2b

import tantivy

from metadata.text.folding import fold_tight

# Raise it with every change of what is below, of `segment` or of `metadata.text.folding`: the index must then be
# rebuilt.
SCHEMA_VERSION = 10

# Terms with positions, and where single characters are looked for. "any1" has those of all three: a character beside
# other words is one term there instead of three alternatives, which Tantivy cannot skip through.
ANY_CHARACTER = "any1"
TEXT_FIELDS = {"title": "title1", "creator": "creator1", "rest": ANY_CHARACTER}
# Parts of "rest" that can be asked for alone.
PART_FIELDS = {"publisher": "publisher1", "subject": "subject1"}
# Counting the values of a column is ten times faster where every document has exactly one. So the first values of a
# facet stand in columns of their own, "" where there is none; the few documents with more are marked and counted apart.
FACET_COLUMNS = {
    "repository": ("repository_first", "repository_second", "repository_third"),
    "type": ("type_first",),
    "language": ("language_first",),
    "ndc": ("ndc_first",),  # the class; "ndc2", "ndc3": its first two and three digits
    "ndc2": ("ndc2_first",),
    "ndc3": ("ndc3_first",),
    "online": ("online_first",),
}
# Facets whose values are words as printed: what is written a little differently is one value (`value_key`). They are
# so many that one column for all values of a document is cheaper than several.
WORDED = ("subject", "creator", "publisher")
# Where the sounds of readings are looked for.
SOUND_FIELDS = {"title": "title_sound", "creator": "creator_sound"}
# Columns that hits are counted or put in order by and that nothing is looked up in: they need no terms. Tantivy has
# no switch for that, but a tokenizer for terms and another, of the same name, for columns.
_COLUMN = "column"
DIGITS = {"ndc": 1, "ndc2": 2, "ndc3": 3}
ONLINE = "1"
# Terms as in `suggest_entries`, and the characters they begin with that ANY_CHARACTER of the document has not.
SUGGEST, SUGGEST_FIRST = "suggest", "suggest1"
# Orders by text, and the number that the text of a document begins with.
START_OF = {"by_title": "title_start", "by_creator": "creator_start"}
NO_YEAR = 9999  # where a document without year stands among the oldest: last
YEARS = range(1, NO_YEAR)
ID_BITS = 40
_EMPTY = blake2b(digest_size=8)
_FIRST_CHANGE = 1_577_836_800  # 2020: before there were any


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
    for facet, columns in FACET_COLUMNS.items():
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
        for column in (*columns, more_column(facet)):
            builder.add_text_field(column, tokenizer_name=_COLUMN, index_option="basic", fast=True)
    builder.add_text_field("many", tokenizer_name="raw", index_option="basic")
    for facet in WORDED:
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
        builder.add_text_field(printed_column(facet), tokenizer_name=_COLUMN, index_option="basic", fast=True)
    builder.add_integer_field("year", fast=True)
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


def more_column(facet: str) -> str:
    """The column with what has no place in FACET_COLUMNS; "many" names the facets that need it."""
    return f"{facet}_more"


def printed_column(facet: str) -> str:
    """The column with the values of one of WORDED as they are printed."""
    return f"{facet}_printed"


def value_field(facet: str) -> str:
    """Where the values of a facet are looked for."""
    return f"{facet}_is"


SCHEMA = build_schema()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """Tantivy keeps tokenizers by name only; each opened index must be told them."""
    single = tantivy.Tokenizer.ngram(min_gram=1, max_gram=1)
    index.register_tokenizer("characters", tantivy.TextAnalyzerBuilder(single).build())
    whole = tantivy.Tokenizer.raw()
    index.register_fast_field_tokenizer(_COLUMN, tantivy.TextAnalyzerBuilder(whole).build())
    # No term is shorter than nothing. A pattern that finds none does the same for a tenth of Tantivy's time.
    nothing = tantivy.TextAnalyzerBuilder(whole).filter(tantivy.Filter.remove_long(0))
    index.register_tokenizer(_COLUMN, nothing.build())
    return index


def exact(key: str) -> int:
    """A whole title as a number, which costs half of what a text costs as a term."""
    digest = _EMPTY.copy()  # half the cost of making one anew
    digest.update(key.encode("utf-8", "ignore"))
    return int.from_bytes(digest.digest())


@lru_cache(maxsize=65_536)  # the same names and subjects stand in many documents
def value_key(value: str) -> str:
    """What is the same in all ways to write a name or a subject: "夏目, 漱石", "夏目漱石"."""
    return fold_tight(value) or value


def change_place(changed: int, number: int) -> int:
    """Where a document stands among the latest changes: by steps of four minutes, which leaves room for its number."""
    return max(changed - _FIRST_CHANGE, 0) // 240 << ID_BITS | number


def year_code(year: int) -> str:
    return f"year:{year}"


def issn_code(issn: str) -> str:
    """An ISSN where numbers of other kinds have eight digits too."""
    return f"issn:{issn.lower()}"


def id_of_order(value: int | str) -> int:
    """The id in a value of one of `_orders`."""
    return int(value.rpartition("\0")[2]) if isinstance(value, str) else value & (1 << ID_BITS) - 1


def start_key(text: str) -> int:
    """The first eight characters as a number that is never less for a later text."""
    return int.from_bytes(bytes(map(_rank, text[:8])).ljust(8, b"\0"))


@lru_cache(maxsize=8192)
def _rank(char: str) -> int:
    """A byte for a character, in their order. Digits, Latin letters and kana have one each; 512 kanji share one."""
    code = ord(char)
    if code <= ord("z"):
        return code >> 1 if code < ord("0") else code - 0x18
    if code <= ord("ヺ"):
        return 0x63 if code < ord("ァ") else 0x64 + code - ord("ァ")
    return 0xBD if code < 0x3100 else min(0xBE + (code - 0x3100 >> 9), 0xFF)
