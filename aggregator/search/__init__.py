"""The search engine as a setting: one small interface, one module per engine."""

from functools import cache
from pathlib import Path

from django.conf import settings

from aggregator.search.base import SearchIndex
from aggregator.search.tantivy_index import TantivyIndex


def get_index() -> SearchIndex:
    """The index of this installation, the same object at every call."""
    return _open(Path(settings.SEARCH_DIR))


@cache
def _open(folder: Path) -> SearchIndex:
    return TantivyIndex(folder)
