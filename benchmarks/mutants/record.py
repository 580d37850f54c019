"""Runs all tests of a part once, and records which lines of its files each of them runs."""

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
EVENTS = sys.monitoring.events
type Lines = dict[str, set[int]]  # path -> numbers


class Recorded(NamedTuple):
    """A test: the seconds of the processor that it takes, and the lines that it or one of its fixtures runs."""

    seconds: float
    lines: Lines

    @classmethod
    def of(cls, seconds: float, lines: dict[str, list[int]]) -> "Recorded":
        return cls(seconds, {path: set(numbers) for path, numbers in lines.items()})

    def runs(self, path: str, lines: range) -> bool:
        return not self.lines.get(path, set()).isdisjoint(lines)


class Recorder:
    """A plugin of pytest: knows which lines of these files run, also by fixtures that many tests share.

    It begins when it is made, so that `now` has first what runs while modules are imported.
    """

    def __init__(self, paths: set[str]) -> None:
        self.paths = paths
        self.now: Lines = defaultdict(set)
        self.by_fixture: dict[object, Lines] = defaultdict(dict)
        sys.monitoring.use_tool_id(TOOL, "mutants")
        sys.monitoring.register_callback(TOOL, EVENTS.PY_START, self.enter)
        sys.monitoring.register_callback(TOOL, EVENTS.LINE, self.run_line)
        sys.monitoring.set_events(TOOL, EVENTS.PY_START)

    def enter(self, code: CodeType, _: int) -> object:
        """Follow the lines of this code from now on. Of its first run they are not known, so all of them count."""
        if code.co_filename in self.paths and not sys.monitoring.get_local_events(TOOL, code):
            sys.monitoring.set_local_events(TOOL, code, EVENTS.LINE)
            self.now[code.co_filename].update(line for _, _, line in code.co_lines() if line)
        return sys.monitoring.DISABLE  # until the events are restarted

    def run_line(self, code: CodeType, line: int) -> object:
        self.now[code.co_filename].add(line)
        return sys.monitoring.DISABLE

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        before, self.now = self.now, defaultdict(set)
        sys.monitoring.restart_events()
        try:
            return (yield)
        finally:
            self.by_fixture[fixturedef] = together(self.by_fixture[fixturedef], self.now)
            self.now = before
            sys.monitoring.restart_events()

    def run(
        self, item: pytest.Item, following: pytest.Item | None, caches: list["_lru_cache_wrapper[object]"]
    ) -> tuple[float, dict[str, list[int]]]:
        """Run a test as if no other had left results in these caches. Return its seconds and the lines that it runs."""
        for cached in caches:
            cached.cache_clear()
        self.now = defaultdict(set)
        sys.monitoring.restart_events()
        begun = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        info = getattr(item, "_fixtureinfo", None)
        fixtures = [one for found in info.name2fixturedefs.values() for one in found] if info else []
        lines = together(self.now, *(self.by_fixture[one] for one in fixtures))
        return time.process_time() - begun, {path: sorted(numbers) for path, numbers in lines.items()}

    def end(self) -> None:
        sys.monitoring.set_events(TOOL, EVENTS.NO_EVENTS)
        sys.monitoring.free_tool_id(TOOL)


def together(*several: Lines) -> Lines:
    found: Lines = defaultdict(set)
    for lines in several:
        for path, numbers in lines.items():
            found[path] |= numbers
    return found


def record(session: pytest.Session, recorder: Recorder, target: Path) -> int:
    """Run all tests. Write what is recorded of each, and the names of the imported modules that are not ours.

    Return 1 if a test fails.
    """
    session.config.pluginmanager.register(recorder)
    existing = [thing for thing in gc.get_objects() if isinstance(thing, _lru_cache_wrapper)]
    caches = [cached for cached in existing if cached.__module__.partition(".")[0] in OURS]
    following = [*session.items[1:], None]
    pairs = zip(session.items, following, strict=True)
    tests = {item.nodeid: recorder.run(item, after, caches) for item, after in pairs}
    packages = [name for name in sys.modules if name.partition(".")[0] not in OURS | {"__main__"}]
    target.write_text(json.dumps([tests, packages]))
    return int(session.testsfailed > 0)
