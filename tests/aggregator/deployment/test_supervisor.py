"""The supervisor restarts dead children a limited number of times, and no child outlives it."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from aggregator.deployment import supervisor as supervision
from aggregator.deployment.supervisor import Stopped, Supervisor
from tests.paths import ROOT

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
RELOADING = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(1, lambda *_: print('renewed', flush=True)); print('up', flush=True);"
    "[time.sleep(0.1) for _ in range(600)]",
]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]


@pytest.fixture
def reports():
    return []


@pytest.fixture
def supervisor(tmp_path, reports, monkeypatch):
    monkeypatch.setattr(supervision, "TERMINATE_AGAIN_SECONDS", 0.3)
    monkeypatch.setattr(supervision, "KILL_SECONDS", 0.6)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with Supervisor(dict(os.environ), tmp_path / "log", lambda *words: reports.append(words)) as running:
        yield running
    for number, handler in before.items():
        signal.signal(number, handler)


def wait_for(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def test_a_child_that_dies_is_restarted_and_reported(supervisor, reports):
    child = supervisor.start("web", SLEEP)
    first = child.process
    first.kill()
    wait_for(lambda: supervisor.restart_if_dead(child) or child.process is not first)
    assert child.process.poll() is None
    assert reports == [("web", -signal.SIGKILL, False)]


def test_a_child_that_keeps_dying_is_given_up(supervisor, reports, monkeypatch):
    monkeypatch.setattr(supervision, "RESTARTS", 2)
    child = supervisor.start("web", [sys.executable, "-c", "raise SystemExit(3)"])
    assert supervisor.watch() is child
    assert reports == [("web", 3, False), ("web", 3, False), ("web", 3, True)]


def test_the_last_output_of_a_child_is_available(supervisor):
    child = supervisor.start("web", [sys.executable, "-c", "raise SystemExit('no such port')"])
    child.process.wait()
    assert child.log_tail().splitlines()[1] == "no such port"


def test_a_step_returns_its_exit_code_and_sees_its_own_environment(supervisor):
    code = "import os; raise SystemExit(int(os.environ['STEP_CODE']))"
    assert supervisor.run([sys.executable, "-c", code], STEP_CODE="7") == 7
    assert supervisor.children == []


def test_a_child_that_ignores_the_request_is_killed(supervisor):
    child = supervisor.start("deaf", DEAF)
    wait_for(child.log.read_text)
    supervisor.stop()
    assert child.process.returncode == -signal.SIGKILL


def test_a_grandchild_left_behind_is_killed(supervisor, tmp_path):
    code = f"import subprocess, sys; p = subprocess.Popen({DEAF!r}); print(p.pid, flush=True); p.wait()"
    child = supervisor.start("parent", [sys.executable, "-c", code])
    wait_for(lambda: "up" in child.log.read_text())
    grandchild = psutil.Process(int(child.log.read_text().split()[0]))
    supervisor.stop()
    wait_for(lambda: not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_watch(supervisor, number):
    supervisor.start("web", SLEEP)
    with pytest.raises(Stopped):
        os.kill(os.getpid(), number)
        supervisor.watch()


def test_every_child_is_reloaded_in_its_own_way(supervisor, reports):
    """A child that can reload gets SIGHUP, one that cannot is ended and restarted, a foreign program keeps running."""
    supervisor.reload_on_hangup = True
    reloading = supervisor.start("web", RELOADING, reload_signal=signal.SIGHUP)
    ending = supervisor.start("worker", SLEEP, reload_signal=signal.SIGTERM)
    lasting = supervisor.start("queue", SLEEP)
    first = [child.process for child in (reloading, ending, lasting)]
    wait_for(lambda: "up" in reloading.log.read_text())
    os.kill(os.getpid(), signal.SIGHUP)
    watcher = threading.Thread(target=supervisor.watch, daemon=True)
    watcher.start()
    wait_for(lambda: ending.process is not first[1] and "renewed" in reloading.log.read_text())
    assert [reloading.process, lasting.process] == [first[0], first[2]]
    assert not ending.deaths
    assert reports == [("web", None, False), ("worker", None, False)]


PARENT = f"""
import os, sys
from aggregator.deployment.supervisor import Supervisor
with Supervisor(dict(os.environ), None, print) as supervisor:
    print(supervisor.start("web", {SLEEP!r}).process.pid, flush=True)
    supervisor.watch()
"""


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(
            signal.SIGKILL, marks=pytest.mark.skipif(sys.platform != "linux", reason="the kernel does not tell")
        ),
    ],
)
def test_no_child_outlives_the_supervisor(number):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    child = psutil.Process(int(parent.stdout.readline()))
    parent.send_signal(number)
    parent.wait()
    parent.stdout.close()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_a_child_whose_parent_died_before_it_could_ask_the_kernel_ends_at_once():
    command = "import os, sys, time; from aggregator.deployment.supervisor import end_with_parent\n"
    command += "end_with_parent(int(sys.argv[1])); print('lives')"
    for parent, output in ((os.getpid(), "lives\n"), (os.getppid(), "")):
        done = subprocess.run([sys.executable, "-c", command, str(parent)], cwd=ROOT, capture_output=True, text=True)
        assert done.stdout == output
