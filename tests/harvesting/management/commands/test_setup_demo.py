"""`manage.py setup_demo`: registers the providers, and their records follow them to another port."""

import io
import json

import pytest
from django.core.management import call_command

from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from sampleprovider.demo.headers import headers
from sampleprovider.demo.small import demo_source
from sampleprovider.server import running
from sampleprovider.source import SampleSource

pytestmark = pytest.mark.django_db
NAME, NUMBER = "univ-repository", "R900000002"


def registered(url: str, size: str) -> set[str]:
    output = io.StringIO()
    call_command("setup_demo", provider_url=url, size=size, json=True, stdout=output)
    return set(json.loads(output.getvalue())["repositories"])


def harvested_links(source: SampleSource) -> tuple[str, set[str]]:
    """Start the provider on a free port and harvest it; return its address and those to which its records link."""
    with running([source]) as base:
        registered(base, "small")
        call_command("harvest", NUMBER, json=True, stdout=io.StringIO())
    stored = SourceRecord.objects.filter(deleted=False)
    links = [link for record in stored for link in unpack_record(record.record).see_also]
    return base, {link.partition(f"/{NAME}/")[0] for link in links if f"/{NAME}/" in link}


def test_the_links_of_stored_records_follow_the_provider_to_another_port() -> None:
    source = demo_source(NAME)
    first, links = harvested_links(source)
    assert links == {first}
    second, links = harvested_links(source)
    assert second != first
    assert links == {second}


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
