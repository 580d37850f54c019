"""The engines that must all give the same answers, and how each is opened. A new engine needs one line here."""

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aggregator.search.base import SearchIndex
from aggregator.search.opensearch.engine import OpenSearchIndex
from aggregator.search.tantivy.engine import TantivyIndex
from tests.aggregator.search.reference_index import ReferenceIndex

ENGINES: dict[str, Callable[[Path], SearchIndex]] = {"tantivy": TantivyIndex, "reference": ReferenceIndex}
# The server of OpenSearch for tests, which the environment names; every test has indexes of its own there.
SERVER = os.environ.get("SEARCH_TEST_URL", "")
SOON = "10ms"  # how soon a write becomes visible


ON_SERVER = [pytest.param("opensearch", marks=pytest.mark.opensearch)] if SERVER else []


@pytest.fixture(params=[*ENGINES, *ON_SERVER])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], SearchIndex]]:
    """Open the same index again at every call, as another process would."""
    if request.param in ENGINES:
        yield lambda: ENGINES[request.param](tmp_path / "engine")
        return
    url = f"{SERVER}/test-{secrets.token_hex(6)}"
    yield lambda: OpenSearchIndex(url, refresh=SOON)
    OpenSearchIndex(url).remove()


@pytest.fixture
def index(connect: Callable[[], SearchIndex]) -> SearchIndex:
    return connect()
