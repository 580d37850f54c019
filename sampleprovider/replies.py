"""What is asked of the sample provider and what it replies, before it is sent. Pure: no socket, no protocol."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sampleprovider.source import SampleSource

Params = Sequence[tuple[str, str]]
OAI, RESOURCESYNC, RSS = "oai-pmh", "resourcesync", "rss"
FIRST, LAST = "first", "last"


@dataclass(frozen=True, slots=True)
class Line:
    """The open connection, for replies that break the rules of HTTP.

    write: these bytes, at once. wait: so many seconds, less when the server stops. reset: end it with an RST.
    """

    write: Callable[[bytes], None]
    wait: Callable[[float], None]
    reset: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response before it is sent. wire: writes the whole response itself; afterwards the line is closed."""

    body: bytes
    status: int = 200
    content_type: str = "text/xml; charset=UTF-8"
    headers: tuple[tuple[str, str], ...] = field(default=())
    wire: "Callable[[Reply, Line], None] | None" = None

    def moved(self, old: str, new: str) -> "Reply":
        """The same with every link to one address leading to another."""
        headers = tuple((name, value.replace(old, new)) for name, value in self.headers)
        return replace(self, body=self.body.replace(old.encode(), new.encode()), headers=headers)

    def replaced(self, old: bytes, new: bytes, count: int = -1) -> "Reply":
        """The same with other bytes in its body."""
        return replace(self, body=self.body.replace(old, new, count))


@dataclass(slots=True)
class Visits:
    """What a server remembers of its requests. round: set from outside, the number of the harvest that is on."""

    total: int = 0
    round: int = 0
    paths: set[str] = field(default_factory=set)
    tries: Counter[tuple[str, ...]] = field(default_factory=Counter)
    lists: Counter[str] = field(default_factory=Counter)
    memory: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request to a source. place: where the scenario strikes, "" = on every page.

    path: below the source's own, e.g. "oai". answering: gives the right reply to this request.
    tries: how often exactly this was asked, this time included. lists: how often its list was begun.
    """

    protocol: str
    path: str
    source: SampleSource
    base: str
    answering: "Callable[[Asked], Reply]"
    params: Params = ()
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    place: str = ""
    visits: Visits = field(default_factory=Visits)
    tries: int = 1
    lists: int = 1

    def answer(self, **changes: Any) -> Reply:
        """The right reply, perhaps as if something else had been asked, or of another source."""
        return self.answering(replace(self, **changes))

    def get(self, name: str) -> str:
        """An argument, "" where it was not given."""
        return dict(self.params).get(name, "")

    def __contains__(self, name: object) -> bool:
        return any(name == given for given, _ in self.params)

    @property
    def round(self) -> int:
        """The number of the harvest that is on: as told, else the number of lists begun."""
        return self.visits.round or self.lists

    @property
    def is_list(self) -> bool:
        """Whether records are asked for."""
        return self.protocol != OAI or self.get("verb") == "ListRecords"

    def strikes(self, reply: Reply) -> bool:
        """Whether this is where the scenario strikes. first, last: a page of an OAI-PMH list, or in ResourceSync the
        lists, or the last resource that they list; an RSS feed has one page only."""
        if not self.is_list:
            return False
        if not self.place or self.protocol == RSS:
            return True
        if self.protocol == RESOURCESYNC:
            return self._is_resource_list() if self.place == FIRST else self._is_last_resource()
        is_first = "resumptionToken" not in self
        # The last page of several carries an empty token (section 3.5).
        return is_first if self.place == FIRST else not is_first and b"></resumptionToken>" in reply.body

    def _is_resource_list(self) -> bool:
        return "resourcelist" in self.path or "changelist" in self.path

    def _is_last_resource(self) -> bool:
        listing = self.source.holdings.listing(self.source.prefixes[0], "")
        return bool(listing) and self.path.endswith(f"/resources/{listing[-1].local_id}.xml")
