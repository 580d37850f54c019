"""The fields of a document, and the terms of values that are looked up as a whole. Independent of the engine."""

from hashlib import blake2b

from metadata.text.folding import fold_tight
from metadata.text.memory import remember

# Increase this with every change of what is below, of `segment` or of `metadata.text.folding`: the index must then be
# rebuilt.
SCHEMA_VERSION = 20

# Fields of terms with positions, and the fields where single characters are searched. "any1" holds the characters of
# all three fields, so that a single character in a search is one term instead of three alternatives: Tantivy skips
# quickly through the documents of one term, but not through those of alternatives.
ANY_CHARACTER = "any1"
TEXT_FIELDS = {"title": "title1", "creator": "creator1", "rest": ANY_CHARACTER}
# Parts of "rest" that can be searched alone.
PART_FIELDS = {name: f"{name}1" for name in ("publisher", "subject", "journal", "digitizer", "description")}
# Facets whose values are printed words: different spellings are one value (`value_key`). They have so many values
# that one column for all values of a document is cheaper than several.
WORDED = ("subject", "creator", "publisher", "funder", "degree", "identity")
# Where the libraries are that hold a book, and which they are: columns with several values, counted only when a reader
# opens these facets. Their terms: all regions; the numbers, names and codes of libraries.
PLACED = ("region", "municipality", "library")
# Whole values, found by the key of a worded facet, that no facet counts.
HEADED = ("place", "series")
# Where the sounds of readings are searched.
SOUND_FIELDS = {"title": "title_sound", "creator": "creator_sound"}
# The only term of a searched field without terms, and one that no query has. So every document has every such field:
# some engines count only those when they weigh terms.
NO_TERM = "_"
DIGITS = {"ndc": 1, "ndc2": 2, "ndc3": 3}
HOLDS = "1"  # the value of a flag
PREFECTURE = 2  # digits of a prefecture's code, with which the codes of its municipalities begin
SUGGEST = "suggest"  # the terms of suggestions (see `suggest.entries`)
YEARS = range(1, 9999)
_EMPTY = blake2b(digest_size=8)


def printed_column(facet: str) -> str:
    """The field with the printed values of a facet in WORDED or PLACED."""
    return f"{facet}_printed"


def value_field(facet: str) -> str:
    """The field where the values of a facet are searched."""
    return f"{facet}_is"


def exact_term(key: str) -> int:
    """A whole title as a number, which as a term costs half as much as a text."""
    digest = _EMPTY.copy()  # copying costs half of creating a new one
    digest.update(key.encode("utf-8", "ignore"))
    return int.from_bytes(digest.digest())


@remember(65_536)  # many documents share the same names and subjects
def value_key(value: str) -> str:
    """One key for all spellings of a name or a subject: "夏目, 漱石", "夏目漱石"."""
    return fold_tight(value) or value


def year_code(year: int) -> str:
    return f"year:{year}"


# Conditions whose values are terms among the codes: programs ask for them, and nothing counts them.
MARKED = ("mediatype", "collection", "level")


def marked_code(name: str, value: str) -> str:
    """A value of a condition in MARKED as a term; the prefix distinguishes it from numbers."""
    return f"{name}:{value}"


def issn_code(issn: str) -> str:
    """An ISSN as a term; the prefix distinguishes it from other numbers with eight digits."""
    return f"issn:{issn.lower()}"


def jpno_code(number: str) -> str:
    """A number of the national bibliography as a term; the prefix distinguishes it from other numbers."""
    return f"jpno:{number.lower()}"
