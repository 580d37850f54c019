"""Kind and carrier of a record, from several signs: type, extent, notes, ISBN, URL. Works on texts, not on weights.

A type alone says little: catalogues take over the type of a printed book for its e-book, and NDL gives braille and
tapes as 図書. The carrier is sure where another sign agrees with the type, or where a sign admits no other reading
(hours and minutes are those of a recording).
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from metadata.record import BibliographicRecord

# By the last part of the type's URI (NDL guideline 2.1.2 (6)). First the kind, then the carrier; the first match
# wins.
_KINDS = {
    "Journal": "serial",
    "Newspaper": "serial",
    "Article": "article",
    "Map": "map",
    "MusicScore": "score",
    "StillImage": "image",
    "Photograph": "image",
    "Painting": "image",
    "PicturePostcard": "image",
    "MuseumMaterial": "object",
    "Book": "book",
}
_CARRIERS = {
    "ElectronicResource": "digital",
    "Sound": "sound",
    "SoundDisc": "sound",
    "Music": "sound",
    "MovingImage": "video",
    "DVD": "video",
    "MicroForm": "micro",
    "Braille": "braille",
    "MaterialsForVisuallyHandicappedPeople": "braille",
}


class Carrier(NamedTuple):
    """kind, carrier: "" where unknown. sure: no more than one reading of the signs is possible."""

    kind: str = ""
    carrier: str = ""
    sure: bool = False


@lru_cache(maxsize=256)  # every catalogue uses only a handful of combinations
def kind_and_carrier(uris: tuple[str, ...]) -> tuple[str, str]:
    """Kind and carrier by the material types, such as ("book", "paper"); "" where they do not say."""
    names = {uri.rpartition("/")[2] for uri in uris}
    kind = next((kind for name, kind in _KINDS.items() if name in names), "")
    carrier = next((carrier for name, carrier in _CARRIERS.items() if name in names), "")
    return kind, carrier or ("paper" if kind == "book" else "")


def find_carrier(record: BibliographicRecord, title: str) -> Carrier:
    """The carrier by all signs of a record. title: the main title as printed, which may begin with a designation of the
    material, such as [DVD].
    """
    uris = tuple([material_type.uri for material_type in record.material_types])
    kind, typed = kind_and_carrier(uris)
    recorded = _RECORDED in [material_type.label for material_type in record.material_types]
    signs = {typed} - _BY_TYPE_ALONE
    for text in record.extents:
        signs |= _signs_of_extent(text)
    signs |= _signs_elsewhere(record, title)
    if "rolls" in signs:
        signs.discard("rolls")
        if not signs and not recorded and not any(map(_CLASSICAL, uris)):
            signs.add("braille" if kind == "book" else "transcript")
    if recorded:  # a recording, whatever the type says
        found = signs & _RECORDINGS
        return Carrier(kind, found.pop() if len(found) == 1 else "media", True)
    if not typed and not signs and any(map(_THESIS, uris)):
        return Carrier(kind, "paper", False)  # theses are deposited on paper
    return Carrier(kind, *_weigh(typed, signs))


_RECORDED = "記録メディア"  # of NDL: 図書 on 記録メディア is not paper
_BY_TYPE_ALONE = frozenset(("", "paper"))
_RECORDINGS = frozenset(("sound", "video", "digital"))
_THESIS = re.compile("DoctoralDissertation").search
_CLASSICAL = re.compile("ClassicalBook").search  # there 巻 counts the chapters of a printed work


def _weigh(typed: str, signs: set[str]) -> tuple[str, bool]:
    """(carrier, sure) from the carrier of the type and those of all signs."""
    special = signs - {"paper", "time"}
    if len(special) == 1:
        (carrier,) = special
        # A height counts as a sign of paper, but discs and braille have one too. That of a microform or a scan may be
        # the height of the original.
        return carrier, carrier not in ("digital", "micro") or "paper" not in signs
    if special:
        return (typed if typed in special else ""), False
    if "time" in signs:
        return "media", True
    return (typed or ("paper" if signs else "")), bool(signs)


_EXTENT_SIGNS = re.compile(
    r"(?P<time>[0-9]\s*(?:時間|分(?!冊)|hr?s?\b|hours?|min(?:\.|utes?|\b)))|(?P<micro>マイクロ(?!カセット)|microf)"
    r"|(?P<digital>cd-rom|dvd-rom|オンライン|online|電子|pdf|epub)"
    r"|(?P<video>dvd|ブルーレイ|blu-?ray|(?:vhs|ビデオ)[\s・]*(?:カセット|cd\b)?|videodis|videocas)|(?P<braille>点字|braille)"
    r"|(?P<sound>\bcd\b|cd\s*[0-9]*枚|録音|カセット|レコード|デイジー|daisy|sound dis|\blp\b)"
    r"|(?P<rolls>^\W*[0-9]+\s*巻(?!頭|末))|(?P<paper>[0-9]\s*(?:cm|mm)|\b[ab][456]\b)"
)
_PAGES = re.compile(r"[0-9]\s*p\b|頁|ページ").search
_PLAIN_EXTENT = re.compile(r"\s*[0-9]+\s*(?:p|頁|ページ|pages|p\.|冊|v\.)\s*\Z").match
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def _signs_of_extent(text: str) -> frozenset[str]:
    """The carriers that an extent speaks of. What follows "+" accompanies the resource and is not it."""
    if _PLAIN_EXTENT(text):
        return _NOTHING
    plain = unicodedata.normalize("NFKC", text).partition("+")[0].lower()
    found = {match.lastgroup or "" for match in _EXTENT_SIGNS.finditer(plain)}
    if _PAGES(plain):  # 322p, CD 1枚: the disc accompanies the book; 3巻 (250p) is printed
        return frozenset(found - {"sound", "video", "time", "rolls"})
    return frozenset(found)  # 冊 counts books; 巻 without pages the tapes or braille volumes of a transcription


_DESIGNATIONS = (
    ("デイジー", "sound"),
    ("daisy", "sound"),
    ("録音", "sound"),
    ("点字", "braille"),
    ("braille", "braille"),
    ("電子", "digital"),
    ("ebook", "digital"),
    ("e-book", "digital"),
    ("electronic", "digital"),
    ("online", "digital"),
    ("kindle", "digital"),
    ("epub", "digital"),
    ("pdf", "digital"),
    ("dvd", "video"),
    ("blu-ray", "video"),
    ("pbk", "paper"),
    ("paperback", "paper"),
    ("hardcover", "paper"),
    ("hbk", "paper"),
    ("alk. paper", "paper"),
    ("単行本", "paper"),
)
_SHORT_NOTE = 24  # characters: a longer note speaks of other things too (電子書籍版もある)
_OPENING = tuple("[［【〔")


def _signs_elsewhere(record: BibliographicRecord, title: str) -> set[str]:
    """The carriers that notes, formats, qualifiers of ISBNs, URLs and a designation before the title speak of."""
    texts = [note for note in (*record.notes, *record.formats) if len(note) <= _SHORT_NOTE]
    texts += [number.printed for number in record.identifiers if "(" in number.printed or "（" in number.printed]
    if title.startswith(_OPENING):
        texts.append(title[:_DESIGNATION_LENGTH])
    signs = {carrier for text in texts for carrier in _designated(text)} if texts else set()
    if links_to_file(record):
        signs.add("digital")
    return signs


def links_to_file(record: BibliographicRecord) -> bool:
    """Whether a link of the record leads to a PDF or EPUB file."""
    return any(map(_IS_FILE, (*record.see_also, *[file.uri for file in record.files])))


_DESIGNATION_LENGTH = 12
_IS_FILE = re.compile(r"\.(?:pdf|epub)(?:\?|\Z)", re.IGNORECASE).search


@lru_cache(maxsize=4096)
def _designated(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", text).lower()
    return frozenset([carrier for word, carrier in _DESIGNATIONS if word in plain])


class Size(NamedTuple):
    """What an extent counts and measures; 0 where it does not. pieces: tapes, discs, volumes of a transcription.
    minutes: of a recording. height: in centimetres.
    """

    pieces: int = 0
    minutes: int = 0
    height: int = 0


_PIECES = re.compile(r"([0-9]{1,3})\s*[巻枚本]")
_HOURS = re.compile(r"([0-9]{1,3})\s*(?:時間|hours?|hr?s?\b)")
_MINUTES = re.compile(r"([0-9]{1,4})\s*(?:分(?!冊)|min)")
_HEIGHT = re.compile(r"([0-9]{1,2})(?:\.[0-9]+)?\s*(?:[x×]\s*[0-9.]+\s*)?cm")


@lru_cache(maxsize=4096)
def read_size(text: str) -> Size:
    """The size that an extent states: "7巻 (10時間30分)" has 7 pieces and 630 minutes, "314p ; 16cm" a height of 16."""
    if _PLAIN_EXTENT(text):
        return Size()
    plain = unicodedata.normalize("NFKC", text).lower().partition("+")[0]
    pieces, hours, minutes, height = (
        int(match[1]) if (match := pattern.search(plain)) else 0 for pattern in (_PIECES, _HOURS, _MINUTES, _HEIGHT)
    )
    return Size(0 if _PAGES(plain) else pieces, hours * 60 + minutes, height)
