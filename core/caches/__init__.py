"""The two kinds of cache: on the disk of this machine, and in the memory of a process. Django cache backends.

`settings.CACHES` says which caches there are and how large they become; all are reached by `django.core.cache.caches`.
Both kinds may lose an entry at any time, and nothing depends on them. Neither uses pickle: values on disk are bytes,
values in memory are kept as they are and must therefore be immutable.
"""

import re

from django.core.cache.backends.base import InvalidCacheKey

_KEY = re.compile(r"[^\x00-\x20\x7f]{1,250}").fullmatch  # what memcached allows, as Django recommends


def check_key(key: str) -> None:
    """Raise InvalidCacheKey for a key that is too long or has control characters or blanks."""
    if not _KEY(key):
        raise InvalidCacheKey(key)
