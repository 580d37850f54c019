"""Writes field 008 of MARC 21: 40 positions of codes, as far as the record says something about them.

What a record does not say is "|" (no attempt to code). The date on which the description was made is not in the record.
"""

from collections.abc import Iterator
from functools import lru_cache

from metadata.audiences import is_for_children
from metadata.formats.marc.codes import COUNTRY_CODES, MARC_LARGE_PRINT, is_newspaper
from metadata.record import MEETING, BibliographicRecord

_UNKNOWN, _BLANK = "|", " "
_UNKNOWN_DAY = _UNKNOWN * 6
_NO_LANGUAGE = "und"
_OTHER_SOURCE = "d"  # 39: catalogued neither by a national bibliographic agency nor in a cooperative programme
_BOOKS, _SERIALS, _MAPS, _MUSIC, _VISUAL, _FILES = "books", "serials", "maps", "music", "visual", "files"
_KINDS = dict.fromkeys("ef", _MAPS) | dict.fromkeys("cdij", _MUSIC) | dict.fromkeys("gkor", _VISUAL) | {"m": _FILES}
# Positions that MARC 21 does not define for a kind of material: they are blank.
_UNDEFINED = {
    _BOOKS: (32,),
    _SERIALS: (20, *range(30, 33)),
    _MAPS: (24, 27, 30, 32),
    _MUSIC: (32, 34),
    _VISUAL: (21, *range(23, 28), *range(30, 33)),
    _FILES: (*range(18, 22), 24, 25, 27, *range(29, 35)),
}
_FORM_AT = {_MAPS: 29, _VISUAL: 29}  # 23 for all others
_AUDIENCE = frozenset({_BOOKS, _MUSIC, _VISUAL, _FILES})  # kinds with the audience at 22
_FREQUENCIES = {
    "d": ("日刊", "daily"),
    "w": ("週刊", "weekly"),
    "e": ("隔週刊", "biweekly"),
    "s": ("半月刊", "semimonthly"),
    "j": ("旬刊",),
    "m": ("月刊", "monthly"),
    "b": ("隔月刊", "bimonthly"),
    "q": ("季刊", "quarterly"),
    "f": ("半年刊", "年2回刊", "semiannual"),
    "a": ("年刊", "annual", "yearly"),
    "g": ("隔年刊", "biennial"),
}
_CODES = {word: code for code, words in _FREQUENCIES.items() for word in words}


def fixed_field(record: BibliographicRecord, codes: str) -> str:
    """Return the 40 positions of 008. codes: leader 06 and 07 of the record."""
    kind = _kind(codes)
    country = COUNTRY_CODES.get(next(iter(record.publication_places), ""), "xx")
    language = next(filter(is_language_code, record.languages), _NO_LANGUAGE)
    material = _of_material(kind, tuple(_said(record, kind)))
    return f"{_UNKNOWN_DAY}{_dates(record, kind)}{country:3}{material}{language} {_OTHER_SOURCE}"


def is_language_code(text: str) -> bool:
    """Whether the text has the form of a language code of MARC."""
    return len(text) == 3 and text.isascii() and text.islower() and text.isalpha()


def _dates(record: BibliographicRecord, kind: str) -> str:
    """Return type of date and two dates, nine positions: a detailed date, first and last year, one year, or none."""
    year, month, day = record.issued[:4], record.issued[5:7], record.issued[8:10]
    last = next((date.value for date in record.other_dates if date.type == "issued"), "")
    if not year.isdigit() or not year.isascii():
        return f"n{'u' * 8}"
    if len(last) == 4 and last.isdigit() and last.isascii():
        return f"{'d' if kind == _SERIALS else 'm'}{year}{last}"
    if month:
        return f"e{year}{month:2}{day:2}"
    return f"u{year}uuuu" if kind == _SERIALS else f"s{year}{'':4}"


@lru_cache(maxsize=256)
def _kind(codes: str) -> str:
    """Return the kind of material that decides what the positions 18 to 34 mean. codes: leader 06 and 07."""
    kind, level = codes[0], codes[1]
    if kind in "at":
        return _SERIALS if level in "bis" else _BOOKS
    return _KINDS.get(kind, "")


@lru_cache(maxsize=1024)  # most records say the same
def _of_material(kind: str, said: tuple[tuple[int, str], ...]) -> str:
    """Return the positions 18 to 34. said: positions and codes, as in `_said`."""
    known = dict.fromkeys((*_UNDEFINED.get(kind, ()), *_known_blank(kind)), _BLANK) | dict(said)
    return "".join(known.get(position, _UNKNOWN) for position in range(18, 35))


def _known_blank(kind: str) -> tuple[int, ...]:
    return (18, 19, *range(24, 35)) if kind == "" else ()  # mixed materials have only the form of item, at 23


def _said(record: BibliographicRecord, kind: str) -> list[tuple[int, str]]:
    """Return positions with the codes for what the record says of its material."""
    said = [(_FORM_AT.get(kind, 23), _form(record))]
    if kind == _SERIALS:
        said += _of_serial(record)
    if kind == _BOOKS:
        said += _of_book(record)
    if kind in _AUDIENCE:
        said.append((22, "j" if record.audiences and is_for_children(record) else _UNKNOWN))
    return said


def _form(record: BibliographicRecord) -> str:
    """Return the form of the item: large print or online, "|" if unknown."""
    if MARC_LARGE_PRINT in record.formats:
        return "d"
    return "o" if record.files and any(file.uri for file in record.files) else _UNKNOWN


def _of_book(record: BibliographicRecord) -> Iterator[tuple[int, str]]:
    """Yield what is known of a book: a thesis (24), the publication of a conference (29)."""
    if record.conferences or MEETING in [agent.kind for agent in (*record.creators, *record.contributors)]:
        yield 29, "1"
    if record.dissertation_numbers or record.degree_names or record.degree_grantors:
        yield 24, "m"
        yield from dict.fromkeys((25, 26, 27), _BLANK).items()


def _of_serial(record: BibliographicRecord) -> Iterator[tuple[int, str]]:
    """Yield what is known of a serial: frequency (18), and whether it is a newspaper (21)."""
    words = (text.strip().lower() for text in record.periodicities)
    yield 18, next((_CODES[word] for word in words if word in _CODES), _UNKNOWN)
    if is_newspaper(record):
        yield 21, "n"
