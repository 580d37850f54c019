"""The addresses of the pages by which readers browse."""

from functools import lru_cache
from urllib.parse import quote

from django.urls import get_script_prefix, reverse

from aggregator.browse.kinds import CREATOR, LONGEST, PATHS, printable
from aggregator.search.names import without_dates


def heading_path(label: str, kind: str = CREATOR) -> str:
    """Return the path of a heading's page: /browse/authors/… ; "" for a label that is too long to be a heading.

    The label may contain years of life, as in headings of libraries.
    """
    name = printable(without_dates(label) if kind == CREATOR else label)
    if not name or len(name) > LONGEST:
        return ""
    return f"{_start(get_script_prefix())}{PATHS[kind]}/{quote(name, safe='')}"


def person_path(identifier: str) -> str:
    """Return the path of the page of a person or body, by an identifier in the form of `metadata.authorities`."""
    return f"{_people(get_script_prefix())}{identifier.replace(' ', '/', 1)}"


@lru_cache(maxsize=8)
def _people(_script_prefix: str) -> str:
    return f"{reverse('browse').removesuffix('browse/')}people/"


@lru_cache(maxsize=8)
def _start(_script_prefix: str) -> str:
    """The common beginning of the paths of a kind. Cached, because a page has hundreds of them."""
    return reverse("browse")
