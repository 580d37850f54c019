"""Which links are dead, for the pages that readers see: kept in the memory of each process for a minute.

So a page reads nothing for it, and asks nobody. Where no link is dead, that costs a look into the cache.
"""

from dataclasses import dataclass
from hashlib import blake2b

from django.core.cache import caches

from aggregator.links.addresses import host_of, key_of, pattern_of
from aggregator.models import CheckedLink, LinkHost, LinkPattern

CACHE = "links"  # in settings.CACHES
SECONDS = 60.0
MOST = 200_000  # dead links that are known one by one; of more, those that were checked last


@dataclass(frozen=True, slots=True)
class DeadLinks:
    """Keys of dead links, dead patterns, and hosts that are gone. books: those with a dead link of their own.

    version: differs if the others do; b"" if nothing is dead.
    """

    keys: frozenset[int] = frozenset()
    patterns: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    books: frozenset[int] = frozenset()
    version: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.version)

    def has(self, url: str) -> bool:
        """Whether a link is dead."""
        return (
            (bool(self.hosts) and host_of(url) in self.hosts)
            or (bool(self.patterns) and pattern_of(url) in self.patterns)
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
    """Return which links are dead now. Three queries of indexed rows."""
    dead = CheckedLink.objects.filter(state=CheckedLink.State.DEAD).order_by("-checked_at")
    rows = sorted(dead.values_list("key", "book")[:MOST])
    patterns = sorted(LinkPattern.objects.filter(dead=True).values_list("text", flat=True))
    hosts = sorted(LinkHost.objects.filter(state=LinkHost.State.GONE).values_list("name", flat=True))
    if not (rows or patterns or hosts):
        return NOTHING
    version = blake2b(repr((rows, patterns, hosts)).encode(), digest_size=12).digest()
    keys, books = frozenset(key for key, _book in rows), frozenset(book for _key, book in rows)
    return DeadLinks(keys, frozenset(patterns), frozenset(hosts), books, version)
