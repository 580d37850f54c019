"""Filters of the pages of the catalogue: of hits, and addresses and numbers of libraries. No request needed."""

from collections.abc import Collection, Iterable
from urllib.parse import quote

from django.utils.translation import get_language

from aggregator.catalogue.shelves import Shelf
from aggregator.libraries import addresses
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.libraries.regions import Place
from aggregator.models import Library
from aggregator.presentation.related import online
from aggregator.results.highlight import pieces
from aggregator.templating.pages import HAN, KANA
from metadata.record import BibliographicRecord


def library_path(pk: int) -> str:
    """Return the path of a library's page; "" for a library that is not in the table so far."""
    return addresses.library_path(pk)


def number_path(number: str) -> str:
    """Return the path of a library's page, by the number of the library."""
    return addresses.library_path(library_pk(number))


def number_of(pk: int) -> str:
    """Return the number of a library."""
    return library_number(pk)


def place_name(place: Place) -> str:
    """Return the name of a prefecture or municipality in the language of the page."""
    return place.name(get_language() or "")


def map_address(library: Library) -> str:
    """Return the address of a map of another site that shows the library, "" without coordinates.

    Our pages only link to it: they request nothing from there.
    """
    if library.latitude is None or library.longitude is None:
        return ""
    place = f"{library.latitude:.5f}/{library.longitude:.5f}"
    return f"https://www.openstreetmap.org/?mlat={place.replace('/', '&mlon=')}#map=17/{place}"


def telephone_address(number: str) -> str:
    """Return the address that dials a telephone number."""
    return f"tel:{quote(''.join(sign for sign in number if sign.isascii() and (sign.isdecimal() or sign == '+')))}"


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
