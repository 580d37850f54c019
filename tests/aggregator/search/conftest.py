"""The engines that must all answer alike. Knows how each is started; a new engine is one line here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from aggregator.search.base import SearchIndex
from aggregator.search.tantivy.engine import TantivyIndex
from tests.aggregator.search.reference_index import ReferenceIndex

ENGINES: dict[str, Callable[[Path], SearchIndex]] = {"tantivy": TantivyIndex, "reference": ReferenceIndex}


@pytest.fixture(params=ENGINES)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], SearchIndex]:
    """Opens the same index again at every call, as another process would."""
    return lambda: ENGINES[request.param](tmp_path / "engine")


@pytest.fixture
def index(connect: Callable[[], SearchIndex]) -> SearchIndex:
    return connect()
