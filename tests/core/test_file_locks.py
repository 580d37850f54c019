"""Locks on open files exclude each other, or share, and end with their file."""

import time

from core.file_locks import try_lock_file, unlock_file, wait_for_file


def test_two_do_not_have_the_same_lock(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as first, path.open("a") as second:
        assert try_lock_file(first)
        assert not try_lock_file(second)
        unlock_file(first)
        assert try_lock_file(second)


def test_shared_locks_exclude_only_others(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as first, path.open("a") as second, path.open("a") as third:
        assert try_lock_file(first, shared=True)
        assert try_lock_file(second, shared=True)
        assert not try_lock_file(third)


def test_a_lock_ends_with_its_file(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as first:
        assert try_lock_file(first)
    with path.open("a") as second:
        assert try_lock_file(second)


def test_waiting_ends_without_the_lock(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as first, path.open("a") as second:
        assert try_lock_file(first)
        assert not wait_for_file(second, time.monotonic() + 0.05, 0.01)
