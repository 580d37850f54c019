"""Which accessible formats a resource has: braille, DAISY, large print, easy-to-read, e-book. Pure.

No format has one field for this. What is read is what records state about the resource itself: the material type (NDL's
types, labels), the extent, the form, the edition, the genre, the series, the qualifier of an ISBN, a designation in the
title ([シネマ・デイジー]…, …点字版) and notes that name the kind of material (資料形態 : 点字資料). Subjects and the
other words of a title say what the book is about, and long notes speak of other editions too.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from metadata.record import BibliographicRecord, Item, MaterialType
from metadata.vocabularies.dcndl import Label

BRAILLE, DAISY, LARGE_PRINT, EASY_TO_READ, EBOOK = "braille", "daisy", "large_print", "easy_to_read", "ebook"
FORMATS = {
    BRAILLE: Label("点字", "Braille"),
    DAISY: Label("DAISY", "DAISY"),
    LARGE_PRINT: Label("大活字", "Large print"),
    EASY_TO_READ: Label("LLブック", "Easy to read"),
    EBOOK: Label("電子書籍", "E-book"),
}
_WORDS = re.compile(
    rf"(?P<{BRAILLE}>点字|点訳|(?<![a-z])braille(?![a-z]))|(?P<{DAISY}>デイジー|(?<![a-z])daisy(?![a-z]))"
    rf"|(?P<{LARGE_PRINT}>大活字|拡大写本|拡大図書|拡大教科書|(?<![a-z])large[ -](?:print|type)(?![a-z]))"
    rf"|(?P<{EASY_TO_READ}>(?<![a-z])llブック|(?<![a-z])easy[ -]to[ -]read(?![a-z]))"
    rf"|(?P<{EBOOK}>電子書籍|電子ブック|(?<![a-z])(?:e-?books?|electronic books?|epub|kindle)(?![a-z]))"
)
# Quick, because it begins with a set of characters: most texts have none of them, or no word with these letters.
_BEGINS_WORD = re.compile("[点デ大拡電bdelk](?:(?<![bdelk])|[a-z-])").search
_BREAK = "\n"  # between texts that are searched as one; in none of the words
# Words in the extent of a book that make it an e-book.
_ONLINE = re.compile(r"オンライン資料|オンラインリソース|電子資料|online resource")
# Words of notes about other editions of the resource.
_ANOTHER = re.compile("あり|ある|有り|刊行|発売|原本|底本|also|available|other format")
_KIND = re.compile(r"\W*(?:資料|録音|媒体)?(?:種別|形態|種類|の種類)\s*[:：]")  # begins a note on the kind of material
_SHORT_NOTE = 24  # characters
_BEGINS = re.compile(r"\s*[\[［【〔]([^\]］】〕]{1,14})[\]］】〕]")
_FORM = r"(?:点字|大活字|拡大|(?:音声|テキスト|マルチメディア)?(?:デイジー|daisy)|電子書籍|kindle|ll)"
_ENDS = re.compile(
    rf"(?:[\s:：]({_FORM}版|大活字本|llブック)|[(（\[［【〔]({_FORM}(?:版|本|図書|ブック|データ|資料)?)[)）\]］】〕])\s*\Z",
    re.IGNORECASE,
)
_LAST_SIGNS = frozenset("版本ク)）]］】〕")  # of what `_ENDS` finds; other titles need no search
_SERIES = re.compile("大活字|拡大写本|llブック")
_TYPED = {"Braille": BRAILLE}
_NOT_BOOKS = frozenset(("Article", "Journal", "Newspaper", "Map", "MusicScore", "DoctoralDissertation"))


def accessible_formats(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the keys (see FORMATS) of the accessible formats of a resource or of one of its items, in the order of
    FORMATS.
    """
    of_items = [form for item in record.items for form in formats_of_copy(item)] if record.items else ()
    return in_order((*formats_of_resource(record), *of_items)) if of_items else formats_of_resource(record)


def formats_of_resource(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the accessible formats that a record states of the resource, whatever its items state."""
    types = _type_names(record.material_types)
    found = {_TYPED[name] for name in types & _TYPED.keys()}
    stated = _statements(record)
    # Few texts have one of the words, and one look at all of them is faster than one at each.
    if _words(_BREAK.join([*stated, *record.notes, *_titles(record)])):
        found |= _words(_BREAK.join([*stated, *filter(_speaks_of_itself, record.notes)]))
        found.update(*map(_in_title, {record.title, record.display_title}))
        for series in record.series:
            found |= _words(series.value) if _SERIES.search(_folded(series.value)) else _NONE
    if _is_online_book(record, types):
        found.add(EBOOK)
    return in_order(found)


@lru_cache(maxsize=1024)  # every catalogue uses only a handful of combinations
def _type_names(material_types: tuple[MaterialType, ...]) -> frozenset[str]:
    return frozenset(material_type.uri.rpartition("/")[2] for material_type in material_types)


def formats_of_copy(item: Item) -> tuple[str, ...]:
    """Return the accessible formats that an item states of itself, in its notes."""
    notes = [note for note in item.notes if _speaks_of_itself(note)]
    return in_order({form for note in notes for form in _words(note)}) if notes else ()


def names_format(text: str) -> bool:
    """Whether a text about the form of a resource names an accessible format."""
    return bool(_words(text))


def _statements(record: BibliographicRecord) -> list[str]:
    """The texts that state something about the resource itself; its notes may be others."""
    return [
        *[material_type.label for material_type in record.material_types],
        *[extent.partition("+")[0] for extent in record.extents],  # after "+": what comes with it
        *record.formats,
        *record.editions,
        *[genre.value for genre in record.genres],
        *[file.media_type for file in record.files],
        *[number.printed for number in record.identifiers if "(" in number.printed or "（" in number.printed],
    ]


def _titles(record: BibliographicRecord) -> list[str]:
    """The titles of the resource and of its series."""
    return [record.title, record.display_title, *[series.value for series in record.series]]


def _speaks_of_itself(note: str) -> bool:
    """Whether a note is about the resource, not about another edition of it (電子書籍版もあり)."""
    if _KIND.match(note):
        return True
    return len(note) <= _SHORT_NOTE and not _ANOTHER.search(_folded(note))


def _in_title(title: str) -> frozenset[str]:
    if not title:
        return _NONE
    ends = _ENDS.search(title) if title.rstrip()[-1:] in _LAST_SIGNS else None
    places = [place[0] for place in (_BEGINS.match(title), ends) if place]
    return _NONE.union(*map(_words, places)) if places else _NONE


def _is_online_book(record: BibliographicRecord, types: frozenset[str]) -> bool:
    """Whether this is a book that is an online or electronic resource. An electronic resource without the type "Book"
    may be anything: data, a disc.
    """
    if "Book" not in types or types & _NOT_BOOKS:
        return False
    return "ElectronicResource" in types or bool(_ONLINE.search(_folded(_BREAK.join(record.extents))))


_NONE: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    folded = _folded(text)
    if not _BEGINS_WORD(folded):
        return _NONE
    return frozenset(match.lastgroup or "" for match in _WORDS.finditer(folded))


def _folded(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()


def in_order(found: Iterable[str]) -> tuple[str, ...]:
    """Return these keys once each, in the order of FORMATS."""
    given = set(found)
    return tuple(form for form in FORMATS if form in given) if given else ()
