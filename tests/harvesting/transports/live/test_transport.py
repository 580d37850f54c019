"""Live sources as transports: described and tried like other providers, but never harvested."""

import json

import pytest

from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.live_sources import followed, live_source_of
from harvesting.scheduling.schedule import describe, next_runs
from harvesting.transports.registry import TRANSPORTS, live_protocols
from harvesting.trials.probe import probe, probe_feed
from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer

EXPLAIN = """<explainResponse xmlns="http://www.loc.gov/zing/srw/"><version>1.2</version><record><recordData>
<explain xmlns="http://explain.z3950.org/dtd/2.0/"><databaseInfo><title>見本大学</title></databaseInfo>
<indexInfo><index><map><name set="dc">title</name></map></index></indexInfo>
<schemaInfo><schema name="dc" identifier="info:srw/schema/1/dc-v1.1"/></schemaInfo></explain></recordData></record>
</explainResponse>"""
RECORDS = """<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><version>1.2</version>
<numberOfRecords>40</numberOfRecords><records><record><recordData>
<dc xmlns="info:srw/schema/1/dc-schema" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>こころ</dc:title></dc>
</recordData></record><record><recordData>
<dc xmlns="info:srw/schema/1/dc-schema" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:date>1914</dc:date></dc>
</recordData></record></records></searchRetrieveResponse>"""


@pytest.fixture
def sru(server, settings):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.HARVEST_MIN_PAUSE = 0

    def answer(request):
        return Answer(
            (RECORDS if "query" in request.arguments else EXPLAIN).encode(), headers={"Content-Type": "text/xml"}
        )

    server.answer = answer
    return server


@pytest.fixture
def feed(db):
    owner = Repository.objects.create(number="R900000001", name="見本大学", name_en="Sample University", approved=True)
    return Feed.objects.create(
        repository=owner, protocol="live-sru", base_url="https://sru.example.jp/", metadata_prefix=""
    )


@pytest.mark.django_db
def test_a_probe_detects_describes_and_tries_a_source(sru):
    result = probe(f"{sru.url}/sru")
    assert (result.protocol, result.guessed, result.prefix) == ("live-sru", True, "oai_dc")
    assert (result.identity.repository_name, result.identity.live["indexes"]) == (
        "見本大学",
        {"any": "", "title": "dc.title"},
    )
    assert (result.received, result.registered, result.complete_list_size) == (2, 1, 40)
    assert "oai_dc.E003" in {issue.code for issue in result.issues}
    assert sru.requests[-1].arguments["query"] == '"図書館"'
    assert sru.requests[-1].arguments["recordSchema"] == "dc"


@pytest.mark.django_db
def test_the_test_search_uses_the_declared_words(sru):
    feed = Feed(protocol="live-sru", base_url=f"{sru.url}/sru", live_options={"known_item": "夏目 漱石"})
    assert probe_feed(feed).identity.live["known_item"] == "夏目 漱石"
    assert sru.requests[-1].arguments["query"] == '"夏目" and "漱石"'


@pytest.mark.django_db
def test_what_is_wrong_with_an_answer_is_reported(sru):
    sru.answers(Answer(EXPLAIN.encode()), Answer(b"<html>busy</html>"))
    result = probe_feed(Feed(protocol="live-sru", base_url=f"{sru.url}/sru"))
    assert [(error.code, error.facts["detail"]) for error in result.errors.values()] == [("live.not_sru", "<html>")]


def test_nothing_is_harvested_from_a_live_source(feed):
    with pytest.raises(TransportError) as raised:
        create_harvest(feed)
    assert raised.value.code == "run.live"
    assert not Harvest.objects.exists()


@pytest.mark.parametrize("schedule", Feed.Schedule.values)
def test_no_schedule_starts_anything(feed, schedule):
    feed.schedule, feed.cron = schedule, "0 3 * * *"
    assert (next_runs(feed, 3), "横断検索" in describe(feed)) == ([], True)


def test_every_live_kind_says_so():
    assert live_protocols() == [name for name in TRANSPORTS if name.startswith("live-")]
    assert len(live_protocols()) == 4


def test_a_feed_becomes_a_source(feed):
    feed.live_options = {"search_page": "https://opac.example.jp/?q={words}", "known_item": "門"}
    source = live_source_of(feed)
    assert (source.number, source.kind, source.names["en"]) == ("R900000001", "live-sru", "Sample University")
    feed.protocol, feed.base_url = "live-link", "https://opac.example.jp/?q={words}"
    assert followed(feed) == "https://opac.example.jp/?q=%E9%96%80"


@pytest.mark.django_db
def test_a_json_service_is_described_by_a_real_answer(server, settings):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.HARVEST_MIN_PAUSE = 0
    server.answers(Answer(json.dumps({"hits": 1, "items": [{"title": "門", "author": "漱石"}]}).encode()))
    feed = Feed(protocol="live-json", base_url=f"{server.url}/search?q={{words}}")
    result = probe_feed(feed)
    assert result.identity.live == {
        "known_item": "図書館",
        "items": "items",
        "total": "hits",
        "fields": {"title": "title", "author": "creator"},
    }
    assert '"漱石"' in result.identity.example
    ((_identifier, reading),) = result.readings
    assert reading.record.title == "門"
