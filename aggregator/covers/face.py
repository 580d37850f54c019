"""What a drawn cover says about a book. Pure."""

import re
from dataclasses import dataclass
from enum import StrEnum

from aggregator.covers.lines import is_vertical
from aggregator.search.materials import types_of
from metadata.citations.names import names
from metadata.record import BibliographicRecord

LONGEST_TITLE, LONGEST_NAME, LONGEST_VOLUME = 72, 28, 10  # characters
LAST_BOUND_BY_HAND = (
    1880  # year until which books usually were bound by hand: with thread in East Asia, else in leather
)
ANY_CLASS = ""  # of a record without a number of the Nippon Decimal Classification


class Design(StrEnum):
    """How a cover is drawn: by the kind of material."""

    BOOK = "book"
    STITCHED = "stitched"  # 和装本
    LEATHER = "leather"  # European book of the time before cloth was usual
    SERIAL = "serial"
    PAPER = "paper"  # article, report
    THESIS = "thesis"
    MAP = "map"
    SCORE = "score"
    SOUND = "sound"
    FILM = "film"
    PICTURE = "picture"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Face:
    """A cover before it is drawn. division: first digit of the class number in the Nippon Decimal Classification."""

    title: str
    author: str = ""
    volume: str = ""
    division: str = ANY_CLASS
    design: Design = Design.BOOK


def face_of(record: BibliographicRecord) -> Face:
    """Return what the cover of this record says."""
    return Face(
        title=_shortened(_main_title(record), LONGEST_TITLE),
        author=_shortened(_author(record), LONGEST_NAME),
        volume=_shortened(_one_line(record.volume), LONGEST_VOLUME),
        division=division_of(record),
        design=_design(record),
    )


def _main_title(record: BibliographicRecord) -> str:
    """The title without what follows the ISBD mark of other title information, and without a mark of omission."""
    title = re.sub(r"\s+[.…]+$", "", _one_line(record.title or record.display_title))
    return re.split(r"\s+[:=/]\s+|\s+[:/=] ?", title, maxsplit=1)[0] or title


def _author(record: BibliographicRecord) -> str:
    first = next(iter(names(record)), None)
    return _one_line(first.natural) if first else ""


def division_of(record: BibliographicRecord) -> str:
    """Return the first digit of the record's number in the Nippon Decimal Classification, ANY_CLASS without one."""
    for subject in record.subjects:
        if subject.scheme.startswith("NDC") and re.match("[0-9]", subject.value):
            return subject.value[0]
    return ANY_CLASS


def _design(record: BibliographicRecord) -> Design:
    types = types_of(record)
    by_type = next((_BY_TYPE[name] for name in types if name in _BY_TYPE), None)
    if by_type is None and types == ("ElectronicResource",):
        by_type = Design.DATA
    if by_type in (None, Design.BOOK):
        return _design_of_time(record)
    return by_type


def _design_of_time(record: BibliographicRecord) -> Design:
    if not (record.year.isdecimal() and 0 < int(record.year) <= LAST_BOUND_BY_HAND):
        return Design.BOOK
    return Design.STITCHED if is_vertical(_main_title(record)) else Design.LEATHER


_BY_TYPE = {
    "DoctoralDissertation": Design.THESIS,
    "Article": Design.PAPER,
    "ConferenceProceeding": Design.PAPER,
    "TechnicalReport": Design.PAPER,
    "Journal": Design.SERIAL,
    "Newspaper": Design.SERIAL,
    "Map": Design.MAP,
    "MusicScore": Design.SCORE,
    "Sound": Design.SOUND,
    "SoundDisc": Design.SOUND,
    "Music": Design.SOUND,
    "MovingImage": Design.FILM,
    "DVD": Design.FILM,
    "StillImage": Design.PICTURE,
    "Photograph": Design.PICTURE,
    "Painting": Design.PICTURE,
    "PicturePostcard": Design.PICTURE,
    "JapaneseClassicalBook": Design.STITCHED,
    "ChineseClassicalBook": Design.STITCHED,
    "Book": Design.BOOK,
}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
