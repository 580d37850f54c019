"""Runs all tests of a part once, and records which functions of its files each of them enters."""

import gc
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import pytest

from benchmarks.mutants.parts import ROOT

OURS = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}  # packages
TOOL = 4  # of sys.monitoring: neither a debugger's nor coverage's
type Function = tuple[str, int]  # its path and first line


class Recorded(NamedTuple):
    """A test: the seconds of the processor that it takes, and the functions that it or one of its fixtures enters."""

    seconds: float
    entered: frozenset[Function]

    @classmethod
    def of(cls, seconds: float, entered: list[tuple[str, int]]) -> "Recorded":
        return cls(seconds, frozenset((path, line) for path, line in entered))


class Recorder:
    """A plugin of pytest: knows which functions of these files are entered, also by fixtures that many tests share."""

    def __init__(self, paths: set[str]) -> None:
        self.paths = paths
        self.now: set[Function] = set()
        self.by_fixture: dict[object, set[Function]] = defaultdict(set)
        caches = [thing for thing in gc.get_objects() if isinstance(thing, _lru_cache_wrapper)]
        self.caches = [cached for cached in caches if cached.__module__.partition(".")[0] in OURS]
        sys.monitoring.use_tool_id(TOOL, "mutants")
        sys.monitoring.register_callback(TOOL, sys.monitoring.events.PY_START, self.enter)
        sys.monitoring.set_events(TOOL, sys.monitoring.events.PY_START)

    def enter(self, code: CodeType, _: int) -> object:
        if code.co_filename in self.paths:
            self.now.add((code.co_filename, code.co_firstlineno))
        return sys.monitoring.DISABLE  # until the events are restarted

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        before, self.now = self.now, set()
        sys.monitoring.restart_events()
        try:
            return (yield)
        finally:
            self.by_fixture[fixturedef] |= self.now
            self.now = before
            sys.monitoring.restart_events()

    def run(self, item: pytest.Item, following: pytest.Item | None) -> tuple[float, list[Function]]:
        """Run a test as if no other had left results in caches. Return its seconds and the functions it enters."""
        for cached in self.caches:
            cached.cache_clear()
        self.now = set()
        sys.monitoring.restart_events()
        begun = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        info = getattr(item, "_fixtureinfo", None)
        fixtures = [one for found in info.name2fixturedefs.values() for one in found] if info else []
        entered = self.now.union(*(self.by_fixture[one] for one in fixtures))
        return time.process_time() - begun, sorted(entered)


def record(session: pytest.Session, paths: set[str], target: Path) -> int:
    """Run all tests. Write what is recorded of each, and the names of the imported modules that are not ours.

    Return 1 if a test fails.
    """
    recorder = Recorder(paths)
    session.config.pluginmanager.register(recorder)
    following = [*session.items[1:], None]
    tests = {item.nodeid: recorder.run(item, after) for item, after in zip(session.items, following, strict=True)}
    packages = [name for name in sys.modules if name.partition(".")[0] not in OURS | {"__main__"}]
    target.write_text(json.dumps([tests, packages]))
    return int(session.testsfailed > 0)
