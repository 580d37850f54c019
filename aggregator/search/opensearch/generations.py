"""The indexes of a site in OpenSearch: one is live, which an alias names, and one may be built beside it.

PREFIXbooks-v15-1                  the alias; 15-1 is the shape of the documents
PREFIXbooks-v15-1-20261127-9f…     an index; the day on which it was made, and a random word
PREFIXbuilding                     who builds an index now, and was last seen when
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from aggregator.search.base import IndexUnavailable
from aggregator.search.opensearch.client import WRITE, Answer, Client, Missing, Refused
from aggregator.search.opensearch.mapping import SHAPE, mapping, settings

REFRESH = "1s"
SILENT = 15 * 60  # seconds after which a build that shows no activity counts as killed
KEPT = timedelta(days=1)  # an index that is not live any more can still be read for so long
COPYING = 20 * 60  # seconds after which an index becomes live although no other node has all of it
_STEP = 0.2  # seconds
_DAY = "%Y%m%d"
_LOCK = {"dynamic": "strict", "properties": {"owner": {"type": "keyword"}, "seen": {"type": "long"}}}


class Generations:
    """Finds, creates and replaces the indexes. refresh: how soon a write becomes visible."""

    def __init__(self, client: Client, refresh: str = REFRESH) -> None:
        self._client = client
        self._refresh = refresh
        self._prefix = client.address.prefix
        self.alias = f"{self._prefix}books-v{SHAPE}"
        self._all = f"{self._prefix}books-v*"
        self._lock = f"{self._prefix}building"

    def live(self) -> str:
        """Return the name of the live index, "" before the first. Raises IndexUnavailable for one of another shape."""
        try:
            names = self._client.ask("GET", f"/{self._all}/_alias/{self.alias}")  # of ours: others are denied to us
        except Missing:
            names = {}
        if not names:
            self._check_others()
        return next(iter(names), "")

    def start_first(self) -> None:
        """Create an empty live index, unless another process does."""
        try:
            with self.building():
                if not self.live():
                    self._publish(self.create(), "")
        except IndexUnavailable as problem:
            if problem.code != "rebuilding":
                raise

    def create(self) -> str:
        """Create an index that is not live, made for the fastest writing; return its name."""
        name = f"{self.alias}-{datetime.now(UTC):{_DAY}}-{secrets.token_hex(6)}"
        body = {"settings": settings("-1", "false") | {"number_of_replicas": 0}, "mappings": mapping()}
        self._client.ask("PUT", f"/{name}", body, timeout=WRITE)
        return name

    def publish(self, name: str) -> None:
        """Make an index that was built the live one. The former one is removed by `tidy`, a day later."""
        self._publish(name, self.live_or_unusable())

    def discard(self, name: str) -> None:
        self._client.ask("DELETE", f"/{name}", options={"ignore_unavailable": "true"}, timeout=WRITE)

    def tidy(self) -> None:
        """Remove the indexes that have not been live for a day: former ones, and the remains of killed builds."""
        last = (datetime.now(UTC) - KEPT).strftime(_DAY)
        for name, of_name in self._client.ask("GET", f"/{self._all}/_alias").items():
            day = name.rsplit("-", 2)[-2]
            if not of_name["aliases"] and day.isdigit() and day < last:
                self.discard(name)

    def remove(self) -> None:
        """Remove all indexes, live or not."""
        for name in [*self._client.ask("GET", f"/{self._all}/_alias"), self._lock]:
            self.discard(name)

    @contextmanager
    def building(self) -> "Iterator[Turn]":
        """The only turn to build an index. Raises IndexUnavailable "rebuilding" while another process has it."""
        turn = Turn(self._client, self._lock)
        turn.take()
        try:
            yield turn
        finally:
            turn.give_up()

    def live_or_unusable(self) -> str:
        """As `live`, "" also for an index of another shape."""
        try:
            return self.live()
        except IndexUnavailable as problem:
            if problem.code != "outdated":
                raise
            return ""

    def _publish(self, name: str, former: str) -> None:
        self._client.ask("POST", f"/{name}/_refresh", timeout=WRITE)
        self._client.ask(
            "PUT", f"/{name}/_settings", {"auto_expand_replicas": "0-1", "refresh_interval": self._refresh}
        )
        self._wait_for_copies(name)
        actions = [{"add": {"index": name, "alias": self.alias}}]
        if former:
            actions.append({"remove": {"index": former, "alias": self.alias}})
        self._client.ask("POST", "/_aliases", {"actions": actions}, timeout=WRITE)

    def _wait_for_copies(self, name: str) -> None:
        """Wait until other nodes, if any, have copies of an index: one that is live must survive its node."""
        deadline = time.monotonic() + COPYING
        while time.monotonic() < deadline:
            copies = self._client.ask("GET", f"/{name}/_stats/docs")["_shards"]
            if copies["successful"] == copies["total"]:
                return
            time.sleep(_STEP)

    def _check_others(self) -> None:
        """Raise IndexUnavailable if the live index has another shape."""
        for name, of_name in self._client.ask("GET", f"/{self._all}/_alias").items():
            if of_name["aliases"]:
                raise IndexUnavailable("outdated", name)


class Turn:
    """The turn to build, as one document that says who has it, and when the holder was last seen."""

    def __init__(self, client: Client, index: str) -> None:
        self._client = client
        self._index = index
        self._owner = secrets.token_hex(8)
        self._ours: dict[str, str] = {}  # by which a later write is refused if another process has the turn

    def take(self) -> None:
        self._create_index()
        try:
            self._write({"op_type": "create"})
        except Refused:
            self._take_over()

    def show_activity(self) -> None:
        """Store that this process is still building.

        Raises IndexUnavailable if another process has taken the turn, because this one was silent for too long.
        """
        try:
            self._write(self._ours)
        except Refused:
            raise IndexUnavailable("rebuilding", self._index) from None

    def give_up(self) -> None:
        with suppress(Refused, Missing):  # another process has the turn
            self._client.ask("DELETE", f"/{self._index}/_doc/turn", options={"refresh": "true", **self._ours})

    def _create_index(self) -> None:
        body = {"settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"}, "mappings": _LOCK}
        try:
            self._client.ask("PUT", f"/{self._index}", body, timeout=WRITE)
        except Refused as problem:
            if problem.kind != "resource_already_exists_exception":
                raise

    def _take_over(self) -> None:
        """Take the turn of a build that was killed. Raises IndexUnavailable if it is not silent."""
        try:
            found = self._client.ask("GET", f"/{self._index}/_doc/turn")
            if time.time() - found["_source"]["seen"] >= SILENT:
                self._write(_version_of(found))
                return
        except (Missing, Refused):  # another process has given it up or taken it a moment ago
            pass
        raise IndexUnavailable("rebuilding", self._index)

    def _write(self, options: dict[str, str]) -> None:
        body = {"owner": self._owner, "seen": int(time.time())}
        self._ours = _version_of(self._client.ask("PUT", f"/{self._index}/_doc/turn", body, options))


def _version_of(answer: Answer) -> dict[str, str]:
    """The options of a request that is refused unless the document is as in this answer."""
    return {"if_seq_no": str(answer["_seq_no"]), "if_primary_term": str(answer["_primary_term"])}
