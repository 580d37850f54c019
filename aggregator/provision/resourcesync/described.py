"""The pages that resources describe: a provider's own page of the record, of a merged record its permanent page."""

from collections.abc import Collection, Mapping, Sequence

from django.conf import settings
from django.urls import reverse

from aggregator.catalogue.books import link_source
from aggregator.catalogue.provider_link import LinkSource, provider_link
from aggregator.provision.contents import Content
from aggregator.provision.listing import Entry
from aggregator.provision.pending import is_merged, number_of
from core.database.batches import select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import Item

LONGEST = 2000  # characters of an address


def pages(entries: Sequence[Entry], found: Mapping[int, Content]) -> dict[int, str]:
    """The page that each of these resources describes, by item; "" where only the provider's top page is known."""
    merged = [each.item for each in entries if is_merged(each.item)]
    others = [each for each in entries if not is_merged(each.item)]
    sources = _sources({each.origin for each in others})
    return _permalinks(merged) | {
        each.item: _own_page(found[each.item], sources[each.origin]) for each in others if each.origin in sources
    }


def _permalinks(items: Collection[int]) -> dict[int, str]:
    """A manifestation bears the number of its oldest record, whose permanent page shows it."""
    names = dict(select_in(SourceRecord, ("id", "public_id"), "id", [number_of(each) for each in items]))
    start = f"{settings.PUBLIC_URL}{reverse('home')}books/"
    return {each: f"{start}{names[number_of(each)]}" for each in items if number_of(each) in names}


def _sources(origins: Collection[int]) -> dict[int, LinkSource]:
    return {each.pk: link_source(each) for each in Repository.objects.filter(pk__in=origins)}


def _own_page(content: Content, source: LinkSource) -> str:
    record = unpack_record(content.packed)
    links = (provider_link(item, record, source) for item in record.items or (Item(),))
    url = next((each.url for each in links if each.kind in ("openurl", "detail")), "")
    return url if len(url) <= LONGEST else ""
