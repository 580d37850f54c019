"""The processes of a load test and the CPU time they use: web server, provider, harvest and aggregation."""

import argparse
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from aggregator.deployment.launch import first_free, is_open, manage, module
from benchmarks.load.site import ROOT, Site

PORTS = range(8600, 8700)
PROVIDER_PORTS = range(8450, 8490)
MANY = 2_000_000  # records of the provider: more than any run reads
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Part:
    """A process with its children. Its output has a number of records on every line; `records` is their sum."""

    name: str
    process: subprocess.Popen[str]
    records: int = 0
    before: tuple[float, int] = (0.0, 0)  # CPU seconds and records when the measurement began

    def cpu(self) -> float:
        """Return the CPU seconds of the process and its living children; 0 on systems without /proc."""
        return sum(map(_cpu_of, _family(self.process.pid)))

    def listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.records += int(line)


@dataclass
class Running:
    """All processes of a load test. port: that of the web server."""

    port: int
    parts: list[Part] = field(default_factory=list)
    began: tuple[float, float] = (0.0, 0.0)  # monotonic clock, CPU seconds of this process

    def begin(self) -> None:
        """Start measuring."""
        for part in self.parts:
            part.before = (part.cpu(), part.records)
        self.began = (time.monotonic(), time.process_time())

    def report(self) -> str:
        """Format, since `begin`: processors used by every part, the machine's load average, and records per second."""
        spent = time.monotonic() - self.began[0]
        shares = {part.name: (part.cpu() - part.before[0]) / spent for part in self.parts}
        shares["load generator"] = (time.process_time() - self.began[1]) / spent
        records = {part.name: part.records - part.before[1] for part in self.parts if part.records}
        rates = [f"{name}: {count / spent:.0f} records/s" for name, count in records.items()]
        processors = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
        load = f"load average {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors"
        return "; ".join([f"processors: {processors}", load, *rates])


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the length of the test and for the harvest during it."""
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--no-harvest", dest="harvest", action="store_false", help="run without a harvest")
    parser.add_argument(
        "--pause",
        type=float,
        default=1.0,
        help="HARVEST_MIN_PAUSE of the harvest: seconds between two requests; 0: no pause",
    )


@contextmanager
def running(site: Site, options: argparse.Namespace, **settings: str) -> Iterator[Running]:
    """Run the web server on a free port and, unless the options say otherwise, a harvest.

    settings: additional environment variables.
    """
    port = first_free(PORTS)
    everything = Running(port)
    environment = {**site.environment, **settings, "HARVEST_MIN_PAUSE": str(options.pause)}
    try:
        everything.parts.append(_web(port, environment))
        if options.harvest:
            everything.parts += _harvest(environment)
        yield everything
    finally:
        for part in reversed(everything.parts):
            _end(part.process)


def _web(port: int, environment: dict[str, str]) -> Part:
    process = subprocess.Popen(
        module("aggregator.deployment.web_server", str(port)), cwd=ROOT, env=environment, text=True
    )
    while not is_open(port):
        if process.poll() is not None:
            raise SystemExit("the web server ended at once")
        time.sleep(0.1)
    return Part("web", process)


def _harvest(environment: dict[str, str]) -> Iterator[Part]:
    """Start the parts of the harvest. Yields a part at once, so that the caller can stop it if a later one fails."""
    port = first_free(PROVIDER_PORTS)
    environment = environment | {"HARVEST_ALLOWED_NETWORKS": f"127.0.0.0/8:{port}", "LOG_LEVEL": "CRITICAL"}
    serve = manage("sampleprovider", "--records", str(MANY), "--port", str(port), "--json")
    provider = Part("provider", _started(serve, environment))
    yield provider
    assert provider.process.stdout
    url = json.loads(provider.process.stdout.readline())["base_url"]
    for name, *arguments in (("harvest", url), ("aggregate",), ("index",)):
        part = Part(name, _started(module("benchmarks.load.beside_ours", name, *arguments), environment))
        threading.Thread(target=part.listen, daemon=True).start()
        yield part
    time.sleep(2)  # until all have begun to work


def _started(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE)


def _end(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _family(pid: int) -> list[int]:
    children = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += [int(number) for number in (task / "children").read_text().split()]
    return [pid, *(descendant for child in children for descendant in _family(child))]


def _cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS
