"""Descriptions as plain JSON objects, as `match` and `evaluate` read them, into canonical records. Pure.

All fields but `id`, `provider` and `title` may be absent. A provider's JSON is data: what has another type than it
should is an error with the line's number, never a guess.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from metadata.formats.common.dates import read_date
from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Title

_NDL_TYPES = "http://ndl.go.jp/ndltype/"
_TYPES = {"book": "Book", "serial": "Journal", "ebook": "ElectronicResource", "article": "Article"}
_OF_A_SET = re.compile(r"[(（]\s*(?:set|セット|全|全巻|組)\s*[)）]", re.IGNORECASE)


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


class FileError(Exception):
    """A line that is no description. line: its number from 1; reason: what is wrong with it."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


_decoder = msgspec.json.Decoder(Row)


def read_rows(lines: Iterable[bytes | str]) -> Iterator[Row]:
    """The rows of JSON Lines; empty lines are passed over. Raises FileError."""
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
    """The canonical record of a row; identifiers that are not valid are left out."""
    readings = [*row.creators_yomi, *[""] * len(row.creators)]
    kind = _TYPES.get(row.type)
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
        "publishers": tuple(Agent(name=each) for each in row.publisher if each),
        "issued": read_date(row.issued) if row.issued else "",
        "identifiers": tuple(_identifiers(row)),
        "extents": tuple(filter(None, [row.extent])),
        "languages": tuple(filter(None, [row.language])),
        "material_types": (MaterialType(uri=_NDL_TYPES + kind),) if kind else (),
    }
    return BibliographicRecord(**fields)


def _titles(texts: Iterable[str]) -> tuple[Title, ...]:
    return tuple(Title(value=each) for each in texts if each)


def _identifiers(row: Row) -> Iterator[Identifier]:
    sent = [("SetISBN" if _OF_A_SET.search(each) else "ISBN", each) for each in row.isbn]
    sent += [("SetISBN", each) for each in row.set_isbn]
    sent += [("ISSN", each) for each in row.issn]
    sent += [("JPNO", row.jpno)]
    for scheme, text in sent:
        value = normalise(scheme, text) if text else ""
        if value:
            yield Identifier(scheme=scheme, value=value, printed=text)
