"""Descriptions as flat JSON objects (input of `match` and `evaluate`), and their conversion to canonical records.

All fields but `id` and `title` may be absent. The input is foreign data: a value of a wrong type is an error with the
number of its line; nothing is guessed.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Title
from metadata.text.dates import read_date

_NDL_TYPES, _DCMI_TYPES = "http://ndl.go.jp/ndltype/", "http://purl.org/dc/dcmitype/"
_TYPES = {
    "book": MaterialType(uri=_NDL_TYPES + "Book"),
    "serial": MaterialType(uri=_NDL_TYPES + "Journal"),
    "ebook": MaterialType(uri=_NDL_TYPES + "ElectronicResource"),
    "article": MaterialType(uri=_NDL_TYPES + "Article"),
    "recorded": MaterialType(uri=_NDL_TYPES + "Book", label="記録メディア"),  # as NDL: a book on a recording medium
    "sound": MaterialType(uri=_DCMI_TYPES + "Sound"),
    "video": MaterialType(uri=_DCMI_TYPES + "MovingImage"),
    "music": MaterialType(uri=_NDL_TYPES + "MusicScore"),
    "thesis": MaterialType(uri=_NDL_TYPES + "DoctoralDissertation"),
    "image": MaterialType(uri=_DCMI_TYPES + "StillImage"),
}
_OF_A_SET = re.compile(r"[(（]\s*(?:set|セット|全|全巻|組)\s*[)）]", re.IGNORECASE)

_OF_A_FEED = re.compile(r"[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} ").match  # RFC 822: not the book's date


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file: flat texts and lists of texts, as a provider has them."""

    id: str
    provider: str = ""
    type: str = ""
    title: str
    title_yomi: str = ""
    alternatives: tuple[str, ...] = ()
    volume: str = ""
    volume_title: str = ""
    edition: str = ""
    series: str = ""
    creators: tuple[str, ...] = ()
    creators_yomi: tuple[str, ...] = ()
    responsibility: str = ""
    publisher: tuple[str, ...] = ()
    issued: str = ""
    isbn: tuple[str, ...] = ()
    set_isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    jpno: str = ""
    extent: str = ""
    language: str = ""
    notes: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


class FileError(Exception):
    """A line that is not a description. line: its number from 1; reason: what is wrong with it."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


_decoder = msgspec.json.Decoder(Row)


def read_rows(lines: Iterable[bytes | str]) -> Iterator[Row]:
    """The rows of a JSON Lines file; empty lines are skipped. Raises FileError."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _decoder.decode(line)
        except msgspec.DecodeError as error:
            raise FileError(number, str(error)) from error
        except UnicodeDecodeError as error:
            raise FileError(number, "not UTF-8") from error


def record_of(row: Row) -> BibliographicRecord:
    """The canonical record of a row; invalid identifiers are left out."""
    readings = [*row.creators_yomi, *[""] * len(row.creators)]
    fields: dict[str, Any] = {
        "titles": (Title(value=row.title, transcription=row.title_yomi),),
        "alternatives": _titles(row.alternatives),
        "volumes": _titles([row.volume]),
        "volume_titles": _titles([row.volume_title]),
        "series": _titles([row.series]),
        "editions": tuple(filter(None, [row.edition])),
        "creators": tuple(
            Agent(name=name, transcription=reading)
            for name, reading in zip(row.creators, readings, strict=False)
            if name
        ),
        "responsibility": tuple(filter(None, [row.responsibility])),
        "publishers": tuple(Agent(name=publisher) for publisher in row.publisher if publisher),
        "issued": read_date(row.issued) if row.issued and not _OF_A_FEED(row.issued) else "",
        "identifiers": tuple(_identifiers(row)),
        "extents": tuple(filter(None, [row.extent])),
        "languages": tuple(filter(None, [row.language])),
        "material_types": (_TYPES[row.type],) if row.type in _TYPES else (),
        "notes": tuple(filter(None, row.notes)),
        "see_also": tuple(filter(None, row.urls)),
    }
    return BibliographicRecord(**fields)


def _titles(texts: Iterable[str]) -> tuple[Title, ...]:
    return tuple(Title(value=text) for text in texts if text)


def _identifiers(row: Row) -> Iterator[Identifier]:
    numbers = [("SetISBN" if _OF_A_SET.search(isbn) else "ISBN", isbn) for isbn in row.isbn]
    numbers += [("SetISBN", isbn) for isbn in row.set_isbn]
    numbers += [("ISSN", issn) for issn in row.issn]
    numbers += [("JPNO", row.jpno)]
    for scheme, text in numbers:
        value = normalise(scheme, text) if text else ""
        if value:
            yield Identifier(scheme=scheme, value=value, printed=text)
