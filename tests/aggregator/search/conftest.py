"""The engines that must all give the same answers, and how each is opened. A new engine needs one line here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from aggregator.search.base import SearchIndex
from aggregator.search.tantivy.engine import TantivyIndex
from tests.aggregator.search.reference_index import ReferenceIndex

ENGINES: dict[str, Callable[[Path], SearchIndex]] = {"tantivy": TantivyIndex, "reference": ReferenceIndex}


@pytest.fixture(params=ENGINES)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], SearchIndex]:
    """Open the same index again at every call, as another process would."""
    return lambda: ENGINES[request.param](tmp_path / "engine")


@pytest.fixture
def index(connect: Callable[[], SearchIndex]) -> SearchIndex:
    return connect()
