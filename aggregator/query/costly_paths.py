"""Which addresses cost a search, and how many facet conditions one has. Pure; tells by the address alone."""

import re

SEARCH = "search"
SUGGEST = "suggest"
COLLECT = "collect"  # a page of everything, for programs that take all of it
# A search that a person or a program waits for; what stands below has no address of its own under these names.
_SEARCHES = frozenset(("/search", "/api/search", "/opensearch", "/sru", "/openurl", "/feeds/search.atom"))
_VALUES = "/search/values/"  # all values of a facet: a search as well
_SUGGESTIONS = frozenset(("/suggest",))
_COLLECTIONS = frozenset(("/oai",))
_LANGUAGE = re.compile(r"\A/(?:ja|en)(?=/)")
# What people type. Everything else narrows: by clicking, or by a program that follows every link.
_TYPED = frozenset(("q", "title", "creator", "publisher", "subject", "isbn", "issn", "sort", "page", "cursor", "size"))


# Where programs take data: what others may read from their own pages, and where keys count.
_DOOR = re.compile(
    r"/(?:api/(?!docs\Z)|sru\Z|oai\Z|opensearch(?:\.xml)?\Z|feeds/|dumps/.|\.well-known/resourcesync\Z|resourcesync/"
    r"|repositories\.(?:json|csv)\Z|books/R[0-9]{9}-I[A-Za-z0-9_-]+\.)"
)


def is_door(path: str) -> bool:
    """Whether programs take data there: no page, no session."""
    return bool(_DOOR.match(without_language(path)))


def kind(path: str) -> str:
    """SEARCH, SUGGEST, COLLECT, or "" for all that is never behind a limit."""
    plain = without_language(path)
    if plain in _SEARCHES or plain.startswith(_VALUES):
        return SEARCH
    if plain in _COLLECTIONS:
        return COLLECT
    return SUGGEST if plain in _SUGGESTIONS else ""


def is_results_page(path: str) -> bool:
    """Whether it is the results page, the one whose links multiply."""
    return without_language(path) == "/search"


def without_language(path: str) -> str:
    """The address that names no language: /about of /en/about."""
    return _LANGUAGE.sub("", path)


def conditions(names_and_values: list[tuple[str, str]]) -> int:
    """How many facet conditions a query string has. The two ends of a span of years are one."""
    narrowing = [name for name, value in names_and_values if value and name not in _TYPED]
    return len(narrowing) - ({"from", "until"} <= set(narrowing))
