"""What the garbage collector looks at: nothing that a process loads at its start, everything afterwards."""

import gc
import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from core.work.garbage import gc_paused, loading
from core.work.processes import process_pool
from tests.paths import ROOT


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_what_is_loaded_is_out_of_the_collectors_sight_and_what_follows_is_not() -> None:
    with loading():
        assert not gc.isenabled()
        early: list[object] = []
    late: list[object] = []

    assert gc.isenabled()
    seen = {id(one) for one in gc.get_objects()}
    assert id(late) in seen
    assert id(early) not in seen


def test_after_an_error_the_collector_works_and_sees_everything() -> None:
    with pytest.raises(ValueError, match="no"), loading():
        raise ValueError("no")

    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_a_collector_that_was_off_stays_off() -> None:
    with gc_paused():
        with loading():
            pass
        assert not gc.isenabled()


def test_commands_do_not_collect_what_django_loads() -> None:
    look = "import gc, json; print(json.dumps([gc.isenabled(), gc.get_freeze_count() > len(gc.get_objects())]))"
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", look]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout.splitlines()[-1]) == [True, True]


def test_processes_of_a_pool_do_not_collect_what_django_loads() -> None:
    with process_pool(1) as pool:
        assert pool.submit(gc.get_freeze_count).result(60) > 10_000
