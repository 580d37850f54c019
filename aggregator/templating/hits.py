"""Filters of the results page. No request needed."""

from collections.abc import Collection, Iterable

from aggregator.catalogue.shelves import Shelf
from aggregator.libraries.numbers import library_number
from aggregator.presentation.related import online
from aggregator.results.highlight import pieces
from aggregator.templating.pages import HAN, KANA
from metadata.record import BibliographicRecord


def helpful_reading(record: BibliographicRecord, words: Collection[str]) -> str:
    """Return the reading of the title if it tells a reader something, else "": of a title in kanji alone, or if it and
    not the title has a word of the search.
    """
    reading = record.titles[0].transcription if record.titles else ""
    if not reading or (HAN.search(record.title) and not KANA.search(record.title)):
        return reading
    return reading if _has(reading, words) and not _has(record.title, words) else ""


def _has(text: str, words: Collection[str]) -> bool:
    return any(piece.found for piece in pieces("".join(text.split()), words))


def full_text(record: BibliographicRecord) -> str:
    """Return the address of a file with the whole text, "" if there is none."""
    files = online.full_texts(record)
    return files[0].uri if files else ""


def library_numbers(shelves: Iterable[Shelf]) -> str:
    """Return the numbers of the libraries on shelves, separated by spaces; those that are not known are left out."""
    return " ".join(library_number(shelf.library.pk) for shelf in shelves if shelf.library.pk)
