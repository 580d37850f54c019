"""Three nodes of OpenSearch lose one: nothing that is found is wrong, nothing that was written is lost.

    python3 run.py test -m cluster -s tests/cluster

Every node is on a host of its own (a network namespace), so this needs root, `ip`, nginx, Java and Maven. Not in CI.
"""

import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aggregator.search.base import Document
from aggregator.search.opensearch.engine import OpenSearchIndex
from benchmarks.cluster.hosts import Host, are_possible, hosts
from benchmarks.cluster.search_nodes import NODE, SearchNodes, search_nodes
from tests.cluster.beside import Beside, beside, pause

DISK = 400  # megabytes of every node
RECOVERED = 60.0  # seconds after which all must go on
PROGRAMS = ("ip", "java", "mvn", "nginx")
pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("cluster")]


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchNodes]:
    missing = [name for name in PROGRAMS if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")]
    if missing or not are_possible():
        pytest.skip(f"needs root and {', '.join(missing or PROGRAMS)}")
    folder = tmp_path_factory.mktemp("cluster")
    with (
        hosts(("one", "two", "three"), folder, disk=DISK) as (_ours, machines),
        search_nodes(machines, folder / "client") as made,
    ):
        yield made


@pytest.fixture
def index(nodes: SearchNodes, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenSearchIndex]:
    for name, value in nodes.settings.items():
        monkeypatch.setenv(name, value)
    made = OpenSearchIndex(f"{nodes.settings['SEARCH_URL']}-{secrets.token_hex(4)}")
    made.update([Document(id=1)])
    nodes.wait_until_whole()
    yield made
    nodes.wait_until_whole()
    made.remove()


def holder(nodes: SearchNodes, index: OpenSearchIndex, primary: bool = True) -> Host:
    """The host that holds the first copy of the index, or the second one."""
    name = index.facts().generation
    shards = nodes.ask(nodes.hosts[0], f"/_cluster/state/routing_table,nodes/{name}")
    copies = shards["routing_table"]["indices"][name]["shards"]["0"]
    node = next(copy["node"] for copy in copies if copy["primary"] is primary and copy["state"] == "STARTED")
    return next(host for host in nodes.hosts if host.folder.name == shards["nodes"][node]["name"])


def check(running: Beside, index: OpenSearchIndex, what: str, since: float) -> None:
    """Print what was measured and assert what must hold."""
    searching, writing = pause(running.searches, since), pause(running.writes, since)
    lost = running.lost()
    print(
        f"\n{what}: {len(running.searches)} searches, longest pause {searching:.1f} s; {len(running.writes)} writes,"
        f" longest pause {writing:.1f} s; wrong {len(running.wrong)}, lost {len(lost)}; {dict(running.refused)}"
    )
    assert running.wrong == []
    assert lost == []
    assert searching <= RECOVERED
    assert writing <= RECOVERED
    assert len(running.written) > 100


def test_a_new_index_is_searched_when_it_has_a_second_copy(nodes: SearchNodes, index: OpenSearchIndex) -> None:
    with index.build_beside() as build:
        for first in range(1, 20_001, 1000):
            build.update([Document(id=number, titles=(f"book n{number}",)) for number in range(first, first + 1000)])
    assert holder(nodes, index, primary=False) != holder(nodes, index)
    host = holder(nodes, index)
    host.kill(NODE)
    assert index.count() == 20_000
    nodes.start(host)


def test_the_first_copy_is_killed(nodes: SearchNodes, index: OpenSearchIndex) -> None:
    with beside(index) as running:
        since = time.monotonic()
        host = holder(nodes, index)
        host.kill(NODE)
        time.sleep(20)
        nodes.start(host)
        nodes.wait_until_whole()
    check(running, index, "killed", since)


@pytest.mark.parametrize("primary", [True, False], ids=["first", "second"])
def test_a_copy_is_cut_off_and_comes_back(nodes: SearchNodes, index: OpenSearchIndex, primary: bool) -> None:
    with beside(index) as running:
        since = time.monotonic()
        host = holder(nodes, index, primary)
        host.cut_off()
        time.sleep(60)
        host.connect()
        nodes.wait_until_whole()
    check(running, index, f"cut off ({'first' if primary else 'second'} copy)", since)


def test_a_disk_is_nearly_full(nodes: SearchNodes, index: OpenSearchIndex) -> None:
    """OpenSearch takes no writes any more, which is told; searches go on. With space again, writes go on."""
    with beside(index) as running:
        host = holder(nodes, index)
        fill = host.disk / "fill"
        fill_up(fill, share=0.97)
        begun = time.monotonic()
        while "write read_only" not in running.refused and time.monotonic() - begun < RECOVERED:
            time.sleep(0.5)
        assert running.refused["write read_only"]
        fill.unlink()
        since = time.monotonic()
        time.sleep(RECOVERED / 2)
    check(running, index, "disk nearly full", since)


def test_a_disk_is_full(nodes: SearchNodes, index: OpenSearchIndex) -> None:
    """The copy on the full disk is lost; the other one goes on."""
    with beside(index) as running:
        since = time.monotonic()
        host = holder(nodes, index)
        fill = host.disk / "fill"
        fill_up(fill, share=1.0)
        time.sleep(15)
        fill.unlink()
        if host.processes[NODE].poll() is not None:
            nodes.start(host)
        nodes.wait_until_whole()
    check(running, index, "disk full", since)


def fill_up(path: Path, share: float) -> None:
    """Write a file until this share of its disk is used."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                usage = shutil.disk_usage(path.parent)
                if usage.used >= share * usage.total and share < 1:
                    return
                file.write(bytes(1 << 20 if share < 1 or usage.free > 1 << 20 else 1 << 12))
        except OSError:
            return
