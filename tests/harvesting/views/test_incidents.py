"""What a harvest keeps after an incident at a provider, and what its page then says and proposes."""

import html
import re

import pytest
from django.urls import reverse

from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import DateWindow, Feed, Harvest, HealthStatus, Repository, SourceRecord
from harvesting.monitoring import verdicts
from harvesting.registry.registration import register
from sampleprovider.scenarios import scenario_named
from sampleprovider.server import running
from sampleprovider.source import SampleSource
from tests.aggregator.views.records_with_issues import person
from tests.books import book
from tests.harvesting.batches import harvest_records, live, new_feed
from tests.harvesting.conftest import sample
from tests.harvesting.transports.resourcesync_source import Source as ResourceSyncSource
from tests.harvesting.transports.resourcesync_source import document, index, md, part
from tests.harvesting.transports.resourcesync_source import source as resourcesync_source

pytestmark = pytest.mark.django_db
RECORDS = 195


@pytest.fixture
def page(client):
    """A function that returns the text of the page of a run, as staff see it."""
    client.force_login(person("taro", staff=True))

    def text(run: Harvest) -> str:
        answer = client.get(reverse("harvest", args=[run.pk]), headers={"Accept-Language": "en"})
        return html.unescape(re.sub(r"<[^>]+>", "", answer.text))

    return text


@pytest.mark.parametrize(("fault", "encoding"), [("encoding-untrue", "cp932"), ("encoding-jis", "ISO-2022-JP")])
def test_a_list_in_another_encoding_than_it_declares_replaces_nothing_and_its_encoding_is_proposed(
    page, fault, encoding
):
    records = [sample(f"b{number}", title=f"見本の本{number}") for number in range(RECORDS)]
    source = SampleSource(name="library", prefixes=("dcndl",), page_size=RECORDS, records=records)
    with running([source]) as address:
        feed = Feed(base_url=f"{address}/library/oai", metadata_prefix="dcndl")
        register(Repository(name="見本図書館", state="live"), [feed])
        assert harvest(create_harvest(feed)).state == "succeeded"
    before = dict(SourceRecord.objects.values_list("identifier", "payload_hash"))
    mark = Feed.objects.get().watermark
    with running([source], scenario=scenario_named(fault)) as address:
        Feed.objects.update(base_url=f"{address}/library/oai")
        run = harvest(create_harvest(Feed.objects.get(), full=True))
    assert (run.state, run.code, Feed.objects.get().watermark) == ("failed", "oai.encoding_wrong", mark)
    assert len(before) == RECORDS
    assert dict(SourceRecord.objects.values_list("identifier", "payload_hash")) == before
    text = page(run)
    assert f"Read as {encoding}, {RECORDS} of the {RECORDS} records on the page are readable" in text
    assert f"--encoding {encoding}" in text


def listed(site: ResourceSyncSource, number: int) -> str:
    """Offer a description of a book. Return its entry in a list."""
    path, data = f"/r{number}.xml", book(f"b{number}", title=f"見本の本{number}")
    site.at[path] = data
    return site.listing(path, data)


def test_an_unreadable_part_of_a_list_index_is_a_gap_until_it_is_read(page):
    with resourcesync_source() as site:
        site.offer(resourcelist="/index.xml")
        resources = [listed(site, number) for number in range(5)]
        site.at["/index.xml"] = index(
            md(capability="resourcelist"), part(site.url("/p0.xml")), part(site.url("/p1.xml"))
        )
        site.at["/p0.xml"] = document(md(capability="resourcelist"), *resources[:2])
        feed = Feed(base_url=site.url(site.entrance), metadata_prefix="dcndl", protocol="resourcesync")
        register(Repository(name="見本図書館", state="live"), [feed])
        first, second = harvest(create_harvest(feed)), harvest(create_harvest(feed))
        for run in (first, second):
            assert (run.state, run.code) == ("failed", "run.gaps")
        assert (SourceRecord.objects.count(), Feed.objects.get().watermark) == (2, None)
        assert DateWindow.objects.filter(state="gap", closed_at=None).exists()
        verdicts.renew_some()
        assert HealthStatus.objects.get().colour == "red"
        assert site.url("/p1.xml") in page(second)
        site.at["/p1.xml"] = document(md(capability="resourcelist"), *resources[2:])
        healed = harvest(create_harvest(Feed.objects.get()))
        assert (healed.state, healed.code, healed.facts) == ("succeeded", "", {})
    assert SourceRecord.objects.count() == 5
    assert not DateWindow.objects.filter(state="gap", closed_at=None).exists()


def test_the_page_lists_the_old_identifiers_with_the_new_ones_before_anything_is_deleted(page):
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, [live(f"old{number}", title=f"異なる本 {number}") for number in range(40)])
    run = harvest_records(feed, [live(f"new{number}", title=f"異なる本 {number}") for number in range(40)], full=False)
    text = page(run)
    assert "needs your decision" in text
    for number in range(40):
        assert f"oai:x:old{number} → oai:x:new{number}" in text
    assert not SourceRecord.objects.filter(deleted=True).exists()
