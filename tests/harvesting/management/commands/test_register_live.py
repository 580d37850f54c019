"""`register --protocol live-…` against the sample catalogue: described, tried, stored; nothing is harvested."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from core.commands import USAGE
from harvesting.http.fetch import Fetcher
from harvesting.live.asking import read_answer, request_for
from harvesting.live.types import AllOf, AnyOf, Not, Word, Years
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.live_sources import live_source_of
from harvesting.registry.transport import fetch_policy
from sampleprovider.server import running
from sampleprovider.source import SampleSource
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(settings):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.HARVEST_MIN_PAUSE = 0
    titles = ("こころ", "門", "こころと門")
    records = [sample(f"b{number}", title=title, issued=str(1990 + number)) for number, title in enumerate(titles)]
    with running([SampleSource(name="library", title="見本市立図書館", prefixes=("dcndl",), records=records)]) as base:
        yield f"{base}/library"


def registered(protocol, address, *options):
    out, err = StringIO(), StringIO()
    call_command(
        "register", "--name", "見本", "--protocol", protocol, "--base-url", address, *options, stdout=out, stderr=err
    )
    feed = Feed.objects.select_related("repository").get()
    assert (feed.schedule, Harvest.objects.exists()) == ("manual", False)
    return feed, out.getvalue() + err.getvalue()


def titles(feed, question):
    source = live_source_of(feed)
    request = request_for(source, question)
    with Fetcher(fetch_policy()) as fetcher:
        answer = read_answer(source, fetcher.fetch(request.url).body)
    assert answer.total == len(answer.records)
    assert all(hit.link.startswith("http://127.0.0.1:") for hit in answer.records)
    return {hit.record.title for hit in answer.records}, request.refused


def test_sru_is_described_and_tried(address):
    feed, said = registered("live-sru", f"{address}/sru", "--words", "こころ")
    assert (feed.metadata_prefix, feed.live_options["schema"], feed.live_options["version"]) == (
        "dcndl",
        "dcndl",
        "1.2",
    )
    assert (feed.live_options["known_item"], feed.live_options["indexes"]["title"]) == ("こころ", "dc.title")
    assert "2" in said
    assert titles(feed, Word("title", "門"))[0] == {"門", "こころと門"}
    assert titles(feed, AllOf((Word("title", "こころ"), Not(Word("any", "門")))))[0] == {"こころ"}
    assert titles(feed, AnyOf((Word("title", "門"), Word("any", "こころ"))))[0] == {"こころ", "門", "こころと門"}
    assert titles(feed, AllOf((Word("any", "門"), Years(1992, None))))[0] == {"こころと門"}
    assert titles(feed, Word("title", '門" or "')) == (set(), ())


def test_opensearch_is_described_and_tried(address):
    feed, _said = registered("live-opensearch", f"{address}/opensearch.xml", "--words", "門", "--rate", "0.5")
    assert (feed.metadata_prefix, feed.live_options["rate"]) == ("rss", 0.5)
    found, refused = titles(feed, AllOf((Word("any", "門"), Word("title", "こころ"), Years(1990, None))))
    assert found == {"こころと門"}
    assert [one.code for one in refused] == ["anywhere", "range"]


def test_a_json_service_is_mapped_by_itself_or_by_hand(address):
    feed, _said = registered("live-json", f"{address}/search.json?q={{words}}", "--words", "門")
    assert feed.live_options["fields"] == {
        "title": "title",
        "authors": "creator",
        "publisher": "publisher",
        "year": "issued",
        "link": "url",
    }
    assert (feed.live_options["items"], feed.live_options["total"]) == ("result.books", "result.total")
    assert titles(feed, Word("any", "門"))[0] == {"門", "こころと門"}
    Feed.objects.all().delete()
    feed, _said = registered(
        "live-json", f"{address}/search.json?q={{words}}&x=1", "--words", "門", "--column", "title=title"
    )
    assert feed.live_options["fields"] == {"title": "title"}


def test_a_link_is_only_stored():
    feed, said = registered("live-link", "https://opac.example.jp/search?q={words}")
    assert (feed.live_options, feed.metadata_prefix) == ({}, "")
    assert feed.repository.number in said


@pytest.mark.parametrize(
    ("protocol", "path", "options"),
    [
        ("live-sru", "/opensearch.xml", []),
        ("live-opensearch", "/sru", []),
        ("live-json", "/search.json", []),
        ("live-json", "/sru?q={words}", []),
        ("live-sru", "/sru", ["--index", "title=a or b"]),
        ("live-link", "/search", []),
    ],
)
def test_what_cannot_be_asked_is_not_registered(address, protocol, path, options):
    with pytest.raises(CommandError) as raised:
        registered(protocol, f"{address}{path}", *options)
    assert raised.value.returncode == USAGE
    assert not Repository.objects.exists()
