"""The interface by which a library is asked: sends one question through the guarded fetch and reads the answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from aggregator.availability.answers import Availability, State
from aggregator.availability.daia import read_daia
from aggregator.availability.declared import PATHS, Declared, read_declared
from aggregator.models import AvailabilityAdapter
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.registry.transport import reader_policy

DEADLINE, CONNECT_TIMEOUT, READ_TIMEOUT = 4.0, 2.0, 3.0  # seconds
TURN_WAIT = 3.0  # seconds that a question waits while another process of this machine asks the same host
PAUSE = 0.1  # seconds between two questions to a host
MAX_BYTES = 256 * 1024
ABSENT = (404, 410)  # how some servers say that they do not know the book

WORDS = tuple(state for state in State if state is not State.UNKNOWN)
FIELDS = (*PATHS, *WORDS)  # what `AvailabilityAdapter.declared` may have: paths, and the words for each state
SEPARATORS = ",、，\n"  # between words


NOTHING_DECLARED = Declared()


@dataclass(frozen=True, slots=True)
class Adapter:
    """How a library is asked: what was registered, without the notes on successes and failures."""

    library: int
    kind: str
    address: str
    declared: Declared = NOTHING_DECLARED


def adapter_of(row: AvailabilityAdapter) -> Adapter:
    """Return the adapter of a row, which need not be stored."""
    return Adapter(row.library_id, row.kind, row.address, declared_of(row.declared))


def declared_of(fields: Mapping[str, str]) -> Declared:
    """Return declared fields as `read_declared` needs them. fields: by the names in FIELDS; others are ignored."""
    paths = {name: str(fields.get(name, "")) for name in PATHS}
    return Declared(**paths, words={state: _words(str(fields.get(state, ""))) for state in WORDS})


def _words(text: str) -> tuple[str, ...]:
    for separator in SEPARATORS:
        text = text.replace(separator, "\n")
    return tuple(word for line in text.split("\n") if (word := line.strip()))


def ask(url: str, adapter: Adapter) -> Availability:
    """Ask a library about a book. Raises TransportError or UnreadableAnswer. Takes at most some seconds."""
    with Fetcher(_policy()) as fetcher:
        fetched = fetcher.fetch(url, headers={"Accept": "application/json, application/xml;q=0.8, */*;q=0.5"})
    if fetched.status in ABSENT and not fetched.wall:
        return Availability()
    return read(adapter, fetched.checked().body)


def read(adapter: Adapter, body: bytes) -> Availability:
    """Read the answer of a library. Raises UnreadableAnswer."""
    if adapter.kind == AvailabilityAdapter.Kind.DAIA:
        return read_daia(body)
    return read_declared(body, adapter.declared)


def _policy() -> FetchPolicy:
    return reader_policy(
        "availability",
        TURN_WAIT,
        min_pause=PAUSE,
        deadline=DEADLINE,
        connect_timeout=CONNECT_TIMEOUT,
        read_timeout=READ_TIMEOUT,
        max_bytes=MAX_BYTES,
    )
