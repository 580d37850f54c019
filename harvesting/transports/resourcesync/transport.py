"""The ResourceSync 1.1 transport (in its terms, a destination): harvests the metadata of a source. No Django.

Discovery, planning and the reading of lists, packages and resources are in the modules beside this one. A ResourceSync
audit is a full harvest: every listed resource is fetched and verified, unchanged ones are not stored again, and a
resource that is no longer listed is absent from a list that was read to its end (`Batch.exhaustive`).
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from harvesting.transports.resourcesync.audit import ListedResource, list_resources, spread_entries
from harvesting.transports.resourcesync.discovery import Discovered, choose_offers, discover
from harvesting.transports.resourcesync.documents import Entry
from harvesting.transports.resourcesync.entries import read_item
from harvesting.transports.resourcesync.formats import offered_formats, preferred_format
from harvesting.transports.resourcesync.linking import Style
from harvesting.transports.resourcesync.lists import Item
from harvesting.transports.resourcesync.plan import make_plan
from harvesting.transports.resourcesync.position import Progress, load_progress
from harvesting.transports.resourcesync.requests import Fetch, SourceClient
from harvesting.transports.resourcesync.tasks import TaskRunner
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Batch, HarvestedRecord, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError

TRIED = 4  # entries looked at for each record of a sample, because lists may also name files and web pages
GRANULARITY = "YYYY-MM-DDThh:mm:ssZ"


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
        prefix = request.metadata_prefix or progress.memory.get("format", "")
        yield from TaskRunner(client, progress, prefix, request).batches()

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        """Yield single records, spread over the lists; as a harvest would where it reads packages or changes."""
        client = self._new_client()
        progress = self._progress(client, request)
        lists = [task.url for task in progress.tasks if task.kind == "resourcelist"]
        prefix, received = request.metadata_prefix or progress.memory.get("format", ""), 0
        entries, is_all = spread_entries(client, lists, TRIED * size)
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
        """Yield the resources that the source lists, or listed at a past time, without fetching them (see `audit`)."""
        client = self._new_client()
        return list_resources(client, choose_offers(discover(client, self.base_url).offers, set_spec), until)

    def _progress(self, client: SourceClient, request: HarvestRequest) -> Progress:
        if not request.resumption_token:
            return _plan_with_format(client, discover(client, self.base_url), request)
        progress = load_progress(request.resumption_token)
        for task in (
            progress.tasks
        ):  # the plan accepted the domains of these URLs, to which the registered address may redirect
            client.add_domain(task.url or self.base_url)
        return progress

    def _discover(self) -> Discovered:
        return discover(self._new_client(), self.base_url)

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
