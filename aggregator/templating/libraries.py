"""Filters of the pages of libraries: their addresses and numbers. No request needed."""

from urllib.parse import quote

from django.utils.translation import get_language

from aggregator.libraries import addresses
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.libraries.regions import Place
from aggregator.models import Library


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
