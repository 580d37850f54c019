"""The address of a library's page. Pages, sitemaps and interfaces all take it from here.

A library is addressed by its number, as in /libraries/L12. It keeps the number for good, whereas many libraries have no
code, a code may stand for different libraries in two schemes, and people correct codes. Under a code the same page is
shown where only one library has it: see `aggregator.catalogue.found_library`.
"""

from functools import lru_cache

from django.conf import settings
from django.urls import get_script_prefix, reverse

from aggregator.libraries.numbers import library_number


def library_path(pk: int) -> str:
    """Return the path of a library's page; "" for 0, a library that is not in the table so far."""
    return f"{_start(get_script_prefix())}{library_number(pk)}" if pk else ""


def library_url(pk: int) -> str:
    """Return the permanent address of a library, for other sites; "" for 0."""
    return f"{settings.PUBLIC_URL}{library_path(pk)}" if pk else ""


@lru_cache(maxsize=8)
def _start(_script_prefix: str) -> str:
    """What the paths begin with. Cached: a list has thousands of addresses, and calling `reverse` for each would take
    longer than the rest of the list.
    """
    return reverse("libraries")
