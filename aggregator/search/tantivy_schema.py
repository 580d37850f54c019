"""How a Document lies in Tantivy: the fields, and a document's values for them. Knows no query and no folder."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, repeat
from math import log2

import tantivy

from aggregator.search.base import Document
from aggregator.search.segment import segment_fields
from aggregator.search.suggest_entries import terms as suggest_terms
from aggregator.search.titles import beginning, proper_key, sound_key, sounds
from aggregator.search.words import code
from metadata.text import fold_tight

# Raise it with every change of what is below, of `segment` or of `metadata.text`: the index must then be rebuilt.
SCHEMA_VERSION = 6

# Terms with positions, and where single characters are looked for. "any1" has those of all three: a character beside
# other words is one term there instead of three alternatives, which Tantivy cannot skip through.
TEXT_FIELDS = {"title": "title1", "creator": "creator1", "rest": "any1"}
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
DIGITS = {"ndc": 1, "ndc2": 2, "ndc3": 3}
ONLINE = "1"
# Terms as in `suggest_entries`, and the characters they begin with.
SUGGEST, SUGGEST_FIRST = "suggest", "suggest1"
# Orders by text, and the number that the text of a document begins with.
START_OF = {"by_title": "title_start", "by_creator": "creator_start"}
NO_YEAR = 9999  # where a document without year stands among the oldest: last
YEARS = range(1, NO_YEAR)
_ID_BITS = 40
_MOST_HELD = 1 << 20
_SORTED_BY = 30  # characters of a title that decide on its place
_LAST = "\U0010ffff"


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for terms, characters in (TEXT_FIELDS | PART_FIELDS).items():
        builder.add_text_field(terms, tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(characters, tokenizer_name="characters", index_option="basic")
    builder.add_unsigned_field("exact", indexed=True)
    for field in ("code", "start", SUGGEST, SUGGEST_FIRST, "classes", *SOUND_FIELDS.values()):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    for facet, columns in FACET_COLUMNS.items():
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
        for column in (*columns, more_column(facet)):
            builder.add_text_field(column, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_text_field("many", tokenizer_name="raw", index_option="basic")
    for facet in WORDED:
        builder.add_text_field(value_field(facet), tokenizer_name="raw", index_option="basic")
        builder.add_text_field(printed_column(facet), tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_integer_field("year", fast=True)
    builder.add_float_field("holdings", fast=True)
    builder.add_unsigned_field("newest", fast=True)
    builder.add_unsigned_field("oldest", fast=True)
    builder.add_unsigned_field("most_held", fast=True)
    for order, start in START_OF.items():
        builder.add_text_field(order, tokenizer_name="raw", index_option="basic", fast=True)
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
    return index


def tantivy_document(document: Document) -> tantivy.Document:
    titles, creators, publishers, subjects, texts = segment_fields(
        document.titles, document.creators, document.publishers, document.subjects, document.texts
    )
    rest = (publishers, subjects, texts)
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
        "rest": " ".join(each.terms for each in rest if each.terms),
        "any1": "".join(each.characters for each in (titles, creators, *rest)),
        "exact": [*map(exact, {*titles.keys, *_title_keys(document)})],
        "start": list({start for key in titles.keys if (start := beginning(key))}),
        "title_sound": list({*sounds(document.titles)}),
        "creator_sound": list({*sounds(document.creators)}),
        "code": _codes(document),
        "classes": list(document.ndcs),
        "year": document.year if document.year in YEARS else 0,
        "holdings": _weight(document.holdings, document.year),
    }
    values[SUGGEST] = suggested = suggest_terms(document.suggestions)
    values[SUGGEST_FIRST] = list({term[0] for term in suggested})
    values |= _orders(document)
    for facet, facet_values in _facets(document):
        values |= _worded_values(facet, facet_values) if facet in WORDED else _facet_values(facet, facet_values)
    if many := [facet for facet in FACET_COLUMNS if values[more_column(facet)]]:
        values["many"] = many
    return tantivy.Document.from_dict(values, SCHEMA)


def exact(key: str) -> int:
    """A whole title as a number, which costs half of what a text costs as a term."""
    return int.from_bytes(blake2b(key.encode("utf-8", "ignore"), digest_size=8).digest())


def id_of_order(value: int | str) -> int:
    """The id in a value of one of `_orders`."""
    return int(value.rpartition("\0")[2]) if isinstance(value, str) else value & (1 << _ID_BITS) - 1


def _title_keys(document: Document) -> Iterator[str]:
    """What a whole title may be typed as besides as it is."""
    for title in document.titles:
        yield proper_key(title)
        if sounding := sound_key(title):
            yield sounding


def value_key(value: str) -> str:
    """What is the same in all ways to write a name or a subject: "夏目, 漱石", "夏目漱石"."""
    return fold_tight(value) or value


def _orders(document: Document) -> Mapping[str, object]:
    """One value a document for each way to put hits in order; the id in it, so no two are equal."""
    dated = document.year if document.year in YEARS else 0
    texts = {
        "by_title": _alphabetical(document.sort_title, document.id),
        "by_creator": _alphabetical(document.sort_creator, document.id),
    }
    return {
        "newest": dated << _ID_BITS | document.id,
        "oldest": (dated or NO_YEAR) << _ID_BITS | document.id,
        "most_held": min(max(document.holdings, 0), _MOST_HELD) << _ID_BITS | document.id,
        **texts,
        **{START_OF[order]: start_key(text) for order, text in texts.items()},
    }


def _alphabetical(text: str, number: int) -> str:
    """The folded text, what has none last, and the number in as many digits as any."""
    return f"{fold_tight(text)[:_SORTED_BY] or _LAST}\0{number:013d}"


def start_key(text: str) -> int:
    """The first eight characters as a number that is never less for a later text."""
    return int.from_bytes(bytes(map(_rank, text[:8])).ljust(8, b"\0"))


def _rank(char: str) -> int:
    """A byte for a character, in their order. Digits, Latin letters and kana have one each; 512 kanji share one."""
    code = ord(char)
    if code <= ord("z"):
        return code >> 1 if code < ord("0") else code - 0x18
    if code <= ord("ヺ"):
        return 0x63 if code < ord("ァ") else 0x64 + code - ord("ァ")
    return 0xBD if code < 0x3100 else min(0xBE + (code - 0x3100 >> 9), 0xFF)


def _facets(document: Document) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "repository", document.repositories
    yield "type", document.types
    yield "language", document.languages
    for facet, digits in DIGITS.items():
        yield facet, tuple(dict.fromkeys(each[:digits] for each in document.ndcs if len(each) >= digits))
    yield "subject", document.headings
    yield "creator", document.names
    yield "publisher", document.houses
    yield "online", (ONLINE,) if document.online else ()


@lru_cache(maxsize=1024)  # few combinations are all there are
def _facet_values(facet: str, values: tuple[str, ...]) -> Mapping[str, object]:
    columns = FACET_COLUMNS[facet]
    firsts = zip(columns, chain(values, repeat("")), strict=False)
    return {value_field(facet): list(values), more_column(facet): list(values[len(columns) :]), **dict(firsts)}


def _worded_values(facet: str, values: tuple[str, ...]) -> Mapping[str, object]:
    """Of values that differ in writing only, the first; found by their keys, counted as printed."""
    keyed: dict[str, str] = {}
    for value in values:
        keyed.setdefault(value_key(value), value)
    return {value_field(facet): list(keyed), printed_column(facet): list(keyed.values())}


def _codes(document: Document) -> list[str]:
    found = list(document.isbns)
    found += [issn_code(each) for each in document.issns]
    found += filter(None, map(code, document.identifiers))
    if document.year in YEARS:
        found.append(year_code(document.year))
    return found


def year_code(year: int) -> str:
    return f"year:{year}"


def issn_code(issn: str) -> str:
    """An ISSN where numbers of other kinds have eight digits too."""
    return f"issn:{issn.lower()}"


@lru_cache(maxsize=4096)
def _weight(holdings: int, year: int) -> float:
    """Tantivy multiplies a score by log2(2 + weight): 1 for one holding of an unknown year, a twentieth more with each
    doubling, and so little more for a later year that it decides among equals only.
    """
    factor = 1 + 0.05 * log2(max(holdings, 1)) + (2e-5 * (year - 1000) if 1000 < year < 2100 else 0)
    return float(2**factor - 2)
