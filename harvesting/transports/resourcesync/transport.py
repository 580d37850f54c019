"""The ResourceSync 1.1 transport (in its terms, a destination): harvests the metadata of a source. No Django.

Discovery, planning and the reading of lists, packages and resources are in the modules beside this one. A ResourceSync
audit is a full harvest: every listed resource is fetched and verified, unchanged ones are not stored again, and a
resource that is no longer listed is absent from a list that was read to its end (`Batch.exhaustive`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from harvesting.transports.resourcesync.changes import archive_parts
from harvesting.transports.resourcesync.discovery import Discovered, Offer, choose_offers, discover
from harvesting.transports.resourcesync.documents import Entry, datestamp_of, parse_datetime
from harvesting.transports.resourcesync.entries import read_item
from harvesting.transports.resourcesync.fixity import listed_hashes
from harvesting.transports.resourcesync.formats import offered_formats, preferred_format
from harvesting.transports.resourcesync.linking import Style
from harvesting.transports.resourcesync.lists import (
    Item,
    Unit,
    UnitOpener,
    change_units,
    modified_since,
    resource_units,
)
from harvesting.transports.resourcesync.plan import make_plan
from harvesting.transports.resourcesync.position import Progress, load_progress
from harvesting.transports.resourcesync.requests import LIST_MISSING, Fetch, SourceClient
from harvesting.transports.resourcesync.tasks import MOST_BUSY_RESOURCES, TaskRunner
from harvesting.transports.retries import RetryPolicy
from harvesting.transports.sampling import EvenSample
from harvesting.types import Batch, HarvestedRecord, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError

SAMPLED_LISTS = 10  # read for a sample
TRIED = 4  # entries looked at for each record of a sample, because lists may also name files and web pages
GRANULARITY = "YYYY-MM-DDThh:mm:ssZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedResource:
    """One resource as described in a list. Of several with one identifier the last counts. sha256: b"" if not given."""

    identifier: str
    datestamp: str = ""
    deleted: bool = False
    sha256: bytes = b""
    length: str = ""
    type: str = ""


class ResourceSyncTransport:
    """The transport for one source, which may be registered by any of its addresses. fetch: `Fetcher.fetch`."""

    def __init__(self, base_url: str, fetch: Fetch, retry_policy: RetryPolicy | None = None) -> None:
        self.base_url = base_url
        self._fetch = fetch
        self._retry_policy = retry_policy or RetryPolicy()

    def identify(self) -> Identity:
        """Describe the source. deletedRecord is "transient" if it has change lists, which report deletions, else "no".

        It is never "persistent", because ResourceSync does not define how long change lists are kept (section 1.3).
        """
        discovered = self._discover()
        capabilities = {name for offer in discovered.offers for name in offer.lists}
        return Identity(
            repository_name=urlsplit(discovered.url).hostname or "",
            base_url=discovered.url,
            protocol_version="ResourceSync 1.1",
            deleted_record="transient" if capabilities & {"changelist", "changedump"} else "no",
            granularity=GRANULARITY,
        )

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """Return the formats that the links of a list name, else those of its first resources."""
        client = self._new_client()
        return offered_formats(client, discover(client, self.base_url))

    def sets(self) -> tuple[OaiSet, ...]:
        """Return a set for each Capability List; () if there is only one."""
        offers = self._discover().offers
        if len(offers) < 2:
            return ()
        return tuple(OaiSet(spec=offer.spec, name=offer.name) for offer in offers)

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """Yield the records of the lists, from request.resumption_token if there is one; or the requested record."""
        client = self._new_client()
        if request.identifier:
            yield _one_resource(client, request)
            return
        progress = self._progress(client, request)
        if progress.busy >= MOST_BUSY_RESOURCES:
            client.ask_busy_address()
        prefix = request.metadata_prefix or progress.memory.get("format", "")
        yield from TaskRunner(client, progress, prefix, request).batches()

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        """Yield single records, spread over the lists; as a harvest would where it reads packages or changes."""
        client = self._new_client()
        progress = self._progress(client, request)
        lists = [task.url for task in progress.tasks if task.kind == "resourcelist"]
        prefix, received = request.metadata_prefix or progress.memory.get("format", ""), 0
        entries, is_all = _spread_entries(client, lists, TRIED * size)
        for entry in entries:
            record = read_item(client, Item(entry=entry), progress.style, prefix).record
            if record is not None:
                received += 1
                observations, memory = client.take_observations(), progress.memory
                yield Batch(records=(record,), more=True, observations=observations, memory=memory)
            if received >= size:
                is_all = is_all and entry is entries[-1]
                break
        if not received:
            yield from self.batches(request)
        elif is_all:
            yield Batch(records=(), observations=client.take_observations())

    def listed(self, until: datetime | None = None, set_spec: str = "") -> Iterator[ListedResource]:
        """Yield the resources that the source lists, or listed at a past time, without fetching them.

        This serves to compare coverage and accuracy (ResourceSync 1.1, section 5.2): the sha256 in a list is that of
        the stored payload. Past states are read from the Archives documents.
        """
        client = self._new_client()
        return _list_resources(client, choose_offers(discover(client, self.base_url).offers, set_spec), until)

    def _progress(self, client: SourceClient, request: HarvestRequest) -> Progress:
        if not request.resumption_token:
            client.ask_busy_address()
            return _plan_with_format(client, discover(client, self.base_url), request)
        progress = load_progress(request.resumption_token)
        for task in (
            progress.tasks
        ):  # the plan accepted the domains of these URLs, to which the registered address may redirect
            client.add_domain(task.url or self.base_url)
        return progress

    def _discover(self) -> Discovered:
        client = self._new_client()
        client.ask_busy_address()
        return discover(client, self.base_url)

    def _new_client(self) -> SourceClient:
        return SourceClient(self._fetch, self._retry_policy, self.base_url)


def _plan_with_format(client: SourceClient, discovered: Discovered, request: HarvestRequest) -> Progress:
    """Plan a run. If no format is requested and the source has several, the preferred one is harvested."""
    if request.metadata_prefix:
        return make_plan(client, discovered, request)
    prefix = preferred_format(client, discovered, request)
    progress = make_plan(client, discovered, replace(request, metadata_prefix=prefix))
    if prefix or request.memory.get("format"):
        progress.memory["format"] = prefix
    return progress


def _one_resource(client: SourceClient, request: HarvestRequest) -> Batch:
    """Fetch the resource with the requested URI, whatever the lists say about it. TransportError on failure."""
    entry = Entry(loc=request.identifier)
    style = Style(request.memory["style"]) if request.memory.get("style") in set(Style) else Style.UNKNOWN
    now = datetime.now(UTC)
    result = read_item(client, Item(entry=entry), style, request.metadata_prefix)
    if result.failure:
        raise result.failure
    if result.record is None:
        raise TransportError(
            f"{request.identifier} is no metadata", "rs.not_metadata", permanent=True, url=request.identifier
        )
    records: tuple[HarvestedRecord, ...] = (result.record,)
    return Batch(records=records, response_date=now, observations=client.take_observations())


def _spread_entries(client: SourceClient, urls: Iterable[str], size: int) -> tuple[list[Entry], bool]:
    """Return entries of Resource Lists, spread over them, and whether these are all that are listed.

    The order is such that any beginning is spread over the lists too. Of many lists only SAMPLED_LISTS are read.
    """
    indexes, lists = EvenSample[str](SAMPLED_LISTS), EvenSample[UnitOpener](SAMPLED_LISTS)
    for url in urls:
        indexes.add(url)
    for url in indexes.chosen():
        for opener in resource_units(client, url, modified_since(None)):
            lists.add(opener)
    sample = EvenSample[Entry](size)
    for entry in _entries(_readable_units(client, lists.chosen())):
        sample.add(entry)
    chosen, is_all = sample.chosen(), max(indexes.seen, lists.seen) <= SAMPLED_LISTS and sample.seen <= size
    return [entry for start in (0, 2, 1, 3) for entry in chosen[start::4]], is_all


def _readable_units(client: SourceClient, openers: Iterable[UnitOpener]) -> Iterator[Unit | None]:
    """Open lists; one that is missing or broken is noted, so that the others are read all the same."""
    for opener in openers:
        try:
            yield opener()
        except TransportError as error:
            if not error.permanent:
                raise
            client.note(LIST_MISSING, incomplete=True, url=str(error.facts.get("url", "")), reason=error.code)


def _list_resources(
    client: SourceClient, offers: Iterable[Offer], until: datetime | None = None
) -> Iterator[ListedResource]:
    """Yield the resources of the newest list not newer than `until` and of the changes since.

    TransportError "rs.no_list" if there is no such list.
    """
    for offer in offers:
        url, at = _list_at(client, offer, until)
        yield from _wanted_entries(resource_units(client, url, modified_since(None)))
        for changes in offer.lists.get("changelist", ()):
            yield from _wanted_entries(change_units(client, changes, at, until))


def _wanted_entries(openers: Iterator[UnitOpener]) -> Iterator[ListedResource]:
    yield from map(_to_listed_resource, _entries(opener() for opener in openers))


def _entries(units: Iterable[Unit | None]) -> Iterator[Entry]:
    for unit in units:
        for number, entry in enumerate(unit.entries() if unit else ()):
            if unit and entry.loc and unit.wanted(number, entry):
                yield entry


def _list_at(client: SourceClient, offer: Offer, until: datetime | None) -> tuple[str, datetime | None]:
    """Return the URL and the time of the newest list not newer than `until`."""
    dated = [
        (part.at, part.url)
        for archive in offer.lists.get("resourcelist-archive", ())
        for part in archive_parts(client, archive)
        if part.at and client.is_own(part.url)
    ]
    for url in offer.lists.get("resourcelist", ()):
        at = parse_datetime(client.document(url).head.attributes.get("at", ""))
        if until is None or at is None:
            return url, at
        dated.append((at, url))
    candidates = [dated_list for dated_list in dated if until is None or dated_list[0] <= until]
    if not candidates:
        raise TransportError(f"{offer.spec} has no list of that time", "rs.no_list", permanent=True, url=offer.spec)
    at, url = max(candidates)
    return url, at


def _to_listed_resource(entry: Entry) -> ListedResource:
    hashes = dict(listed_hashes(entry.attributes.get("hash", "")))
    return ListedResource(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        deleted=entry.deleted,
        sha256=hashes.get("sha256", b""),
        length=entry.attributes.get("length", ""),
        type=entry.type,
    )
