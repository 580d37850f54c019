"""Classifies addresses by what a request to them costs, and counts facet conditions. Looks at the address alone."""

import re

from aggregator.search.base import TEXTS
from core.languages import without_prefix

SEARCH = "search"
SUGGEST = "suggest"
AVAILABILITY = "availability"  # cheap for this site, but it may send requests to the systems of libraries
LIVE = "live"  # cheap for this site, but it may send requests to other catalogues
THUMBNAIL = "thumbnail"  # looks up one number; a page of another site may show many at once
COLLECT = "collect"  # a page of a full list, for programs that fetch all records
_NDL_FACE = frozenset(f"/api/{name}" for name in ("opensearch", "sru", "oaipmh", "openurl", "opensearch_description"))
# Searches that a person or a program waits for. Compared as whole paths: /search/… is no search.
_SEARCHES = frozenset(
    (
        *("/search", "/api/search", "/opensearch", "/sru", "/openurl", "/feeds/search.atom"),
        *("/api/opensearch", "/api/sru", "/api/openurl"),
    )
)
_VALUES = "/search/values/"  # beginning of the addresses that list all values of a facet; each costs a search
# Pages of one heading, or of new books: each costs a search. Lists of headings are read from a table.
_BROWSED = re.compile(r"/browse/(?:new\Z|(?!ndc/)[a-z]+/.)")
_LIVE_PAGE = "/search/live"
_LIVE = frozenset((_LIVE_PAGE, "/api/live"))
_SUGGESTIONS = frozenset(("/suggest",))
_THUMBNAILS = "/thumbnail/"
_COLLECTIONS = frozenset(("/oai", "/api/oaipmh"))
_AVAILABILITY = re.compile(r"/books/M[0-9]+/availability(?:\.json)?\Z")
# Parameters that people type. All others are facet conditions: set by a click, or by a program that follows every link.
_TYPED = frozenset((*TEXTS, "sort", "page", "cursor", "size"))


# The data interfaces: scripts of other sites may read them (CORS), and API keys count there.
_DATA_INTERFACE = re.compile(
    r"/(?:api/(?!docs\Z|push/)|sru\Z|oai\Z|opensearch(?:\.xml)?\Z|feeds/|dumps/.|\.well-known/resourcesync\Z|resourcesync/"
    r"|repositories\.(?:json|csv)\Z|libraries(?:/.+)?\.json\Z|books/(?:R[0-9]{9}-I[A-Za-z0-9_-]+|M[0-9]+)\.)"
)


def is_data_interface(path: str) -> bool:
    """Return whether the address is a data interface for programs: no page, no session."""
    return bool(_DATA_INTERFACE.match(without_language(path)))


def is_ndl_face(path: str) -> bool:
    """Return whether the address belongs to the face of NDL Search, whose errors have NDL's form."""
    return without_language(path) in _NDL_FACE


def kind(path: str) -> str:
    """Return SEARCH, SUGGEST, COLLECT, AVAILABILITY, LIVE, THUMBNAIL, or "" for an address that has no limit."""
    plain = without_language(path)
    if plain in _SEARCHES or plain.startswith(_VALUES) or _BROWSED.match(plain):
        return SEARCH
    if plain in _LIVE:
        return LIVE
    if plain in _COLLECTIONS:
        return COLLECT
    if plain in _SUGGESTIONS:
        return SUGGEST
    if plain.startswith(_THUMBNAILS):
        return THUMBNAIL
    return AVAILABILITY if _AVAILABILITY.match(plain) else ""


def is_results_page(path: str) -> bool:
    """Return whether the address is the results page, whose facet links multiply endlessly."""
    return without_language(path) == "/search"


def is_live_page(path: str) -> bool:
    """Return whether the address is the live search page, which searches other catalogues."""
    return without_language(path) == _LIVE_PAGE


def without_language(path: str) -> str:
    """Return the address without its language prefix: /about for /en/about."""
    return without_prefix(path)[1]


def condition_count(names_and_values: list[tuple[str, str]]) -> int:
    """Return the number of facet conditions of a query string. The two ends of a range of years count as one."""
    narrowing = [name for name, value in names_and_values if value and name not in _TYPED]
    return len(narrowing) - ({"from", "until"} <= set(narrowing))
