"""Runs the tests of a part in a copy of the repository, where what a module does while it is imported can be changed.

Importing packages takes longer than most tests. So one process imports them, and nothing of the repository, and every
run of the tests is a fork of it.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants.forks import allow, in_fork
from benchmarks.mutants.parts import ROOT

LEFT_OUT = (".git", ".venv", "var", "__pycache__")
COLLECTING = 5  # seconds of the processor, about as many as collecting the tests takes
OPTIONS = ("--quiet", "--quiet", "--no-summary", "-n0", "-p", "no:cacheprovider")


class Fresh:
    """The process that has imported packages, and its copy of the repository. It ends with this process.

    tests: of the part. failed: a file into which a run writes the name of the first test that fails.
    """

    def __init__(self, folder: Path, tests: tuple[str, ...], failed: Path) -> None:
        self.copy = folder / "tree"
        shutil.copytree(ROOT, self.copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        if (ROOT.parent / "shared").is_dir():
            (folder / "shared").symlink_to(ROOT.parent / "shared")
        ours, theirs = socket.socketpair()
        if not os.fork():
            ours.close()
            with suppress(KeyboardInterrupt):
                _serve(theirs, self.copy, tests, failed)
            os._exit(0)
        theirs.close()
        self.stream = ours.makefile("rw")

    def import_packages(self, names: list[str]) -> None:
        """Import modules that are not part of the repository. Those that need Django's settings are left out."""
        self._ask(names)

    def passes(
        self, usual: dict[str, float], order: list[str], files: Sequence[str] = (), *, only_read: bool = True
    ) -> bool:
        """Say whether tests pass in the copy.

        usual: test -> the seconds of the processor that it usually takes. order: the tests, the first one is run first.
        files: that have these tests, if they are not all files of the part; others are not collected. only_read: no
        compiled modules are written, since those of a mutant would be taken for the original's.
        """
        return self._ask({"usual": usual, "order": order, "files": list(files), "only_read": only_read}) == 0

    @contextmanager
    def changed(self, path: str, source: str) -> Iterator[None]:
        """Change a file of the copy as long as this context lasts."""
        target = self.copy / path
        before, status = target.read_bytes(), target.stat()
        target.write_text(source)
        try:
            yield
        finally:
            target.write_bytes(before)
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _ask(self, question: object) -> int:
        self.stream.write(json.dumps(question) + "\n")
        self.stream.flush()
        return int(self.stream.readline())


class InOrder:
    """A plugin of pytest: runs chosen tests in an order, each within its limit of time, and writes down which fails first."""

    def __init__(self, usual: dict[str, float], order: list[str], failed: Path) -> None:
        self.usual, self.failed = usual, failed
        self.rank = {name: number for number, name in enumerate(order)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self.rank]
        items[:] = sorted(chosen, key=lambda item: self.rank[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        allow(self.usual.get(item.nodeid, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed.exists():
            self.failed.write_text(report.nodeid)


def _serve(stream: socket.socket, copy: Path, tests: tuple[str, ...], failed: Path) -> None:
    """Answer each question with a number: 0 if the tests pass."""
    with stream.makefile("rw") as lines:
        for line in lines:
            lines.write(f"{_answer(json.loads(line), copy, tests, failed)}\n")
            lines.flush()


def _answer(question: Any, copy: Path, tests: tuple[str, ...], failed: Path) -> int:
    if isinstance(question, list):
        return _import(question)
    plugin = InOrder(question["usual"], question["order"], failed)
    files = question["files"] or tests
    return in_fork(lambda: _run(copy, files, plugin, question["only_read"]), sum(question["usual"].values()))


def _import(names: list[str]) -> int:
    for name in names:
        with suppress(Exception):
            import_module(name)
    return 0


def _run(copy: Path, tests: Sequence[str], plugin: InOrder, only_read: bool) -> int:
    os.chdir(copy)
    sys.dont_write_bytecode = only_read
    sys.path[:] = [str(copy), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    os.environ["TMPDIR"] = tempfile.tempdir = str(copy.parent)
    allow(COLLECTING)
    return int(pytest.main([*OPTIONS, "-x", f"--basetemp={copy.parent}/fresh", *tests], plugins=[plugin]))
