"""Detecting the protocol of an address, and probing what it offers."""

import io
import json

import pytest
from django.core.management import call_command
from django.utils import translation

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.messages import describe
from harvesting.models import Feed, Repository
from harvesting.transports.registry import TRANSPORTS
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


def guess_protocol_of(url: str) -> str:
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
def test_the_beginning_of_a_body_shows_the_protocol(start, protocol):
    assert protocol_of(start) == protocol


def test_oai_pmh_is_recognised_by_the_response_to_identify(fake):
    fake.answer = lambda request: Answer(b"<OAI-PMH/>" if request.arguments.get("verb") == "Identify" else b"<html/>")
    assert guess_protocol_of(f"{fake.url}/oai") == "oai-pmh"
    assert len(fake.requests) == 1


def test_resourcesync_is_found_from_a_home_page_at_its_well_known_address(fake):
    known = {"/.well-known/resourcesync": Answer(RS)}
    fake.answer = lambda request: known.get(request.path, Answer(b"<html></html>"))
    assert guess_protocol_of(f"{fake.url}/library/") == "resourcesync"
    assert len(fake.requests) == 3


def test_a_web_page_has_no_protocol_and_needs_three_requests_at_most(fake):
    fake.answer = lambda request: Answer(b"<!DOCTYPE html><html></html>", status=200 if request.path == "/" else 404)
    assert guess_protocol_of(f"{fake.url}/") == ""
    assert len(fake.requests) == 3


def test_an_error_page_is_not_taken_for_a_file(fake):
    fake.answer = lambda request: Answer(b"not found", status=404)
    assert guess_protocol_of(f"{fake.url}/list.csv") == ""


def test_a_provider_is_probed_without_giving_its_protocol(source, feed_of):
    result = probe(feed_of(source).base_url, sample=3)
    assert (result.protocol, result.guessed, result.prefix) == ("oai-pmh", True, "dcndl")
    assert (result.received, result.registered, result.complete) == (3, 3, False)


def test_a_short_list_is_read_completely(source, feed_of):
    result = probe(feed_of(source).base_url, sample=50)
    assert (result.received, result.complete) == (5, True)


def test_records_that_would_be_refused_are_counted(source, feed_of):
    source.update([sample("b3", title="")])
    result = probe(feed_of(source).base_url)
    assert (result.received, result.registered) == (5, 4)


def test_a_sample_is_checked_by_the_policy_of_its_repository(source, feed_of):
    source.update([sample("b3", title="")])
    feed = feed_of(source)
    feed.repository.switches.create(code="dcndl.E003", outcome="warning", reason="x", decided_by="y")
    result = probe(feed.base_url)
    assert (result.registered, result.severities["record_error"]) == (5, 0)
    assert probe(feed.base_url, policy=Policy()).registered == 4


def test_a_sample_of_an_unknown_provider_is_checked_by_the_usual_policy(tmp_path):
    file = tmp_path / "one.json"
    file.write_text('{"titles": [{"value": "こころ"}]}', encoding="utf-8")
    result = probe(str(file), protocol="file")
    assert (result.policy.profile, result.registered) == ("ndl", 1)


def test_the_command_accepts_and_shows_the_profile(source, feed_of):
    url = feed_of(source).base_url
    for arguments, profile in [((), "ndl"), (("--profile", "lax"), "lax")]:
        output = io.StringIO()
        call_command("probe", url, "--json", *arguments, stdout=output)
        assert json.loads(output.getvalue())["profile"] == profile
    output = io.StringIO()
    call_command("probe", url, "--profile", "irdb", stdout=output)
    assert "irdb (" in output.getvalue()
    assert "--profile irdb" in output.getvalue()


def test_refused_requests_are_recorded_and_do_not_end_the_probe(fake):
    error = b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badVerb">x</error></OAI-PMH>'
    fake.answer = lambda request: Answer(error)
    result = probe(f"{fake.url}/oai")
    assert result.identity is None
    assert {"Identify", "ListRecords"} <= result.errors.keys()
    assert not result.usable


def test_an_unreachable_server_ends_the_probe():
    with pytest.raises(TransportError, match=r"127\.0\.0\.1"):
        probe("http://127.0.0.1:9/oai")


def test_a_probe_stores_nothing(source, feed_of):
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
def test_the_best_readable_format_is_chosen(offered, protocol, best):
    assert best_prefix(tuple(MetadataFormat(prefix=prefix) for prefix in offered), TRANSPORTS[protocol]) == best


@translation.override("en")
def test_a_mistyped_address_is_reported_if_its_host_offers_resourcesync(source):
    with running([source]) as host:
        result = probe(f"{host}/mistyped/path")
        error = result.errors["ListRecords"]
        message = describe(error.code, error.facts)
    assert (result.protocol, result.registered, error.code) == ("resourcesync", 0, "rs.elsewhere")
    assert f"There is no ResourceSync data at {host}/mistyped/path." in message
    assert f"{host}/.well-known/resourcesync" in message
