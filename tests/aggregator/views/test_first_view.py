"""What a browser loads for a first view, without covers and images: the page, styles and scripts, as they are sent."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from msgspec.structs import replace
from whitenoise.compress import Compressor

from metadata.record import Agent, Subject, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

MOST = 60_000  # bytes
_FILES = re.compile(r'<(?:link rel="(?:stylesheet|icon)"[^>]* href|script[^>]* src)="/static/([^"]+)"')


def record(number: int):
    return replace(
        KOKORO,
        titles=(Title(value=f"こころの本 第{number}集 : 図書館員が薦める百冊", transcription="ココロ ノ ホン"),),
        creators=(Agent(name=f"著者, {number}, 19{10 + number}-"), Agent(name="夏目, 漱石, 1867-1916")),
        subjects=(Subject(scheme="NDC10", value=f"91{number % 9}.6"), Subject(scheme="NDLSH", value=f"件名{number}")),
        issued=str(1930 + number * 3),
    )


@pytest.fixture
def paths(shelf, library) -> dict[str, str]:
    """The pages on which readers arrive; the results have twenty books."""
    sources = [shelf.record(library, record(number)) for number in range(25)]
    for number, source in enumerate(sources):
        shelf.book(source, record=record(number))
    return {"home": "/", "results": "/search?q=こころ", "book": f"/books/{book_id(sources[0])}"}


def sent(name: str) -> int:
    """Return the size of a static file as WhiteNoise stores it for browsers that read gzip."""
    content = Path(finders.find(name)).read_bytes()
    return min(len(content), len(Compressor.compress_gzip(content)))


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("kind", ["home", "results", "book"])
def test_a_first_view_is_small(client, paths, kind, language):
    page = client.get(paths[kind], headers={"accept-encoding": "gzip, br", "accept-language": language})
    assert page["Content-Encoding"] == "gzip"
    files = set(_FILES.findall(gzip.decompress(page.content).decode()))
    assert len(files) > 3
    assert len(page.content) + sum(map(sent, files)) <= MOST
