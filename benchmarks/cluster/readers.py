"""Readers and harvesters of a site on several machines, who go to the next one when one does not answer."""

import itertools
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import requests

PAGE, SEARCH, LIST = "pages", "searches", "lists"
DOORS = (
    (PAGE, "/"),
    (SEARCH, "/search?q=本"),
    (PAGE, "/books/{book}"),
    (LIST, "/oai?verb=ListRecords&metadataPrefix=oai_dc"),
    (PAGE, "/libraries/"),
    (SEARCH, "/api/search?q=文庫"),
    (LIST, "/oai?verb=ListIdentifiers&metadataPrefix=dcndl&set=merged"),
)
PATIENCE = 10.0  # seconds that a reader, or the proxy before the machines, waits for one of them
_BOOK = re.compile(r'href="[^"]*/books/(M\d+)')


@dataclass
class Served:
    """What readers got. moments: kind -> when a machine answered an address of this kind.

    failed: kind and status, or "silent" -> how often no machine answered better. wrong: addresses answered with status 500.
    """

    moments: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: "Counter[str]" = field(default_factory=Counter)
    wrong: "Counter[str]" = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, answer: requests.Response | None) -> None:
        with self._lock:
            if answer is not None and answer.status_code in (200, 404):
                self.moments[kind].append(time.monotonic())
            else:
                self.failed[f"{kind} {'silent' if answer is None else answer.status_code}"] += 1
            if answer is not None and answer.status_code == 500:
                self.wrong[answer.url] += 1

    def longest(self, kind: str, since: float) -> float:
        """The longest time without an answer of this kind since a moment, in seconds."""
        times = [since, *(moment for moment in self.moments[kind] if moment > since), time.monotonic()]
        return max(after - before for before, after in itertools.pairwise(times))


@contextmanager
def readers(urls: Sequence[str], count: int, served: Served, pause: float) -> Iterator[None]:
    """Run threads of readers while the block runs. Each requests all DOORS in turn, with a pause after every answer."""
    stopping = threading.Event()
    threads = [
        threading.Thread(target=_read, args=(urls, served, stopping, place, pause), daemon=True)
        for place in range(count)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join(60)


def _read(urls: Sequence[str], served: Served, stopping: threading.Event, place: int, pause: float) -> None:
    session, first, book = requests.Session(), place, "M1"
    session.headers["Accept"] = "text/html, */*"
    for kind, path in itertools.islice(itertools.cycle(DOORS), place, None):
        if stopping.is_set():
            return
        answer: requests.Response | None = None
        for step in range(len(urls)):
            answer = _asked(session, urls[(first + step) % len(urls)] + path.format(book=book))
            if answer is not None and answer.status_code < 502:
                first += step  # as a proxy does: go on with the machine that answered
                break
        served.note(kind, answer)
        if answer is not None and (found := _BOOK.search(answer.text)):
            book = found[1]
        time.sleep(pause)


def _asked(session: requests.Session, url: str) -> requests.Response | None:
    try:
        return session.get(url, timeout=(2, PATIENCE))
    except requests.RequestException:
        return None
