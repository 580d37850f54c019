"""Chooses the search engine by the settings. `base` defines the interface; every engine is a package."""

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from aggregator.search.base import SearchIndex
from aggregator.search.opensearch.engine import OpenSearchIndex
from aggregator.search.tantivy.engine import TantivyIndex

# Scheme of SEARCH_URL -> engine, which gets the URL. "": SEARCH_URL is not set, and the engine gets SEARCH_DIR.
ENGINES: dict[str, Callable[[str], SearchIndex]] = {
    "": TantivyIndex,
    "http": OpenSearchIndex,
    "https": OpenSearchIndex,
}


def get_index() -> SearchIndex:
    """Return the index of this installation, the same object at every call."""
    scheme = urlsplit(settings.SEARCH_URL).scheme
    if scheme not in ENGINES or (settings.SEARCH_URL and not scheme):
        raise ImproperlyConfigured("SEARCH_URL names a search engine that this version cannot use: unset it.")
    return _open(scheme, settings.SEARCH_URL or str(settings.SEARCH_DIR))


@lru_cache(maxsize=8)
def _open(scheme: str, place: str) -> SearchIndex:
    return ENGINES[scheme](place)
