"""The ResourceSync 1.1 transport: a destination that reads the metadata of a source. No Django.

Discovery, plan and the reading of lists, packages and resources are in the modules beside it. An audit is a full run:
every listed resource is fetched and verified, unchanged ones cost the store nothing, and what is not listed any more
is absent from a list that was read to its end (`Batch.exhaustive`).
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from harvesting.transports.patience import Patience
from harvesting.transports.resourcesync.audit import Listed, listed
from harvesting.transports.resourcesync.discovery import Discovered, chosen, discover
from harvesting.transports.resourcesync.documents import Entry
from harvesting.transports.resourcesync.entries import read_item
from harvesting.transports.resourcesync.formats import offered_formats, preferred
from harvesting.transports.resourcesync.linking import Style
from harvesting.transports.resourcesync.lists import Item
from harvesting.transports.resourcesync.plan import plan
from harvesting.transports.resourcesync.position import Progress, load
from harvesting.transports.resourcesync.requests import Asking, Fetch
from harvesting.transports.resourcesync.tasks import Run
from harvesting.types import Batch, HarvestedRecord, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError

GRANULARITY = "YYYY-MM-DDThh:mm:ssZ"


class ResourceSyncTransport:
    """One source, at whatever address of it a librarian knows. fetch: `Fetcher.fetch`."""

    def __init__(self, base_url: str, fetch: Fetch, patience: Patience | None = None) -> None:
        self.base_url = base_url
        self._fetch = fetch
        self._patience = patience or Patience()

    def identify(self) -> Identity:
        """deletedRecord is "transient" where a Change List tells deletions, else "no".

        "persistent" would be a promise that nobody makes: how long change lists stay is left open (section 1.3).
        """
        found = self._discover()
        capabilities = {name for offer in found.offers for name in offer.lists}
        return Identity(
            repository_name=urlsplit(found.url).hostname or "",
            base_url=found.url,
            protocol_version="ResourceSync 1.1",
            deleted_record="transient" if capabilities & {"changelist", "changedump"} else "no",
            granularity=GRANULARITY,
        )

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """As the links of a list say, else as its first resources are."""
        asking = self._asking()
        return offered_formats(asking, discover(asking, self.base_url))

    def sets(self) -> tuple[OaiSet, ...]:
        """One for each Capability List; () where there is only one."""
        offers = self._discover().offers
        if len(offers) < 2:
            return ()
        return tuple(OaiSet(spec=offer.spec, name=offer.name) for offer in offers)

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """The records of the lists in turn, from request.resumption_token if there is one; or the one record."""
        asking = self._asking()
        if request.identifier:
            yield _one(asking, request)
            return
        progress = self._progress(asking, request)
        yield from Run(asking, progress, request.metadata_prefix or progress.memory.get("format", "")).batches()

    def listed(self, until: datetime | None = None, set_spec: str = "") -> Iterator[Listed]:
        """What the source says it has, or had at that moment, without fetching any of it (see resourcesync_audit)."""
        asking = self._asking()
        return listed(asking, chosen(discover(asking, self.base_url).offers, set_spec), until)

    def _progress(self, asking: Asking, request: HarvestRequest) -> Progress:
        if not request.resumption_token:
            return _planned(asking, discover(asking, self.base_url), request)
        progress = load(request.resumption_token)
        for task in progress.tasks:  # approved when they were planned; the registered address may redirect
            asking.admit(task.url or self.base_url)
        return progress

    def _discover(self) -> Discovered:
        return discover(self._asking(), self.base_url)

    def _asking(self) -> Asking:
        return Asking(self._fetch, self._patience, self.base_url)


def _planned(asking: Asking, found: Discovered, request: HarvestRequest) -> Progress:
    """What to read; where no format is asked for and the source has several, with the choice among them."""
    if request.metadata_prefix:
        return plan(asking, found, request)
    prefix = preferred(asking, found, request)
    progress = plan(asking, found, replace(request, metadata_prefix=prefix))
    if prefix or request.memory.get("format"):
        progress.memory["format"] = prefix
    return progress


def _one(asking: Asking, request: HarvestRequest) -> Batch:
    """The resource with this URI, whatever the lists say of it. TransportError if it cannot be had."""
    entry = Entry(loc=request.identifier)
    style = Style(request.memory["style"]) if request.memory.get("style") in set(Style) else Style.UNKNOWN
    now = datetime.now(UTC)
    read = read_item(asking, Item(entry=entry), style, request.metadata_prefix)
    if read.failure:
        raise read.failure
    if read.record is None:
        raise TransportError(
            f"{request.identifier} is no metadata", "rs.not_metadata", permanent=True, url=request.identifier
        )
    records: tuple[HarvestedRecord, ...] = (read.record,)
    return Batch(records=records, response_date=now, observations=asking.told())
