"""What only the embedded engine has: folders, locks, killed writers, versions."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.search import get_index
from aggregator.search.analysis.fields import SCHEMA_VERSION
from aggregator.search.base import Document, IndexUnavailable, Query
from aggregator.search.tantivy import facets, hits
from aggregator.search.tantivy.engine import TantivyIndex
from benchmarks.bibliography import Bibliography
from tests.paths import ROOT

WRITE_FOREVER = """
import sys
from pathlib import Path
from aggregator.search.base import Document
from aggregator.search.tantivy.engine import TantivyIndex
from aggregator.search.analysis.fields import SCHEMA_VERSION
index, first = TantivyIndex(Path(sys.argv[1])), 1
while True:
    index.update(Document(id=number, titles=("猫",)) for number in range(first, first + 10))
    first += 10
    print(first, flush=True)
"""
HOLD_THE_LOCK = """
import sys, time
from pathlib import Path
from aggregator.search.base import Document
from aggregator.search.tantivy.engine import TantivyIndex
from aggregator.search.analysis.fields import SCHEMA_VERSION
def slowly():
    yield Document(id=7, titles=("猫",))
    print("writing", flush=True)
    time.sleep(float(sys.argv[2]))
TantivyIndex(Path(sys.argv[1])).update(slowly())
"""


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_a_killed_writer_leaves_complete_batches_and_no_lock(tmp_path: Path) -> None:
    with start(WRITE_FOREVER, tmp_path) as writer:
        for _ in range(5):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
    index = TantivyIndex(tmp_path, lock_wait=1)
    count = index.search(Query(q="猫")).total
    assert count >= 40
    assert count % 10 == 0
    index.update([Document(id=10**6, titles=("犬",))])
    assert index.count() == count + 1


def test_a_writer_waits_for_a_writer_in_another_process(tmp_path: Path) -> None:
    with start(HOLD_THE_LOCK, tmp_path, 0.5) as other:
        other.stdout.readline()
        index = TantivyIndex(tmp_path)
        index.update([Document(id=1)])
        assert index.count() == 2


def test_a_writer_that_waits_too_long_fails_and_reading_continues(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path, lock_wait=0.1)
    with start(HOLD_THE_LOCK, tmp_path, 60) as other:
        other.stdout.readline()
        with pytest.raises(IndexUnavailable) as refusal:
            index.update([Document(id=1)])
        assert index.count() == 0
        other.kill()
    assert refusal.value.code == "locked"


@pytest.mark.parametrize(
    "query", [Query(), Query(q="ノ"), Query(q="日本"), Query(q="library"), Query(q="鬱")], ids=repr
)
def test_facets_are_the_same_in_whichever_way_they_are_counted(tmp_path: Path, monkeypatch, query: Query) -> None:
    several = {"types": ("Book", "Map"), "languages": ("jpn", "eng"), "ndcs": ("910", "330.1"), "licences": ("CC0",)}
    books = [*Bibliography().documents(120), Document(id=200, titles=("日本の library",), **several)]
    found = []
    for few, very_many in ((hits.FEW, facets.VERY_MANY), (0, facets.VERY_MANY), (0, 0)):
        index = TantivyIndex(tmp_path / f"{few} {very_many}")  # counts are cached for an index
        index.update(books)
        monkeypatch.setattr(hits, "FEW", few)
        monkeypatch.setattr(facets, "VERY_MANY", very_many)
        found.append(index.search(replace(query, page_size=3)))
    assert found[0] == found[1] == found[2]


def test_one_rebuild_at_a_time(tmp_path: Path) -> None:
    with TantivyIndex(tmp_path).build_beside() as build:
        build.update([Document(id=1)])
        with pytest.raises(IndexUnavailable) as refusal, TantivyIndex(tmp_path).build_beside():
            pass
    assert refusal.value.code == "rebuilding"
    assert TantivyIndex(tmp_path).count() == 1


def test_old_generations_and_killed_builds_are_removed(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    index.update([Document(id=1)])
    (tmp_path / "building").mkdir()
    (tmp_path / "building" / "meta.json").write_text("{")
    index.clear()
    index.clear()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["current", f"v{SCHEMA_VERSION}-3"]


def test_an_index_of_another_version_is_reported_and_can_be_rebuilt(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    index.update([Document(id=1)])
    (tmp_path / f"v{SCHEMA_VERSION}-1").rename(tmp_path / "v0-1")
    (tmp_path / "current").write_text("v0-1")
    assert not index.is_current()
    for use in (lambda: index.search(Query()), lambda: index.update([]), index.count):
        with pytest.raises(IndexUnavailable, match="outdated"):
            use()
    with index.build_beside() as build:
        build.update([Document(id=1), Document(id=2)])
    assert index.is_current()
    assert index.count() == 2


@pytest.mark.parametrize("harm", ["meta.json", "current", "all files"])
def test_a_damaged_index_is_reported_and_can_be_cleared(tmp_path: Path, harm: str) -> None:
    TantivyIndex(tmp_path).update([Document(id=1, titles=("猫",))])
    if harm == "current":
        (tmp_path / "current").write_bytes(b"\xff\x00")
    else:
        for path in (tmp_path / f"v{SCHEMA_VERSION}-1").glob("meta.json" if harm == "meta.json" else "*"):
            path.write_bytes(b"")
    index = TantivyIndex(tmp_path)
    assert not index.is_current()
    with pytest.raises(IndexUnavailable, match="damaged"):
        index.search(Query())
    index.clear()
    assert index.count() == 0


def test_the_configured_index_is_opened_once(settings, tmp_path: Path) -> None:
    settings.SEARCH_DIR = tmp_path / "one"
    first = get_index()
    assert get_index() is first
    settings.SEARCH_DIR = tmp_path / "other"
    assert get_index() is not first
