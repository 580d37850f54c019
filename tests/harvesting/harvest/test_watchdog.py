"""What ends a run early: signals during a fetch, and requests of people while it waits. The workers are real
processes.
"""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from harvesting.harvest import watchdog
from harvesting.harvest.run import create_harvest
from harvesting.harvest.watchdog import Watchdog
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.registration import register
from harvesting.runs import lifecycle
from harvesting.types import TransportError
from tests.paths import ROOT

# A worker whose provider never answers: one thread accepts and says nothing.
HANGING = """
import socket, sys, threading
import django
django.setup()
from tests.database import migrate
migrate()
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.registration import register
silent = socket.create_server(("127.0.0.1", 0))
feed = Feed(base_url=f"http://127.0.0.1:{silent.getsockname()[1]}/oai", metadata_prefix="dcndl")
register(Repository(name="館"), [feed])
def tell():
    connection = silent.accept()[0]
    connection.recv(1000)
    print("asked", flush=True)
    threading.Event().wait()
threading.Thread(target=tell, daemon=True).start()
try:
    harvest(create_harvest(feed))
finally:
    run = Harvest.objects.get()
    print(run.state, run.code, run.lease_until, run.attempts, flush=True)
"""


@pytest.mark.slow
@pytest.mark.sample
def test_sigterm_aborts_a_hanging_fetch_and_releases_the_run(tmp_path):
    environment = {
        **os.environ,
        "AGGREGATOR_DATA": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/own.sqlite3",
        "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
    }
    command = [sys.executable, "-c", HANGING]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout.readline() == "asked\n"
        begun = time.monotonic()
        worker.terminate()
        said = worker.stdout.read()
    assert said == "interrupted run.stopped None 0\n"
    assert time.monotonic() - begun < 30
    assert worker.returncode == watchdog.EXIT_SIGTERM


@pytest.fixture
def run(db) -> Harvest:
    feed = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl")
    register(Repository(name="館"), [feed])
    made = create_harvest(feed)
    assert lifecycle.claim(made)
    return made


def ended(watch: Watchdog) -> str:
    with pytest.raises(TransportError) as caught:
        watch.check()
    return caught.value.code


def test_a_run_without_a_reason_to_stop_continues(run):
    with Watchdog(run) as watch:
        watch.check()


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"stop_request": "pause"}, "run.paused"),
        ({"stop_request": "cancel"}, "run.cancelled"),
        ({"fence": 99}, "run.lease_lost"),
    ],
)
def test_a_run_stops_with_the_reason(run, columns, code):
    Harvest.objects.update(**columns)
    with Watchdog(run) as watch:
        assert ended(watch) == code


def test_a_persons_request_takes_effect_while_the_run_waits(run, monkeypatch):
    monkeypatch.setattr(watchdog, "POLL_INTERVAL", 0.01)
    Harvest.objects.update(stop_request="cancel")
    with Watchdog(run) as watch, pytest.raises(TransportError):
        watch.sleep(60)


def test_a_signal_while_a_page_is_stored_waits_for_its_end(run):
    with Watchdog(run) as watch:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)  # the page is stored meanwhile
        with pytest.raises(SystemExit):
            watch.check()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_signal_that_does_not_wake_the_main_thread_breaks_off_what_it_waits_for(run, monkeypatch):
    """A signal may arrive just before the main thread begins to wait; the test sends it to another thread instead."""
    monkeypatch.setattr(watchdog, "GRACE_PERIOD", 0.05)

    def signal_this_thread() -> None:
        time.sleep(0.2)
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        time.sleep(60)

    threading.Thread(target=signal_this_thread, daemon=True).start()
    begun = time.monotonic()
    with Watchdog(run) as watch, pytest.raises(SystemExit):
        watch.interruptible(lambda: time.sleep(30))
    assert time.monotonic() - begun < 20
