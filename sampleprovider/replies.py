"""Requests to the sample provider and its replies before they are sent. Pure: no socket, no protocol."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sampleprovider.source import SampleSource

Params = Sequence[tuple[str, str]]
OAI, RESOURCESYNC, RSS, FILE, LIVE = "oai-pmh", "resourcesync", "rss", "file", "live"
FIRST, LAST = "first", "last"


@dataclass(frozen=True, slots=True)
class Connection:
    """The open connection, for replies that violate HTTP.

    write: sends bytes at once. wait: sleeps for some seconds, unless the server stops. reset: closes it with an RST.
    """

    write: Callable[[bytes], None]
    wait: Callable[[float], None]
    reset: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response before it is sent. wire: writes the whole response itself; then the connection is closed."""

    body: bytes
    status: int = 200
    content_type: str = "text/xml; charset=UTF-8"
    headers: tuple[tuple[str, str], ...] = field(default=())
    wire: "Callable[[Reply, Connection], None] | None" = None

    def moved(self, old: str, new: str) -> "Reply":
        """Return the reply with links to the address `old` changed to `new`."""
        headers = tuple((name, value.replace(old, new)) for name, value in self.headers)
        return replace(self, body=self.body.replace(old.encode(), new.encode()), headers=headers)

    def replaced(self, old: bytes, new: bytes, count: int = -1) -> "Reply":
        """Return the reply with bytes replaced in its body."""
        return replace(self, body=self.body.replace(old, new, count))


@dataclass(slots=True)
class Visits:
    """What a server remembers about its requests.

    total: number of all requests; paths: those requested. round: number of the current harvest, set from outside.
    tries: how often the same request was made. lists: how often reading a list was started, by path ("oai" for all of
    OAI-PMH). memory: values that scenarios keep between requests.
    """

    total: int = 0
    round: int = 0
    paths: set[str] = field(default_factory=set)
    tries: Counter[tuple[str, ...]] = field(default_factory=Counter)
    lists: Counter[str] = field(default_factory=Counter)
    memory: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a source. place: where the scenario applies its fault: FIRST, LAST or "" for every page.

    path: below that of the source, e.g. "oai". responder: returns the correct reply to a request.
    tries: how often the same request was made, including this time. lists: how often reading its list was started.
    """

    protocol: str
    path: str
    source: SampleSource
    base: str
    responder: "Callable[[Request], Reply]"
    params: Params = ()
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    place: str = ""
    visits: Visits = field(default_factory=Visits)
    tries: int = 1
    lists: int = 1

    def answer(self, **changes: Any) -> Reply:
        """Return the correct reply; with `changes` as if the request were another one, or to another source."""
        return self.responder(replace(self, **changes))

    def get(self, name: str) -> str:
        """Return an argument, "" if it is missing."""
        return dict(self.params).get(name, "")

    def __contains__(self, name: object) -> bool:
        return any(name == key for key, _ in self.params)

    @property
    def round(self) -> int:
        """The number of the current harvest: as set in `visits`, else the number of lists started."""
        return self.visits.round or self.lists

    @property
    def is_list(self) -> bool:
        """Whether the request is for records."""
        return self.protocol != OAI or self.get("verb") == "ListRecords"

    def is_affected(self, reply: Reply) -> bool:
        """Whether the fault of the scenario applies to this request.

        FIRST and LAST are pages of an OAI-PMH list; in ResourceSync they are the lists, and the last resource listed.
        An RSS feed has only one page.
        """
        if not self.is_list:
            return False
        if not self.place or self.protocol == RSS:
            return True
        if self.protocol == RESOURCESYNC:
            return self._is_resource_list() if self.place == FIRST else self._is_last_resource()
        is_first = "resumptionToken" not in self
        # The last of several pages has an empty token (OAI-PMH 2.0, section 3.5).
        return is_first if self.place == FIRST else not is_first and b"></resumptionToken>" in reply.body

    def _is_resource_list(self) -> bool:
        return "resourcelist" in self.path or "changelist" in self.path

    def _is_last_resource(self) -> bool:
        listing = self.source.holdings.listing(self.source.prefixes[0], "")
        return bool(listing) and self.path.endswith(f"/resources/{listing[-1].local_id}.xml")
