"""Work in forks: its result, and that it ends if it dies or does not end by itself."""

import os
import time

import pytest

from benchmarks.mutants import forks
from benchmarks.mutants.forks import allow, in_fork


def fail() -> int:
    raise ValueError


def compute_for_ever() -> int:
    allow(0)
    while True:
        pass


def wait_for_ever() -> int:
    time.sleep(600)
    return 0


def test_the_result_of_a_fork_is_returned_and_nothing_else_remains():
    seen = []

    def work() -> int:
        seen.append(1)
        return 7

    assert in_fork(work, 0) == 7
    assert seen == []


def test_work_that_fails_or_dies_has_failed():
    assert in_fork(fail, 0) == 1
    assert in_fork(lambda: os.kill(os.getpid(), 9) or 0, 0) == 1


@pytest.mark.parametrize(("name", "work"), [("SPARE", compute_for_ever), ("PATIENCE", wait_for_ever)])
def test_work_that_does_not_end_has_failed(monkeypatch, name, work):
    monkeypatch.setattr(forks, name, 0.5)
    assert in_fork(work, 0) == 1
