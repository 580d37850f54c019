"""Runs the tests of a part for one mutant after another, each in a fork of a process that has collected them.

First all tests run without a mutant, and it is recorded which functions each of them enters. A mutant inside of a
function is then put into the imported module (`swap`), and only the tests that enter the function run, the quickest
first, then the others of the same files, to the first failure. A mutant of anything else, and of a function that no
test enters, since it may be called while its module is imported, is put into a copy of the repository, and all tests of
the part run there in a new process.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType

import hypothesis
import pytest
from hypothesis import Phase

from benchmarks.mutants.parts import ROOT, Mutant
from benchmarks.mutants.swap import changed_functions, compiles_to_same, run_module, swap

CPU_SECONDS = 120  # a mutant whose tests compute longer than this is noticed: they do not end
PATIENCE = 10  # times as many seconds by the clock, since the machine may be busy, and tests may wait for each other
LEFT_OUT = (".git", ".venv", "var", "__pycache__")
NOTICED, SURVIVES, SAME = "noticed", "survives", "same bytecode"
NOT_HERE = 2  # the result of a fork in which the mutant could not be tried
TOOL = 4  # of sys.monitoring: neither a debugger's nor coverage's
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
type Entered = dict[str, tuple[float, set[tuple[str, int]]]]  # test -> its seconds, the functions (path, line)


class Trials:
    """A plugin of pytest: runs the trials instead of the tests.

    mutants: with their changed sources. tell: called with each mutant and its result.
    """

    def __init__(
        self,
        folder: Path,
        part: tuple[str, ...],
        mutants: list[tuple[Mutant, str]],
        tell: Callable[[Mutant, str], None],
    ) -> None:
        self.folder, self.tests, self.mutants, self.tell = folder, part, mutants, tell
        self.passes_without = False

    def pytest_configure(self) -> None:
        """Let property tests end at the first example that fails, without a search for the smallest one."""
        usual = hypothesis.settings.get_profile("any machine")
        hypothesis.settings.register_profile("mutants", usual, phases=(Phase.explicit, Phase.generate))
        hypothesis.settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        recorded = self.folder / "entered.json"
        paths = {str(ROOT / mutant.path) for mutant, _ in self.mutants}
        if in_fork(lambda: record(session, paths, recorded), 10 * CPU_SECONDS) != 0:
            return True
        entered = {
            test: (seconds, set(map(tuple, functions)))
            for test, (seconds, functions) in json.loads(recorded.read_text()).items()
        }
        self.passes_without = (
            in_fork(lambda: run(session, in_order(session, set(entered), entered)), 10 * CPU_SECONDS) == 0
        )
        if not self.passes_without:
            return True
        copy = copied(self.folder)
        for mutant, changed in self.mutants:
            self.tell(mutant, outcome(session, mutant, changed, entered, self.tests, copy))
        return True


def outcome(
    session: pytest.Session, mutant: Mutant, changed: str, entered: Entered, tests: tuple[str, ...], copy: Path
) -> str:
    """Return the result of a mutant: NOTICED, SURVIVES or SAME."""
    path = str(ROOT / mutant.path)
    try:
        old, new = (compile(source, path, "exec") for source in (Path(path).read_text(), changed))
    except (SyntaxError, ValueError):
        return NOTICED
    if compiles_to_same(old, new):
        return SAME
    functions = changed_functions(old, new)
    if functions is None:
        name = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if in_fork(lambda: run_module(new, name, path), CPU_SECONDS) != 0:
            return NOTICED
    elif (result := in_fork(lambda: try_here(session, functions, entered), CPU_SECONDS)) != NOT_HERE:
        return NOTICED if result else SURVIVES
    return NOTICED if is_noticed(copy, mutant, changed, tests) else SURVIVES


def try_here(session: pytest.Session, functions: list[tuple[CodeType, CodeType]], entered: Entered) -> int:
    """Run the tests that enter a changed function, then the others of their files, which may share a fixture.

    Return 1 if one fails, NOT_HERE if no test enters a function, or if the functions cannot be exchanged.
    """
    places = {(old.co_filename, old.co_firstlineno) for old, _ in functions}
    concerned = {test for test, (_, functions) in entered.items() if functions & places}
    if not concerned or not swap(functions):
        return NOT_HERE
    shared = {test.partition("::")[0] for test in concerned}
    others = {test for test in entered if test.partition("::")[0] in shared} - concerned
    return run(session, in_order(session, concerned, entered) + in_order(session, others, entered))


def in_order(session: pytest.Session, names: set[str], entered: Entered) -> list[pytest.Item]:
    """Return the tests of these names, the quickest first."""
    return sorted((item for item in session.items if item.nodeid in names), key=lambda item: entered[item.nodeid][0])


def run(session: pytest.Session, items: list[pytest.Item]) -> int:
    """Run tests to the first failure. Return 1 if there is one."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


def record(session: pytest.Session, paths: set[str], target: Path) -> int:
    """Run all tests, and write how long each took and which functions of these files it entered."""
    monitoring, now = sys.monitoring, set[tuple[str, int]]()
    monitoring.use_tool_id(TOOL, "mutants")

    def enter(code: CodeType, _: int) -> object:
        if code.co_filename in paths:
            now.add((code.co_filename, code.co_firstlineno))
        return monitoring.DISABLE

    monitoring.register_callback(TOOL, monitoring.events.PY_START, enter)
    monitoring.set_events(TOOL, monitoring.events.PY_START)
    entered = {}
    for item, following in zip(session.items, [*session.items[1:], None], strict=True):
        now.clear()
        monitoring.restart_events()
        begun = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        entered[item.nodeid] = (time.monotonic() - begun, sorted(now))
    target.write_text(json.dumps(entered))
    return int(session.testsfailed > 0)


def in_fork(work: Callable[[], int], seconds: int) -> int:
    """Do the work in a fork of this process. Return its result; 1 if it does not end in time or dies.

    seconds: of processor time.
    """
    pid = os.fork()
    if not pid:
        _work_alone(work, seconds)
    end = time.monotonic() + PATIENCE * seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        time.sleep(0.01)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 1


def limit(seconds: int) -> None:
    """End this process once it has used so many seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _work_alone(work: Callable[[], int], seconds: int) -> None:
    """Do the work in this fork, silently, and end it."""
    result = 1
    try:
        os.setsid()
        limit(seconds)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        result = work()
    finally:
        os._exit(result)


def copied(folder: Path) -> Path:
    """Copy the repository into a folder, with a link to what its tests read outside the repository. Return the copy."""
    copy = folder / "tree"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
    if (ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    return copy


def is_noticed(copy: Path, mutant: Mutant, changed: str, tests: tuple[str, ...]) -> bool:
    """Say whether a test fails in the copied tree with this mutant."""
    source = (copy / mutant.path).read_text()
    (copy / mutant.path).write_text(changed)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ours = {"cwd": copy, "env": environment, "start_new_session": True, "preexec_fn": partial(limit, CPU_SECONDS)}
    process = subprocess.Popen(command, **ours, **QUIET)
    try:
        return process.wait(PATIENCE * CPU_SECONDS) != 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    finally:
        (copy / mutant.path).write_text(source)


def lines(path: Path) -> Iterator[dict[str, str]]:
    """Yield the results that earlier calls have written to this file."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())
