"""A whole site on eight hosts, of which one after another is killed, cut off and upgraded, while it is in use.

    python3 run.py bench cluster --records 20000

Three hosts with the web server and all workers, three with OpenSearch, one with PostgreSQL and Redis, one with a
provider, on one machine: each is a network namespace with an address of its own. Needs root, `ip`, nginx, PostgreSQL,
Redis, Java and Maven, and about 8 GiB of memory. Beside a harvest, readers search and open pages and harvesters read
lists; they go to the next machine when one does not answer, as a proxy before the machines does.

Then, in turn: a host of the site is killed, another cut off, a node of OpenSearch killed, another cut off, Redis killed,
PostgreSQL killed, and all hosts of the site are upgraded one by one (--former: the folder of a checkout of the release
before, with which they begin). Printed: for each, the longest time in which no page, search or list was answered, and how
many records had been stored by its end. Goals: nothing is lost, and every such pause lasts at most 60 seconds. The full
test has --records 200000, which takes much longer.
"""

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks.cluster import services
from benchmarks.cluster.hosts import Host, hosts
from benchmarks.cluster.machines import Machine, machines
from benchmarks.cluster.readers import LIST, PAGE, SEARCH, Served, readers
from benchmarks.cluster.search_nodes import NODE, ROOT, SearchNodes, search_nodes

SITE, NODES = ("web1", "web2", "web3"), ("search1", "search2", "search3")
GOAL = 60.0  # seconds that every pause may last
AWAY = 25.0  # seconds for which a host is away
LONGEST = 3600.0  # seconds until all is harvested, matched and indexed after the last event
_COUNTS = (
    "import json; from harvesting.models import Harvest, SourceRecord; from aggregator.models import Manifestation; "
    "from aggregator.search import get_index; books = Manifestation.objects.exclude(record=b''); "
    "print(json.dumps({'records': SourceRecord.objects.filter(deleted=False).count(), "
    "'ended': Harvest.objects.filter(state='succeeded').count(), 'unmatched': SourceRecord.objects.pending().count(), "
    "'unindexed': books.filter(index_pending=True).count(), 'books': books.count(), 'indexed': get_index().count()}))"
)


@dataclass
class Cluster:
    """The parts of a running cluster, and what was measured: a line for every event."""

    machines: list[Machine]
    nodes: SearchNodes
    data: Host
    database: str
    served: Served
    lines: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def event(self, name: str, happens: Callable[[], None]) -> None:
        """Cause an event, and measure from its beginning how long nothing was answered."""
        begun = time.monotonic()
        happens()
        time.sleep(10)
        pauses = {kind: self.served.longest(kind, begun) for kind in (PAGE, SEARCH, LIST)}
        took = time.monotonic() - begun
        shown = ", ".join(f"{kind} {pause:.1f} s" for kind, pause in pauses.items())
        self.lines.append(
            f"{name}: longest pause: {shown}; back to normal after {took - 10:.0f} s; {self.stored():,} records"
        )
        print(self.lines[-1], flush=True)
        self.missed += [f"{name}: {kind}" for kind, pause in pauses.items() if pause > GOAL]

    def stored(self) -> int:
        with psycopg.connect(self.database) as connection:
            [(count,)] = connection.execute("SELECT count(*) FROM harvesting_sourcerecord")
        return int(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds of a reader between two pages")
    parser.add_argument("--former", type=Path, default=ROOT, help="folder of the release that the machines begin with")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that hosts are removed
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cluster-")))
        folder.chmod(0o711)
        names = (*SITE, *NODES, "data", "provider")
        ours, made = stack.enter_context(hosts(names, folder))
        by_name = dict(zip(names, made, strict=True))
        network = f"{ours.rpartition('.')[0]}.0/24"
        begun = time.monotonic()
        provider = services.start_provider(by_name["provider"], options.records)
        database = services.make_database(by_name["data"], network)
        queue = services.start_queue(by_name["data"])
        nodes = stack.enter_context(search_nodes([by_name[name] for name in NODES], folder / "client"))
        shared = {
            **nodes.settings,
            "DATABASE_URL": database,
            "REDIS_URL": queue,
            "HARVEST_ALLOWED_NETWORKS": network,
            "HARVEST_MIN_PAUSE": "0.2",
        }
        site = machines([by_name[name] for name in SITE], shared, options.former)
        start(site, provider)
        print(f"{len(names)} hosts started in {time.monotonic() - begun:.0f} s", flush=True)
        served = Served()
        cluster = Cluster(site, nodes, by_name["data"], database, served)
        stack.enter_context(readers([machine.url for machine in site], options.readers, served, options.pause))
        services.wait_until(lambda: counts(site[0])["records"] > 0, "the first records", 300)
        run(cluster)
        sys.exit(report(cluster, options.records))


def start(site: list[Machine], provider: str) -> None:
    for machine in site:
        machine.manage("prepare")
    site[0].manage("register", "--name", "Library", "--base-url", provider, "--prefix", "dcndl")
    for machine in site:
        machine.start()
    for machine in site:
        machine.wait()


def run(cluster: Cluster) -> None:
    one, two, _three = cluster.machines
    first, second, _third = cluster.nodes.hosts
    cluster.event("a host of the site is killed", lambda: kill_host(one))
    cluster.event("a host of the site is cut off", lambda: cut_off(two))
    cluster.event("a node of OpenSearch is killed", lambda: kill_node(cluster, first))
    cluster.event("a node of OpenSearch is cut off", lambda: cut_off_node(cluster, second))
    cluster.event("Redis is killed", lambda: kill_queue(cluster))
    cluster.event("PostgreSQL is killed", lambda: kill_database(cluster))
    cluster.event("the site is upgraded, one host after another", lambda: upgrade(cluster))


def kill_host(machine: Machine) -> None:
    machine.host.kill()
    time.sleep(AWAY)
    machine.start()
    machine.wait()


def cut_off(machine: Machine) -> None:
    machine.host.cut_off()
    time.sleep(2 * AWAY)
    machine.host.connect()
    machine.wait()


def kill_node(cluster: Cluster, host: Host) -> None:
    host.kill(NODE)
    time.sleep(AWAY)
    cluster.nodes.start(host)
    cluster.nodes.wait_until_whole()


def cut_off_node(cluster: Cluster, host: Host) -> None:
    host.cut_off()
    time.sleep(2 * AWAY)
    host.connect()
    cluster.nodes.wait_until_whole()


def kill_queue(cluster: Cluster) -> None:
    cluster.data.kill(services.QUEUE)
    time.sleep(AWAY)
    services.start_queue(cluster.data)


def kill_database(cluster: Cluster) -> None:
    cluster.data.kill(services.DATABASE)
    time.sleep(5)
    services.start_database(cluster.data)


def upgrade(cluster: Cluster) -> None:
    """Upgrade one machine after another: stop it, migrate the tables with the new program, and start that."""
    for machine in cluster.machines:
        machine.stop()
        machine.code = ROOT
        machine.manage("prepare")
        machine.start()
        machine.wait()


def counts(machine: Machine) -> dict[str, int]:
    output = machine.manage("shell", "--no-imports", "-v", "0", "-c", _COUNTS)
    return dict(json.loads(output.strip().splitlines()[-1]))


def report(cluster: Cluster, records: int) -> int:
    """Wait until everything is done and print what is lost; return the exit code."""
    found: dict[str, int] = {}

    def is_done() -> bool:
        found.update(counts(cluster.machines[0]))
        waiting = found["unmatched"] + found["unindexed"]
        return found["ended"] > 0 and not waiting and found["books"] == found["indexed"]

    seconds = services.wait_until(is_done, "all to be harvested, matched and indexed", LONGEST)
    answered = {kind: len(moments) for kind, moments in cluster.served.moments.items()}
    print(f"all done {seconds:.0f} s after the last event: {found}")
    print(f"answered: {answered}; by no machine: {dict(cluster.served.failed)}; faults: {dict(cluster.served.wrong)}")
    lost = [f"records: {found['records']} of {records}"] if found["records"] != records else []
    missed = [*lost, *cluster.missed, *cluster.served.wrong]
    print(f"missed: {missed}" if missed else f"nothing lost, every pause at most {GOAL:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    main()
