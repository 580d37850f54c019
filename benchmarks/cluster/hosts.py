"""Hosts with addresses of their own on one machine: network namespaces on a bridge. Needs root and `ip` (iproute2).

A host that is cut off keeps its processes and its connections, but nothing arrives any more, as if its cable were pulled.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_FREE = range(1, 250)  # third number of the addresses of a network


def are_possible() -> bool:
    """Whether this process may make hosts."""
    return os.geteuid() == 0 and shutil.which("ip") is not None and _may("ip", "netns", "list")


@dataclass(slots=True)
class Host:
    """address: of IPv4. folder: of its files. disk: the folder that may be full. processes: those started, by name."""

    namespace: str
    cable: str
    address: str
    folder: Path
    disk: Path
    processes: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Start a program on this host; its output goes to NAME.log on its disk."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                ["ip", "netns", "exec", self.namespace, *command],
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )

    def run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
        """Run a program on this host to its end and return its output. Raises RuntimeError if it fails."""
        inside = ["ip", "netns", "exec", self.namespace, *command]
        done = subprocess.run(inside, check=False, capture_output=True, text=True, env=environment, timeout=900)
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stderr[-3000:]}")
        return done.stdout

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def cut_off(self) -> None:
        _ip("link", "set", self.cable, "down")

    def connect(self) -> None:
        _ip("link", "set", self.cable, "up")

    def kill(self, *names: str) -> None:
        """Kill programs on this host at once, with their process groups; without names, every process of the host, also
        those in groups of their own, such as the jobs of workers.
        """
        for name in names or tuple(self.processes):
            process = self.processes.pop(name)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pid in () if names else _ip("netns", "pids", self.namespace).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def stop(self, *names: str, seconds: float = 60) -> None:
        """End programs on this host as an operator would."""
        for name in names:
            self.processes[name].terminate()
        for name in names:
            with suppress(subprocess.TimeoutExpired):
                self.processes[name].wait(seconds)
        self.kill(*names)


@contextmanager
def hosts(names: Sequence[str], folder: Path, disk: int = 0) -> Iterator[tuple[str, list[Host]]]:
    """Make a network with these hosts, each with a folder of its own; yield our address in it, and them.

    disk: megabytes of the disk of each host, which is in memory then.
    """
    number = next(free for free in _FREE if not _may("ip", "link", "show", f"agg{free}"))
    bridge, ours = f"agg{number}", f"10.213.{number}.1"
    made: list[Host] = []
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("addr", "add", f"{ours}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for place, name in enumerate(names, 11):
            own = folder / name
            (own / "disk").mkdir(parents=True)
            address = f"10.213.{number}.{place}"
            made.append(Host(f"{bridge}-{name}", f"{bridge}-{place}", address, own, own / "disk"))
            if disk:
                _do("mount", "-t", "tmpfs", "-o", f"size={disk}m", "none", str(made[-1].disk))
            _plug_in(made[-1], bridge)
        yield ours, made
    finally:
        for host in made:
            host.kill()
            _may("ip", "link", "del", host.cable)  # a namespace disappears later, when its last process has ended
            _may("ip", "netns", "del", host.namespace)
            if disk:
                _may("umount", str(host.disk))
        _may("ip", "link", "del", bridge)


def _plug_in(host: Host, bridge: str) -> None:
    _ip("netns", "add", host.namespace)
    _ip("link", "add", host.cable, "type", "veth", "peer", "name", "eth0", "netns", host.namespace)
    _ip("link", "set", host.cable, "master", bridge)
    _ip("link", "set", host.cable, "up")
    _ip("-n", host.namespace, "addr", "add", f"{host.address}/24", "dev", "eth0")
    _ip("-n", host.namespace, "link", "set", "eth0", "up")
    _ip("-n", host.namespace, "link", "set", "lo", "up")


def _ip(*arguments: str) -> str:
    return _do("ip", *arguments)


def _do(*command: str) -> str:
    """Run a command and return its output. Raises RuntimeError if it fails."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def _may(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
