"""What a base URL offers and what registering it would mean. Stores nothing."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from harvesting.harvest import AT_ONCE, transport_for
from harvesting.transports.base import (
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Transport,
    TransportError,
)
from metadata.crosswalks import CROSSWALKS
from metadata.issue import Issue, Reading
from metadata.reading import read
from metadata.validation.catalogue import severity

PREFERRED = ("dcndl", "oai_dc")  # guideline 1.2.3: DC-NDL (RDF) first


@dataclass(kw_only=True)
class Probe:
    """What was found, and the sample as it would be read. `errors`: verb -> what went wrong."""

    base_url: str
    prefix: str = ""
    identity: Identity | None = None
    formats: tuple[MetadataFormat, ...] = ()
    sets: tuple[OaiSet, ...] = ()
    errors: dict[str, TransportError] = field(default_factory=dict)
    received: int = 0
    deleted: int = 0
    readings: list[tuple[str, Reading]] = field(default_factory=list)
    complete_list_size: int | None = None

    @property
    def registered(self) -> int:
        """How many of the sample would be registered."""
        return sum(reading.record is not None for _identifier, reading in self.readings)

    @property
    def severities(self) -> Counter[str]:
        return Counter(str(severity(issue.code)) for issue in self.issues)

    @property
    def issues(self) -> list[Issue]:
        return [issue for _identifier, reading in self.readings for issue in reading.issues]

    @property
    def usable(self) -> bool:
        """Whether a harvest with this prefix would bring records."""
        return "ListRecords" not in self.errors


def probe(base_url: str, *, protocol: str = "oai-pmh", prefix: str = "", sample: int = 20) -> Probe:
    """Ask everything once. Raises TransportError only where nothing at all can be reached."""
    transport = transport_for(protocol, base_url, AT_ONCE)
    found = Probe(base_url=base_url)
    found.identity = _ask(found, "Identify", transport.identify, None)
    found.formats = _ask(found, "ListMetadataFormats", transport.metadata_formats, ())
    found.sets = _ask(found, "ListSets", transport.sets, ())
    found.prefix = prefix or best_prefix(found.formats)
    _ask(found, "ListRecords", lambda: _sample(found, transport, sample), None)
    return found


def _ask[T](found: Probe, verb: str, question: Callable[[], T], nothing: T) -> T:
    """Only ListRecords is compulsory (guideline 3.1.2), so every other refusal is a finding, not an end."""
    try:
        return question()
    except TransportError as error:
        if error.code.startswith("net."):
            raise
        found.errors[verb] = error
        return nothing


def best_prefix(formats: tuple[MetadataFormat, ...]) -> str:
    """The richest offered format that we read; oai_dc, which every provider must have, if none is known."""
    offered = {each.prefix for each in formats}
    readable = [each for each in PREFERRED if each in offered and each in CROSSWALKS]
    return readable[0] if readable else "oai_dc"


def _sample(found: Probe, transport: Transport, size: int) -> None:
    for batch in transport.batches(HarvestRequest(metadata_prefix=found.prefix)):
        found.complete_list_size = found.complete_list_size or batch.complete_list_size
        for record in batch.records[: size - found.received]:
            found.received += 1
            if record.deleted:
                found.deleted += 1
            else:
                found.readings.append((record.identifier, read(record.payload, found.prefix)))
        if found.received >= size:
            return
