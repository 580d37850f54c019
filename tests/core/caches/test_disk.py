"""The cache on disk: bytes only, shared by processes, within its limit, and never an error or a damaged value."""

import multiprocessing
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from django.core.cache.backends.base import InvalidCacheKey

from core.caches.disk import FILE, DiskCache


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(str(tmp_path / "entries"), {})


def file_of(cache: DiskCache) -> Path:
    return cache._path


def execute(cache: DiskCache, statement: str) -> int:
    with closing(sqlite3.connect(file_of(cache))) as connection, connection:
        return connection.execute(statement).rowcount


def test_values_are_found_again_by_every_object_of_the_cache(cache: DiskCache) -> None:
    assert cache.set_many({"a": b"1", "b": b""}) == []
    assert DiskCache(str(file_of(cache).parent), {}).get_many(["a", "b", "c"]) == {"a": b"1", "b": b""}
    cache.set("a", b"2")
    assert cache.get("a") == b"2"
    assert cache.get("c", b"none") == b"none"


def test_versions_do_not_meet(cache: DiskCache) -> None:
    cache.set("a", b"1", version="old")
    assert cache.get("a", version="new") is None
    assert cache.get_many(["a"], version="old") == {"a": b"1"}


def test_the_other_methods_of_a_cache(cache: DiskCache) -> None:
    assert cache.add("a", b"1")
    assert not cache.add("a", b"2")
    assert "a" in cache
    assert cache.touch("a", 100)
    assert not cache.touch("b")
    assert cache.delete("a")
    assert not cache.delete("a")
    assert cache.get("a") is None


def test_expired_entries_are_misses_and_can_be_added_anew(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.set("a", b"1", 10)
    cache.set("b", b"1")
    now = time.time()
    monkeypatch.setattr("core.caches.disk.time.time", lambda: now + 11)
    assert cache.get_many(["a", "b"]) == {"b": b"1"}
    assert cache.add("a", b"2", 10)
    assert cache.get("a") == b"2"


@pytest.mark.parametrize("value", ["text", 1, None, ["x"], bytearray(b"x")], ids=str)
def test_only_bytes_are_stored(cache: DiskCache, value: object) -> None:
    with pytest.raises(TypeError):
        cache.set("a", value)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["a b", "a\n", "a\x00", "x" * 300], ids=repr)
def test_keys_that_no_cache_of_django_allows_are_refused(cache: DiskCache, key: str) -> None:
    for use in (lambda: cache.get(key), lambda: cache.set(key, b"1"), lambda: cache.delete(key)):
        with pytest.raises(InvalidCacheKey):
            use()


@pytest.mark.parametrize(
    "damage",
    ["value = x'00'", "value = 'text'", "digest = x'00'", "expires = 1e12", "expires = 'text'", "value = ''"],
)
def test_a_damaged_entry_is_a_miss_and_can_be_stored_again(cache: DiskCache, damage: str) -> None:
    cache.set("a", b"1", 100)
    assert execute(cache, f"UPDATE entry SET {damage}") == 1
    assert cache.get("a") is None
    cache.set("a", b"1", 100)
    assert cache.get("a") == b"1"


def test_the_value_of_another_key_is_a_miss(cache: DiskCache) -> None:
    cache.set("a", b"1")
    cache.set("b", b"2")
    execute(cache, "UPDATE entry SET (digest, value) = (SELECT digest, value FROM entry WHERE id = 1)")
    assert cache.get_many(["a", "b"]) == {"a": b"1"}


def overwrite_beginning(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"\xff" * 8192)


def overwrite_pages(file: Path) -> None:
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xff" * (size - 4096))


@pytest.mark.parametrize("damage", [overwrite_beginning, overwrite_pages])
@pytest.mark.parametrize("reopened", [False, True])
def test_a_damaged_file_is_begun_anew(cache: DiskCache, damage: Callable[[Path], None], reopened: bool) -> None:
    cache.set_many({f"{number}": b"x" * 1000 for number in range(100)})
    execute(cache, "PRAGMA wal_checkpoint(TRUNCATE)")
    damage(file_of(cache))
    if reopened:
        cache = DiskCache(str(file_of(cache).parent), {})
    for number in range(100):  # pages that SQLite still has in memory may be found
        assert cache.get(f"{number}") in (None, b"x" * 1000)
    for _attempt in range(2):  # the first may discover the damage
        cache.set_many({f"new-{number}": b"y" * 1000 for number in range(100)})
    assert DiskCache(str(file_of(cache).parent), {}).get("new-99") == b"y" * 1000


def test_the_oldest_entries_make_room(tmp_path: Path) -> None:
    limit = 400_000
    cache = DiskCache(str(tmp_path), {"OPTIONS": {"MAX_BYTES": limit}})
    for start in range(0, 2000, 50):
        assert cache.set_many({f"{number}": b"x" * 1000 for number in range(start, start + 50)}) == []
    found = sorted(int(key) for key in cache.get_many(map(str, range(2000))))
    assert found == list(range(found[0], 2000))
    assert 150 < len(found) < 400
    execute(cache, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert file_of(cache).stat().st_size <= limit + 60_000  # a batch


def test_a_value_that_is_too_large_displaces_nothing(tmp_path: Path) -> None:
    cache = DiskCache(str(tmp_path), {"OPTIONS": {"MAX_BYTES": 100_000}})
    cache.set("small", b"1")
    assert cache.set_many({"large": b"x" * 200_000}) == ["large"]
    assert cache.get("small") == b"1"


def test_without_disk_space_nothing_is_stored(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.caches.disk.MAX_SHARE", 0)
    assert cache.set_many({"a": b"1"}) == ["a"]
    assert not cache.add("a", b"1")
    assert cache.get("a") is None


def test_without_a_folder_nothing_is_stored(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = DiskCache(str(tmp_path / "file" / "entries"), {})
    assert cache.set_many({"a": b"1"}) == ["a"]
    assert cache.get("a", b"none") == b"none"


def test_a_cleared_cache_leaves_no_trace_on_the_disk(cache: DiskCache) -> None:
    cache.set_many({f"{number}": b"secret" * 100 for number in range(100)})
    earlier = file_of(cache).with_name("abcdef.sqlite3")  # as releases before this class named it
    earlier.write_bytes(b"secret")
    cache.clear()
    assert all(b"secret" not in path.read_bytes() for path in file_of(cache).parent.iterdir())
    assert cache.get("1") is None
    cache.set("1", b"2")
    assert cache.get("1") == b"2"


def test_files_of_earlier_releases_are_removed(cache: DiskCache) -> None:
    file_of(cache).parent.mkdir()
    names = ("abcdef.sqlite3", "abcdef.sqlite3-wal")
    for name in names:
        (file_of(cache).parent / name).touch()
    cache.set("a", b"1")
    assert [name for name in names if (file_of(cache).parent / name).exists()] == []
    assert file_of(cache).name == FILE


def write_and_read(folder: str, worker: int, limit: int) -> None:
    cache = DiskCache(folder, {"OPTIONS": {"MAX_BYTES": limit}})
    for number in range(200):
        key = f"{number % 40}"
        cache.set(key, key.encode() * 500)
        value = cache.get(f"{(number * 7 + worker) % 40}")
        assert value in (None, f"{(number * 7 + worker) % 40}".encode() * 500)


def test_several_processes_and_threads_write_and_read_at_once(tmp_path: Path) -> None:
    spawning = multiprocessing.get_context("fork")
    limit = 100_000  # so that entries are removed meanwhile
    processes = [spawning.Process(target=write_and_read, args=(str(tmp_path), worker, limit)) for worker in range(3)]
    threads = [threading.Thread(target=write_and_read, args=(str(tmp_path), worker, limit)) for worker in range(2)]
    for work in (*processes, *threads):
        work.start()
    for work in (*processes, *threads):
        work.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    cache = DiskCache(str(tmp_path), {})
    cache.set("last", b"1")
    assert cache.get("last") == b"1"
    with closing(sqlite3.connect(file_of(cache))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_forked_process_opens_the_file_itself(cache: DiskCache) -> None:
    cache.set("a", b"1")

    def check() -> None:
        assert cache.get("a") == b"1"
        cache.set("b", b"2")

    process = multiprocessing.get_context("fork").Process(target=check)
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert cache.get("b") == b"2"
