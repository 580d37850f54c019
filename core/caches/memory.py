"""A cache in the memory of a process, shared by its threads. Values are returned as they were stored, not copied.

When it has MAX_ENTRIES entries, the least recently used are dropped first. It is faster than Django's LocMemCache,
which pickles every value, and is for values for which reading from disk would take too long.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, NamedTuple

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

from core.caches import check_key


class _Entry(NamedTuple):
    value: Any
    expires: float | None

    def is_valid(self) -> bool:
        return self.expires is None or self.expires > time.time()


class _Store:
    """The entries of one cache of this process."""

    def __init__(self) -> None:
        self.entries: OrderedDict[str, _Entry] = OrderedDict()
        self.lock = threading.Lock()


_STORES: dict[str, _Store] = {}  # by location; Django makes an object of the cache for every thread
_MAKING = threading.Lock()


class MemoryCache(BaseCache):
    """LOCATION: a name; caches with the same name share their entries. OPTIONS: MAX_ENTRIES (300)."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        with _MAKING:
            self._store = _STORES.setdefault(location, _Store())

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:
        name = self._key(key, version)
        with self._store.lock:
            entry = self._valid(name)
            if entry is None:
                return default
            self._store.entries.move_to_end(name)
            return entry.value

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> None:
        name, entry = self._key(key, version), self._entry(value, timeout)
        with self._store.lock:
            self._put(name, entry)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        name, entry = self._key(key, version), self._entry(value, timeout)
        with self._store.lock:
            if self._valid(name) is not None:
                return False
            self._put(name, entry)
            return True

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        name = self._key(key, version)
        with self._store.lock:
            entry = self._valid(name)
            if entry is None:
                return False
            self._put(name, entry._replace(expires=self.get_backend_timeout(timeout)))
            return True

    def delete(self, key: str, version: Any = None) -> bool:
        name = self._key(key, version)
        with self._store.lock:
            return self._store.entries.pop(name, None) is not None

    def clear(self) -> None:
        with self._store.lock:
            self._store.entries.clear()

    def _key(self, key: str, version: Any) -> str:
        made = self.make_key(key, version)
        check_key(made)
        return made

    def _entry(self, value: Any, timeout: Any) -> _Entry:
        if not isinstance(value, Hashable):  # lists, dictionaries and sets, which a reader might change
            raise TypeError(f"not immutable: {type(value).__name__}")
        return _Entry(value, self.get_backend_timeout(timeout))

    def _valid(self, name: str) -> _Entry | None:
        entry = self._store.entries.get(name)
        if entry is None or entry.is_valid():
            return entry
        del self._store.entries[name]
        return None

    def _put(self, name: str, entry: _Entry) -> None:
        entries = self._store.entries
        entries[name] = entry
        entries.move_to_end(name)
        while entries and (len(entries) > self._max_entries or not next(iter(entries.values())).is_valid()):
            entries.popitem(last=False)
