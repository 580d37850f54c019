"""`manage.py setup_demo`: registers the providers, and their records follow them to another port."""

import io
import json

import pytest
from django.core.management import call_command

from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord
from sampleprovider.demo.headers import headers
from sampleprovider.demo.large.facts import publications
from sampleprovider.demo.large.holdings import PROVIDERS, providers_of
from sampleprovider.demo.large.sources import large_source
from sampleprovider.demo.small import demo_source
from sampleprovider.server import running
from sampleprovider.source import SampleSource

pytestmark = pytest.mark.django_db
NAME, NUMBER = "univ-repository", "R900000002"
SLICE = publications()[::40]


def registered(url: str, size: str) -> set[str]:
    output = io.StringIO()
    call_command("setup_demo", provider_url=url, size=size, json=True, stdout=output)
    return set(json.loads(output.getvalue())["repositories"])


def harvested(source: SampleSource, number: str) -> tuple[str, list[BibliographicRecord]]:
    """Start the provider on a free port and harvest it; return its address and its stored records."""
    with running([source]) as base:
        registered(base, "large")
        call_command("harvest", number, json=True, stdout=io.StringIO())
    stored = SourceRecord.objects.filter(repository__number=number, deleted=False)
    return base, [unpack_record(record.record) for record in stored]


def addresses(records: list[BibliographicRecord], name: str) -> set[str]:
    """The addresses of the provider to which the records link, without path."""
    return {
        link.partition(f"/{name}/")[0]
        for record in records
        for link in (record.uri, *record.see_also, *(link for item in record.items for link in item.see_also))
        if f"/{name}/" in link
    }


def test_the_links_of_stored_records_follow_the_provider_to_another_port() -> None:
    first, records = harvested(demo_source(NAME), NUMBER)
    assert addresses(records, NAME) == {first}
    second, records = harvested(demo_source(NAME), NUMBER)
    assert second != first
    assert addresses(records, NAME) == {second}


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_slice_of_the_large_demo_is_harvested_whole_and_follows_to_another_port(name: str) -> None:
    held = [publication for publication in SLICE if name in providers_of(publication)]
    source, number = large_source(name, held), headers("large")[name].number
    for _start in range(2):
        base, records = harvested(source, number)
        assert len(records) == len(held) > 1
        assert addresses(records, name) == {base}


def test_a_second_start_at_the_same_address_requests_only_what_has_changed() -> None:
    with running([demo_source(NAME)]) as base:
        registered(base, "small")
        call_command("harvest", NUMBER, json=True, stdout=io.StringIO())
        watermark = Repository.objects.get(number=NUMBER).feeds.get().watermark
        registered(base, "small")
    assert watermark
    assert Repository.objects.get(number=NUMBER).feeds.get().watermark == watermark


def test_the_large_demo_adds_its_providers_and_all_follow_a_later_start_of_the_small_one() -> None:
    assert registered("http://127.0.0.1:8401", "small") == {header.number for header in headers("small").values()}
    assert registered("http://127.0.0.1:8401", "large") == {header.number for header in headers("large").values()}
    assert registered("http://127.0.0.1:8402", "small") == {header.number for header in headers("large").values()}
    repositories = Repository.objects.all()
    assert all(feed.base_url.startswith("http://127.0.0.1:8402/") for one in repositories for feed in one.feeds.all())
