"""Which links are dead, for the pages that readers see: kept in the memory of each process for a minute.

So a page reads nothing for it, and asks nobody. Where no link is dead, that costs a look into the cache.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType

from django.core.cache import caches
from django.db import connection

from aggregator.links.addresses import host_of, key_of, pattern_of
from aggregator.models import CheckedLink, LinkHost, LinkPattern

CACHE = "links"  # in settings.CACHES
SECONDS = 60.0
MOST = 200_000  # dead links that are known one by one; of more, those that were checked last


_LINK, _PATTERN, _HOST = range(3)
_STATEMENT = f"""
    SELECT {_LINK}, last.key, last.book, '' FROM (
        SELECT key, book FROM {CheckedLink._meta.db_table} WHERE state = %s ORDER BY checked_at DESC LIMIT {MOST}) last
    UNION ALL SELECT {_PATTERN}, 0, 0, text FROM {LinkPattern._meta.db_table} WHERE dead = %s
    UNION ALL SELECT {_HOST}, 0, 0, name FROM {LinkHost._meta.db_table} WHERE state = %s
"""  # noqa: S608 names only


@dataclass(frozen=True, slots=True)
class DeadLinks:
    """Keys of dead links, dead patterns by host, and hosts that are gone. books: those with a dead link of their own.

    version: differs if the others do; b"" if nothing is dead.
    """

    keys: frozenset[int] = frozenset()
    patterns: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    hosts: frozenset[str] = frozenset()
    books: frozenset[int] = frozenset()
    version: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.version)

    def has(self, url: str) -> bool:
        """Whether a link is dead."""
        host = host_of(url) if self.hosts or self.patterns else ""
        return (
            host in self.hosts
            or (host in self.patterns and pattern_of(url) in self.patterns[host])
            or (bool(self.keys) and key_of(url) in self.keys)
        )


NOTHING = DeadLinks()


def dead_links() -> DeadLinks:
    """Return which links are dead, as of at most a minute ago."""
    known: DeadLinks | None = caches[CACHE].get("dead")
    if known is None:
        known = read_dead_links()
        caches[CACHE].set("dead", known, SECONDS)
    return known


def read_dead_links() -> DeadLinks:
    """Return which links are dead now. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, [CheckedLink.State.DEAD, True, LinkHost.State.GONE])
        rows = sorted(cursor.fetchall())
    if not rows:
        return NOTHING
    patterns: defaultdict[str, set[str]] = defaultdict(set)
    for kind, _key, _book, text in rows:
        if kind == _PATTERN:
            patterns[text.partition("/")[0]].add(text)
    return DeadLinks(
        frozenset(key for kind, key, _book, _text in rows if kind == _LINK),
        MappingProxyType({host: frozenset(texts) for host, texts in patterns.items()}),
        frozenset(text for kind, _key, _book, text in rows if kind == _HOST),
        frozenset(book for kind, _key, book, _text in rows if kind == _LINK),
        blake2b(repr(rows).encode(), digest_size=12).digest(),
    )
