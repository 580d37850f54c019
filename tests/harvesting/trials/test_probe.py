"""What an address speaks, and what registering it would mean."""

import io
import json

import pytest
from django.core.management import call_command
from django.utils import translation

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.messages import describe
from harvesting.models import Feed, Repository
from harvesting.trials.probe import best_prefix, probe, probe_feed
from harvesting.trials.protocol import guess, protocol_of
from harvesting.types import MetadataFormat, TransportError
from metadata.policy import Policy
from sampleprovider.server import running
from tests.harvesting.conftest import sample
from tests.harvesting.fakeserver import LOOPBACK, Answer, serving

pytestmark = pytest.mark.django_db
RS = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'


@pytest.fixture
def fake():
    with serving() as server:
        yield server


def guessed(url: str) -> str:
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        return guess(fetcher, url)


@pytest.mark.parametrize(
    ("start", "protocol"),
    [
        (b'<?xml version="1.0"?><!-- x --><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">', "oai-pmh"),
        (b"\xef\xbb\xbf\n<oai:OAI-PMH>", "oai-pmh"),
        (RS, "resourcesync"),
        (b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">', ""),
        (b'<rss version="2.0">', "rss"),
        (b'<rdf:RDF xmlns:rdf="x" xmlns="http://purl.org/rss/1.0/">', "rss"),
        (b'<rdf:RDF xmlns:rdf="x" xmlns:dcndl="http://ndl.go.jp/dcndl/terms/">', "file"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom">', "rss"),
        (b"<!DOCTYPE html><html><body>", ""),
        (b"<collection xmlns='http://www.loc.gov/MARC21/slim'>", "file"),
        (b"00714cam a2200205 a 4500", "file"),
        (b"PK\x03\x04", "file"),
        ('書名,著者\n"<b>",x'.encode(), "file"),
        (b"", ""),
    ],
)
def test_the_beginning_tells_the_protocol(start, protocol):
    assert protocol_of(start) == protocol


def test_an_interface_is_recognised_by_its_answer_to_identify(fake):
    fake.answer = lambda asked: Answer(b"<OAI-PMH/>" if asked.arguments.get("verb") == "Identify" else b"<html/>")
    assert guessed(f"{fake.url}/oai") == "oai-pmh"
    assert len(fake.asked) == 1


def test_a_home_page_leads_to_resourcesync_by_its_well_known_address(fake):
    known = {"/.well-known/resourcesync": Answer(RS)}
    fake.answer = lambda asked: known.get(asked.path, Answer(b"<html></html>"))
    assert guessed(f"{fake.url}/library/") == "resourcesync"
    assert len(fake.asked) == 3


def test_a_web_page_is_nothing_and_costs_three_requests_at_most(fake):
    fake.answer = lambda asked: Answer(b"<!DOCTYPE html><html></html>", status=200 if asked.path == "/" else 404)
    assert guessed(f"{fake.url}/") == ""
    assert len(fake.asked) == 3


def test_a_page_of_an_error_is_no_file(fake):
    fake.answer = lambda asked: Answer(b"not found", status=404)
    assert guessed(f"{fake.url}/list.csv") == ""


def test_a_provider_is_probed_without_naming_its_protocol(source, feed_of):
    found = probe(feed_of(source).base_url, sample=3)
    assert (found.protocol, found.guessed, found.prefix) == ("oai-pmh", True, "dcndl")
    assert (found.received, found.registered, found.complete) == (3, 3, False)


def test_a_small_list_is_seen_to_its_end(source, feed_of):
    found = probe(feed_of(source).base_url, sample=50)
    assert (found.received, found.complete) == (5, True)


def test_records_that_would_be_refused_are_counted(source, feed_of):
    source.update([sample("b3", title="")])
    found = probe(feed_of(source).base_url)
    assert (found.received, found.registered) == (5, 4)


def test_a_sample_is_checked_as_its_repository_is(source, feed_of):
    source.update([sample("b3", title="")])
    feed = feed_of(source)
    feed.repository.switches.create(code="dcndl.E003", outcome="warning", reason="x", decided_by="y")
    found = probe(feed.base_url)
    assert (found.registered, found.severities["record_error"]) == (5, 0)
    assert probe(feed.base_url, policy=Policy()).registered == 4


def test_a_sample_of_a_stranger_is_checked_as_registering_it_would(tmp_path):
    file = tmp_path / "one.json"
    file.write_text('{"titles": [{"value": "こころ"}]}', encoding="utf-8")
    found = probe(str(file), protocol="file")
    assert (found.policy.profile, found.registered) == ("ndl", 1)


def test_the_command_says_and_takes_the_profile(source, feed_of):
    url = feed_of(source).base_url
    for asked, profile in [((), "ndl"), (("--profile", "lax"), "lax")]:
        output = io.StringIO()
        call_command("probe", url, "--json", *asked, stdout=output)
        assert json.loads(output.getvalue())["profile"] == profile
    output = io.StringIO()
    call_command("probe", url, "--profile", "irdb", stdout=output)
    assert "irdb (" in output.getvalue()
    assert "--profile irdb" in output.getvalue()


def test_what_is_refused_besides_the_list_is_a_finding(fake):
    error = b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badVerb">x</error></OAI-PMH>'
    fake.answer = lambda asked: Answer(error)
    found = probe(f"{fake.url}/oai")
    assert found.identity is None
    assert {"Identify", "ListRecords"} <= found.errors.keys()
    assert not found.usable


def test_a_server_that_cannot_be_reached_ends_the_probe():
    with pytest.raises(TransportError, match=r"127\.0\.0\.1"):
        probe("http://127.0.0.1:9/oai")


def test_nothing_is_stored(source, feed_of):
    url = feed_of(source).base_url
    probe_feed(Feed(base_url=url, protocol="oai-pmh", metadata_prefix="dcndl"))
    assert Repository.objects.count() == Feed.objects.count() == 1


@pytest.mark.parametrize(
    ("offered", "protocol", "best"),
    [
        (("oai_dc", "dcndl"), "oai-pmh", "dcndl"),
        (("oai_dc", "mods"), "oai-pmh", "mods"),
        (("unheard_of",), "oai-pmh", "oai_dc"),
        ((), "rss", "rss"),
        ((), "file", ""),
    ],
)
def test_the_richest_format_that_we_read_is_chosen(offered, protocol, best):
    assert best_prefix(tuple(MetadataFormat(prefix=each) for each in offered), protocol) == best


@translation.override("en")
def test_an_address_that_gives_nothing_is_told_apart_from_the_resourcesync_of_its_host(source):
    with running([source]) as host:
        found = probe(f"{host}/mistyped/path")
        told = describe("rs.elsewhere", found.facts["rs.elsewhere"])
    assert (found.protocol, found.registered) == ("resourcesync", 5)
    assert f"There is nothing at {host}/mistyped/path." in told
    assert f"{host}/.well-known/resourcesync" in told
