"""The cache in memory: immutable values as they are, the least recently used dropped first."""

import threading
import time

import pytest
from django.core.cache.backends.base import InvalidCacheKey

from core.caches.memory import MemoryCache


@pytest.fixture
def cache(request: pytest.FixtureRequest) -> MemoryCache:
    return MemoryCache(request.node.nodeid, {"OPTIONS": {"MAX_ENTRIES": 3}})


def test_the_value_itself_is_returned_by_every_object_of_the_cache(
    cache: MemoryCache, request: pytest.FixtureRequest
) -> None:
    value = ("a", (1, 2))
    cache.set("a", value)
    assert MemoryCache(request.node.nodeid, {}).get("a") is value
    assert MemoryCache("another", {}).get("a") is None
    assert cache.get("b", "none") == "none"


def test_the_other_methods_of_a_cache(cache: MemoryCache) -> None:
    assert cache.add("a", 1)
    assert not cache.add("a", 2)
    assert cache.get_many(["a", "b"]) == {"a": 1}
    assert cache.touch("a", 100)
    assert not cache.touch("b")
    assert cache.delete("a")
    assert not cache.delete("a")
    cache.set_many({"a": 1, "b": 2})
    cache.clear()
    assert cache.get_many(["a", "b"]) == {}


def test_the_least_recently_used_are_dropped_first(cache: MemoryCache) -> None:
    for number in range(3):
        cache.set(f"{number}", number)
    assert cache.get("0") == 0
    cache.set("3", 3)
    assert cache.get_many(map(str, range(4))) == {"0": 0, "2": 2, "3": 3}


def test_expired_entries_are_misses_and_take_no_room(cache: MemoryCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.set("a", 1, 10)
    cache.set("b", 1, None)
    now = time.time()
    monkeypatch.setattr("core.caches.memory.time.time", lambda: now + 11)
    cache.set("c", 1)
    assert list(cache._store.entries) == [cache.make_key("b"), cache.make_key("c")]
    assert cache.get("a") is None
    assert cache.add("a", 2)


def test_what_has_expired_when_it_is_stored_is_not_kept(cache: MemoryCache) -> None:
    cache.set("a", 1, timeout=0)
    assert cache.get("a") is None


@pytest.mark.parametrize("value", [[], {}, {1}], ids=repr)
def test_values_that_a_reader_could_change_are_refused(cache: MemoryCache, value: object) -> None:
    with pytest.raises(TypeError):
        cache.set("a", value)


def test_wrong_keys_are_refused(cache: MemoryCache) -> None:
    with pytest.raises(InvalidCacheKey):
        cache.get("a b")


def test_one_of_many_threads_adds(cache: MemoryCache) -> None:
    added: list[bool] = []
    threads = [threading.Thread(target=lambda: added.append(cache.add("a", 1))) for _number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert added.count(True) == 1
