"""Probes an address: what it offers, over any protocol, and how a sample of its records is read. Stores nothing."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from harvesting.http.fetch import Fetcher
from harvesting.models import Feed
from harvesting.records.sanitising import make_storable
from harvesting.registry.policies import policy_by_profile, registered_policy, usual_profile
from harvesting.registry.registration import is_web_address
from harvesting.registry.transport import ONE_TRY, fetch_policy, transport_for
from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import DEFAULT, TRANSPORTS, UNKNOWN, for_files
from harvesting.transports.sampling import EvenSample
from harvesting.trials.protocol import guess
from harvesting.types import (
    Batch,
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Observation,
    Transport,
    TransportError,
)
from metadata.formats import READABLE, crosswalk_of, data_format_of, rank_of
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import read
from metadata.xml.envelopes import unwrap
from metadata.xml.parsing import XmlError, parse

KEPT = 64 * 1024  # bytes kept of each record of the sample
FILE_START = 32 * 1024 * 1024  # bytes of a file in which the sample is looked for, and again when unpacked
LONGEST = 60.0  # seconds for the sample
LIST = "ListRecords"  # the name of the request for the sample, whatever the protocol


@dataclass(kw_only=True)
class Probe:
    """The result of a probe: what was found, and the sample as it would be read.

    guessed: the protocol was detected, not given. errors: verb -> error. complete: the sample is the whole list.
    policy: by which the sample is checked; None until its format is known.
    """

    base_url: str
    protocol: str = DEFAULT.name
    guessed: bool = False
    prefix: str = ""
    policy: Policy | None = None
    identity: Identity | None = None
    formats: tuple[MetadataFormat, ...] = ()
    sets: tuple[OaiSet, ...] = ()
    errors: dict[str, TransportError] = field(default_factory=dict)
    observations: Counter[str] = field(default_factory=Counter)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)  # of the first observation of each code
    memory: dict[str, str] = field(default_factory=dict)
    received: int = 0
    deleted: int = 0
    readings: list[tuple[str, Reading]] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)  # of the same records, the first KEPT bytes
    written_in: list[str] = field(
        default_factory=list
    )  # of the same records, the format found in the data; "" if we cannot read it
    complete_list_size: int | None = None
    complete: bool = False

    @property
    def kind(self) -> TransportKind:
        """What the transport of the protocol can."""
        return TRANSPORTS.get(self.protocol, UNKNOWN)

    @property
    def registered(self) -> int:
        """The number of sampled records that would be registered."""
        return sum(reading.record is not None for _identifier, reading in self.readings)

    @property
    def severities(self) -> Counter[str]:
        severities = ((self.policy or Policy()).severity(issue.code) for issue in self.issues)
        return Counter(str(severity) for severity in severities if severity is not None)

    @property
    def issues(self) -> list[Issue]:
        return [issue for _identifier, reading in self.readings for issue in reading.issues]

    @property
    def usable(self) -> bool:
        """Whether a harvest with this prefix would bring records."""
        return LIST not in self.errors


def probe(
    base_url: str, *, protocol: str = "", prefix: str = "", sample: int = 20, policy: Policy | None = None
) -> Probe:
    """Probe an address; without a protocol, detect it. Raises TransportError if the address cannot be reached.

    Without a policy, the sample is checked by the policy of the repository registered with this address, or by the
    default policy of a new repository.
    """
    guessed = not protocol
    feed = Feed(protocol=protocol or guess_protocol(base_url), base_url=base_url, metadata_prefix=prefix)
    result = probe_feed(feed, sample, policy or registered_policy(base_url))
    result.guessed = guessed
    return result


def guess_protocol(base_url: str) -> str:
    """The protocol of an address; the default if it cannot be detected, because its error message then explains why."""
    if not is_web_address(base_url) and "://" not in base_url:
        return for_files().name
    with Fetcher(fetch_policy()) as fetcher:
        return guess(fetcher, base_url) or DEFAULT.name


def probe_feed(feed: Feed, sample: int = 20, policy: Policy | None = None, most_bytes: int = 0) -> Probe:
    """Probe a feed, which need not be stored, with its login and certificate authority. Raises as `probe` does.

    most_bytes: received in all; 0 for the limits of harvests. Of a file only the first FILE_START bytes are
    read, and the result says so.
    """
    transport = transport_for(feed, ONE_TRY, most_bytes, FILE_START)
    result = Probe(base_url=feed.base_url, protocol=feed.protocol, policy=policy)
    result.identity = _request(result, "Identify", transport.identify, None)
    result.formats = _request(result, "ListMetadataFormats", transport.metadata_formats, ())
    result.sets = _request(result, "ListSets", transport.sets, ())
    result.prefix = feed.metadata_prefix or best_prefix(result.formats, feed.transport_kind)
    _request(result, LIST, lambda: _take_sample(result, transport, feed, sample), None)
    return result


def _request[T](result: Probe, verb: str, request: Callable[[], T], default: T) -> T:
    """Return the response to a request, or the default if the provider refuses it.

    A refusal is recorded in `errors` and does not end the probe, because only ListRecords is compulsory (NDL guideline
    3.1.2). Network and login errors are raised.
    """
    try:
        return request()
    except TransportError as error:
        if error.code.startswith(("net.", "credentials.")):
            raise
        result.errors[verb] = error
        return default


def best_prefix(formats: tuple[MetadataFormat, ...], kind: TransportKind = DEFAULT) -> str:
    """The richest offered format that we can read, else the one that every provider must offer, else the default.

    kind: of the transport.
    """
    offered = {metadata_format.prefix for metadata_format in formats}
    readable = [prefix for prefix in READABLE if prefix in offered]
    if readable:
        return min(readable, key=rank_of)
    return kind.guaranteed_prefix or kind.default_prefix


def _take_sample(result: Probe, transport: Transport, feed: Feed, size: int) -> None:
    """Add a sample to the result: records from the beginning, the middle and the end, as a full harvest receives them.

    Where no prefix is known, the most frequent format of the records becomes the prefix. An error after the first
    records is recorded as an observation, because a harvest would have stored those.
    """
    request = HarvestRequest(metadata_prefix=result.prefix, set_spec=feed.set_spec, full=True)
    sample = EvenSample[HarvestedRecord](size)
    complete = incomplete = False
    try:
        for batch in _within_time(transport.sampled(request, size)):
            result.complete_list_size = result.complete_list_size or batch.complete_list_size
            result.memory.update(batch.memory)
            for observation in batch.observations:
                _record_observation(result, observation)
                incomplete = incomplete or observation.incomplete
            for record in batch.records:
                sample.add(record)
            complete = batch.is_last and not incomplete
    except TransportError as error:
        if not sample.seen:
            raise
        _record_observation(result, Observation(code=error.code, facts=error.facts))
    result.complete = complete and sample.seen <= size
    if complete:
        result.complete_list_size = result.complete_list_size or sample.seen
    seen = Counter(filter(None, [_add_record(result, record) for record in sample.chosen()]))
    if not result.prefix and seen:
        result.prefix = seen.most_common(1)[0][0]


def _within_time(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches until LONGEST seconds have passed: a person waits for the result."""
    start = time.monotonic()
    for batch in batches:
        yield batch
        if time.monotonic() - start > LONGEST:
            return


def _add_record(result: Probe, record: HarvestedRecord) -> str:
    """Add a record of the sample to the result; return the format that was found in it."""
    result.received += 1
    if record.deleted:
        result.deleted += 1
        return ""
    written_in = format_of(record)
    result.policy = result.policy or policy_by_profile(usual_profile(result.prefix or written_in))
    result.readings.append((record.identifier, reading_of(record, result.prefix, result.policy)))
    result.payloads.append(record.payload[:KEPT])
    result.written_in.append(written_in)
    return written_in


def _record_observation(result: Probe, observation: Observation) -> None:
    result.observations[observation.code] += 1
    result.facts.setdefault(observation.code, dict(observation.facts))


def format_of(record: HarvestedRecord) -> str:
    """The format found in the data of a record, whatever was announced; "" if we cannot read it."""
    if (data_format := data_format_of(record.payload)) is not None:
        return data_format.prefix
    try:
        root = record.root if record.root is not None else parse(record.payload)
    except XmlError:
        return ""
    content = unwrap(root)
    root = content[0] if content is not root and len(content) == 1 else content
    crosswalk = crosswalk_of(root.tag)
    return crosswalk.prefix if crosswalk else ""


def reading_of(record: HarvestedRecord, prefix: str, policy: Policy) -> Reading:
    """Read a record as a harvest would. A record that the transport's issues already rule out is not read."""
    record = make_storable(record)
    reported = policy.reported(record.issues)
    if policy.refuses(reported):
        return Reading(issues=reported)
    reading = read(record.payload, prefix, policy)
    return Reading(record=reading.record, issues=(*reported, *reading.issues), enriched=reading.enriched)
