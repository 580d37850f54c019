"""Runs the tests of a part for one mutant after another, each in a fork of a process that has collected them.

First all tests run without a mutant, and it is recorded which lines each of them runs (`record`). A mutant inside of a
function is then put into the imported module (`swap`), and only the tests that run the changed statement run, to the
first failure. A mutant of anything else, and of a statement that runs while modules are imported, is put into a copy of
the repository, and all tests of the part run there in a new process (`fresh`), first the files of the likeliest ones.
That takes long, so values of modules are first exchanged in place, for a few seconds: a test that fails then, and does
not with the values of the module as it is, notices the mutant.

The quickest tests run first, and before them those that have noticed other mutants of the same file.
"""

import gc
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from types import CodeType

import hypothesis
import pytest
from hypothesis import Phase

from benchmarks.mutants.forks import allow, in_fork
from benchmarks.mutants.fresh import Fresh
from benchmarks.mutants.parts import ROOT, Mutant
from benchmarks.mutants.record import Recorded, Recorder, record
from benchmarks.mutants.swap import (
    Functions,
    changed_functions,
    compiles_to_same,
    functions_of,
    is_assignment,
    replace_values,
    run_module,
    statement,
    swap,
)

NOTICED, SURVIVES, SAME = "noticed", "survives", "same bytecode"
NOT_HERE = 2  # the result of a fork in which the mutant could not be tried
RARELY = 0.1  # failures that a test is supposed to have had; the larger, the less those that it had decide the order
ALL_TESTS = 100  # seconds that they usually take at most
START = 0.005  # seconds that any test takes
LIKELIEST = 2  # files with tests that are collected before all others are
IN_PLACE = 3  # seconds of tests that are run with values exchanged in place


class Trials:
    """A plugin of pytest: runs the trials instead of the tests.

    fresh: runs the tests in a copy of the repository. failed: the file into which a run writes the name of the first
    test that fails. mutants: with their changed sources. tell: called with each mutant and its result.
    """

    def __init__(
        self, fresh: Fresh, failed: Path, mutants: list[tuple[Mutant, str]], tell: Callable[[Mutant, str], None]
    ) -> None:
        self.fresh, self.failed, self.mutants, self.tell = fresh, failed, mutants, tell
        self.noticed_by: dict[str, Counter[str]] = defaultdict(Counter)  # path -> test -> mutants of this file
        self.passes_without = False
        self.recorded: dict[str, Recorded] = {}
        self.functions: Functions = {}
        self.recorder = Recorder({str(ROOT / mutant.path) for mutant, _ in mutants})

    def pytest_configure(self) -> None:
        """Let property tests end at the first example that fails, without a search for the smallest one."""
        usual = hypothesis.settings.get_profile("any machine")
        hypothesis.settings.register_profile("mutants", usual, phases=(Phase.explicit, Phase.generate))
        hypothesis.settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        found = self.failed.with_name("recorded.json")
        if in_fork(lambda: record(session, self.recorder, found), ALL_TESTS) != 0:
            return True
        self.recorder.end()
        tests, packages = json.loads(found.read_text())
        self.recorded = {name: Recorded.of(*given) for name, given in tests.items()}
        self.fresh.import_packages(packages)
        self.passes_without = self.fresh.passes(self.usual(""), list(self.recorded), only_read=False)
        if self.passes_without:
            self.functions = functions_of(self.recorder.paths)
            gc.freeze()  # or every fork would copy what it marks
            for mutant, changed in self.mutants:
                self.tell(mutant, self.outcome(session, mutant, changed))
                self.remember(mutant)
        return True

    def outcome(self, session: pytest.Session, mutant: Mutant, changed: str) -> str:
        """Return the result of a mutant: NOTICED, SURVIVES or SAME."""
        path = str(ROOT / mutant.path)
        try:
            source = Path(path).read_text()
            old, new = compile(source, path, "exec"), compile(changed, path, "exec")
        except (SyntaxError, ValueError):
            return NOTICED
        if compiles_to_same(old, new):
            return SAME
        functions, lines = changed_functions(old, new), statement(source, changed)
        if functions is None:
            name = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            if in_fork(lambda: import_changed(new, name, path), 0) != 0:
                return NOTICED
            if is_assignment(source, lines) and self.is_noticed_in_place(session, mutant.path, name, old, new):
                return NOTICED
        elif (result := self.try_here(session, functions, mutant.path, lines)) != NOT_HERE:
            return NOTICED if result else SURVIVES
        with self.fresh.changed(mutant.path, changed):
            return SURVIVES if self.passes_in_copy(mutant.path) else NOTICED

    def try_here(
        self, session: pytest.Session, functions: list[tuple[CodeType, CodeType]], path: str, lines: range
    ) -> int:
        """Run the tests that run a changed statement, in a fork. lines: of the statement.

        Return 1 if one fails; NOT_HERE if it cannot be exchanged, or if none fails but it also runs while modules are
        imported.
        """
        file = str(ROOT / path)
        concerned = [name for name, recorded in self.recorded.items() if recorded.runs(file, lines)]
        rank = {name: number for number, name in enumerate(self.in_order(path, concerned))}
        items = sorted((item for item in session.items if item.nodeid in rank), key=lambda item: rank[item.nodeid])
        seconds = sum(self.recorded[name].seconds for name in concerned)
        result = (
            in_fork(lambda: self.run(items) if swap(functions, self.functions) else NOT_HERE, seconds) if items else 0
        )
        return result or (0 if self.recorder.now[file].isdisjoint(lines) else NOT_HERE)

    def is_noticed_in_place(self, session: pytest.Session, path: str, name: str, old: CodeType, new: CodeType) -> bool:
        """Say whether a test fails with the values that a changed module makes, and not with those of the module itself."""
        file, module = str(ROOT / path), sys.modules.get(name)
        order = self.in_order(path, [name for name, recorded in self.recorded.items() if file in recorded.lines])
        sums = accumulate(self.recorded[name].seconds for name in order)
        rank = {
            name: number for number, (name, seconds) in enumerate(zip(order, sums, strict=True)) if seconds < IN_PLACE
        }
        items = sorted((item for item in session.items if item.nodeid in rank), key=lambda item: rank[item.nodeid])
        if module is None or not items:
            return False
        in_fork(lambda: self.run(items) if replace_values(module, new, file) else NOT_HERE, IN_PLACE)
        if not self.failed.exists():
            return False
        failing = [item for item in items if item.nodeid == self.failed.read_text()]
        if in_fork(lambda: self.run(failing) if replace_values(module, old, file) else NOT_HERE, IN_PLACE) == 0:
            return True
        self.failed.unlink()
        return False

    def run(self, items: list[pytest.Item]) -> int:
        """Run tests to the first failure. Return 1 if there is one."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            allow(self.recorded[item.nodeid].seconds)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                self.failed.write_text(item.nodeid)
                return 1
        return 0

    def passes_in_copy(self, path: str) -> bool:
        """Run the tests that run anything of the part in the copy, which has a mutant of the file `path`."""
        usual = self.usual(path)
        order = self.in_order(path, list(usual))
        files = list(dict.fromkeys(name.partition("::")[0] for name in order))[:LIKELIEST]
        likeliest = [name for name in order if name.partition("::")[0] in files]
        passes = self.fresh.passes
        return passes({name: usual[name] for name in likeliest}, likeliest, files) and passes(usual, order)

    def usual(self, path: str) -> dict[str, float]:
        """Return the seconds of the tests that run anything of the part; without a path, of all tests."""
        return {name: recorded.seconds for name, recorded in self.recorded.items() if recorded.lines or not path}

    def in_order(self, path: str, names: list[str]) -> list[str]:
        """Return tests in the order in which a mutant of the file is expected to be noticed soonest."""
        noticed, file = self.noticed_by[path], str(ROOT / path)

        def gain(name: str) -> tuple[bool, float]:
            recorded = self.recorded[name]
            return file in recorded.lines, (noticed[name] + RARELY) / (recorded.seconds + START)

        return sorted(names, key=gain, reverse=True)

    def remember(self, mutant: Mutant) -> None:
        """Count for the test that failed, if any did, that it has noticed a mutant of this file."""
        if self.failed.exists():
            self.noticed_by[mutant.path][self.failed.read_text()] += 1
            self.failed.unlink()


def import_changed(code: CodeType, name: str, path: str) -> int:
    """Run the code of a module, which must not go on for ever. Return 0; an error of the code is raised."""
    allow(0)
    run_module(code, name, path)
    return 0
