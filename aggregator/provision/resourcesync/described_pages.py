"""The page that a resource describes: the provider's own page of a record, or the permanent page of a merged record."""

from collections.abc import Collection, Mapping, Sequence

from aggregator.catalogue.computed_holdings import link_source
from aggregator.catalogue.identity import page_address
from aggregator.libraries.provider_link import LinkSource, provider_link
from aggregator.provision.contents import Content
from aggregator.provision.listing import Entry
from aggregator.provision.pending import is_merged
from harvesting.models import Repository
from harvesting.records.compression import unpack_record
from metadata.record import Item

MAX_URL = 2000  # characters of an address


def pages(entries: Sequence[Entry], by_item: Mapping[int, Content]) -> dict[int, str]:
    """Return the pages that resources describe, by item; "" if only the provider's home page is known."""
    own_records = [entry for entry in entries if not is_merged(entry.item)]
    sources = _sources({entry.origin for entry in own_records})
    return {entry.item: page_address(entry.name) for entry in entries if is_merged(entry.item)} | {
        entry.item: _own_page(by_item[entry.item], sources[entry.origin])
        for entry in own_records
        if entry.origin in sources
    }


def _sources(origins: Collection[int]) -> dict[int, LinkSource]:
    return {repository.pk: link_source(repository) for repository in Repository.objects.filter(pk__in=origins)}


def _own_page(content: Content, source: LinkSource) -> str:
    record = unpack_record(content.packed)
    links = (provider_link(item, record, source) for item in record.items or (Item(),))
    url = next((link.url for link in links if link.kind in ("openurl", "detail")), "")
    return url if len(url) <= MAX_URL else ""
