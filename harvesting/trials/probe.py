"""What an address offers over any protocol, and what registering it would mean. Stores nothing."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from harvesting.http.fetch import Fetcher
from harvesting.models import Feed
from harvesting.records.sanitising import fit
from harvesting.registry.policies import policy_by_profile, registered_policy, usual_profile
from harvesting.registry.registration import DEFAULT_PREFIX, is_web_address
from harvesting.registry.transport import AT_ONCE, fetch_policy, transport_for
from harvesting.trials.protocol import FILE, OAI_PMH, guess
from harvesting.types import (
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Observation,
    Transport,
    TransportError,
)
from metadata.formats import READABLE, crosswalk_of
from metadata.formats.json import read as json_record
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import read
from metadata.xml.parsing import XmlError, parse

# Guideline 1.2.3: DC-NDL (RDF) first; then what says most.
JPCOAR = ("jpcoar_2.1", "jpcoar_2.0", "jpcoar", "jpcoar_1.0")
PREFERRED = ("dcndl", "dcndl_simple", *JPCOAR, "junii2", "marcxml", "mods", "oai_dc", "rss", json_record.PREFIX)
KEPT = 64 * 1024  # bytes of each record of the sample
MOST_BATCHES = 50  # of a list whose pages are empty
# The sample may be taken under the name that OAI-PMH has for the question, whatever the protocol.
LIST = "ListRecords"


@dataclass(kw_only=True)
class Probe:
    """What was found, and the sample as it would be read. `errors`: verb -> what went wrong.

    guessed: nobody named the protocol. complete: the sample is all there is. policy: how the sample is checked;
    None until its format is known.
    """

    base_url: str
    protocol: str = OAI_PMH
    guessed: bool = False
    prefix: str = ""
    policy: Policy | None = None
    identity: Identity | None = None
    formats: tuple[MetadataFormat, ...] = ()
    sets: tuple[OaiSet, ...] = ()
    errors: dict[str, TransportError] = field(default_factory=dict)
    observations: Counter[str] = field(default_factory=Counter)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)  # of the first notice of each code
    memory: dict[str, str] = field(default_factory=dict)
    received: int = 0
    deleted: int = 0
    readings: list[tuple[str, Reading]] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)  # of the same records, their first KEPT bytes
    written_in: list[str] = field(default_factory=list)  # the format that each is really in, "" for none that we read
    complete_list_size: int | None = None
    complete: bool = False

    @property
    def registered(self) -> int:
        """How many of the sample would be registered."""
        return sum(reading.record is not None for _identifier, reading in self.readings)

    @property
    def severities(self) -> Counter[str]:
        found = ((self.policy or Policy()).severity(issue.code) for issue in self.issues)
        return Counter(str(severity) for severity in found if severity is not None)

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
    """Ask everything once; without a protocol it is guessed. Raises TransportError where nothing can be reached.

    Without a policy the sample is checked as the repository registered with this address is, or as it would be.
    """
    guessed = not protocol
    feed = Feed(protocol=protocol or guess_protocol(base_url), base_url=base_url, metadata_prefix=prefix)
    found = probe_feed(feed, sample, policy or registered_policy(base_url))
    found.guessed = guessed
    return found


def guess_protocol(base_url: str) -> str:
    """What the address speaks; OAI-PMH where that cannot be told, because its message then says what is wrong."""
    if not is_web_address(base_url) and "://" not in base_url:
        return FILE
    with Fetcher(fetch_policy()) as fetcher:
        return guess(fetcher, base_url) or OAI_PMH


def probe_feed(feed: Feed, sample: int = 20, policy: Policy | None = None) -> Probe:
    """The same for a feed that need not be stored, with its login and its certificate authority."""
    transport = transport_for(feed, AT_ONCE)
    found = Probe(base_url=feed.base_url, protocol=feed.protocol, policy=policy)
    found.identity = _ask(found, "Identify", transport.identify, None)
    found.formats = _ask(found, "ListMetadataFormats", transport.metadata_formats, ())
    found.sets = _ask(found, "ListSets", transport.sets, ())
    found.prefix = feed.metadata_prefix or best_prefix(found.formats, feed.protocol)
    _ask(found, LIST, lambda: _sample(found, transport, feed, sample), None)
    return found


def _ask[T](found: Probe, verb: str, question: Callable[[], T], nothing: T) -> T:
    """Only ListRecords is compulsory (guideline 3.1.2), so every other refusal is a finding, not an end."""
    try:
        return question()
    except TransportError as error:
        if error.code.startswith(("net.", "credentials.")):
            raise
        found.errors[verb] = error
        return nothing


def best_prefix(formats: tuple[MetadataFormat, ...], protocol: str = OAI_PMH) -> str:
    """The richest offered format that we read, else the protocol's own.

    Every OAI-PMH provider must have oai_dc (section 4.4); elsewhere the records themselves tell.
    """
    offered = {each.prefix for each in formats}
    readable = [each for each in PREFERRED if each in offered and each in READABLE]
    if readable:
        return readable[0]
    return "oai_dc" if protocol == OAI_PMH else DEFAULT_PREFIX[protocol]


def _sample(found: Probe, transport: Transport, feed: Feed, size: int) -> None:
    """The first records, as a first harvest would get them; their own format where no prefix is known."""
    request = HarvestRequest(metadata_prefix=found.prefix, set_spec=feed.set_spec, full=True)
    seen: Counter[str] = Counter()
    for number, batch in enumerate(transport.batches(request), 1):
        found.complete_list_size = found.complete_list_size or batch.complete_list_size
        found.memory.update(batch.memory)
        for observation in batch.observations:
            _note(found, observation)
        left = size - found.received
        for record in batch.records[:left]:
            found.received += 1
            if record.deleted:
                found.deleted += 1
            else:
                written_in = format_of(record)
                seen[written_in] += 1
                found.policy = found.policy or policy_by_profile(usual_profile(found.prefix or written_in))
                found.readings.append((record.identifier, reading_of(record, found.prefix, found.policy)))
                found.payloads.append(record.payload[:KEPT])
                found.written_in.append(written_in)
        found.complete = batch.is_last and len(batch.records) <= left
        if found.received >= size or number >= MOST_BATCHES:
            break
    known = [prefix for prefix, _count in seen.most_common() if prefix]
    if not found.prefix and known:
        found.prefix = known[0]


def _note(found: Probe, observation: Observation) -> None:
    found.observations[observation.code] += 1
    found.facts.setdefault(observation.code, dict(observation.facts))


def format_of(record: HarvestedRecord) -> str:
    """The format that a record is really in, "" for none that we read."""
    if json_record.is_json(record.payload):
        return json_record.PREFIX
    try:
        root = record.root if record.root is not None else parse(record.payload)
    except XmlError:
        return ""
    crosswalk = crosswalk_of(root.tag)
    return crosswalk.prefix if crosswalk else ""


def reading_of(record: HarvestedRecord, prefix: str, policy: Policy) -> Reading:
    """A record as a harvest would read it; one in quarantine is not read."""
    record = fit(record)
    told = policy.told(record.issues)
    if policy.refuses(told):
        return Reading(issues=told)
    reading = read(record.payload, prefix, policy)
    return Reading(record=reading.record, issues=(*told, *reading.issues))
