"""All scenarios misbehave, are described in both languages and documented; some are tested in detail."""

import re
import ssl
import urllib.request
import zlib
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, IncompleteRead

import pytest
from lxml import etree

from sampleprovider.certificates import FLAWS, authority_pem
from sampleprovider.replies import OAI
from sampleprovider.scenarios import ROWS, SCENARIOS, Scenario, UnknownScenario, every_place, scenario_named
from sampleprovider.scenarios.base import DESCRIPTIONS, SUCCEEDED
from sampleprovider.server import serving
from sampleprovider.trial import COUNT, trial_source
from tests.paths import ROOT
from tests.sampleprovider import walking

DOCUMENT = ROOT / "docs" / "reference" / "faults.md"
# Scenarios without a fault, with which other harvesters have trouble nevertheless.
IN_ORDER = {
    *("get-only", "post-only", "own-query", "huge-page", "rs-list-index", "rs-well-known", "rss-one", "rss-two"),
    *("rss-not-modified", "granularity-day", "rs-at-list", "rs-at-capabilities"),
}
LIST = "/library/oai?verb=ListRecords&metadataPrefix=oai_dc"
NOT_WELL_FORMED = [name for name, scenario in SCENARIOS.items() if {"X5", "X6"} & set(scenario.rows)]


@cache
def correct_replies(protocol: str, adapted: str) -> list[tuple]:
    return walking.replies(None, protocol, SCENARIOS[adapted] if adapted else None)


def test_every_row_of_the_catalogue_has_a_scenario() -> None:
    assert not set(ROWS) - {row for scenario in SCENARIOS.values() for row in scenario.rows}
    assert not {row for scenario in SCENARIOS.values() for row in scenario.rows} - set(ROWS)
    assert len(SCENARIOS) >= 120


@pytest.mark.parametrize("scenario", every_place(), ids=lambda scenario: scenario.name)
def test_a_scenario_misbehaves(scenario: Scenario) -> None:
    correct = correct_replies(scenario.protocol, scenario.name.partition("@")[0] if scenario.adapt else "")
    if scenario.name not in IN_ORDER and not scenario.tls:
        assert walking.replies(scenario, scenario.protocol) != correct


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda scenario: scenario.name)
def test_a_scenario_is_described(scenario: Scenario) -> None:
    assert scenario.description("en").endswith(".")
    assert scenario.description("ja").rstrip("）").endswith(("。", "なし"))
    assert f"`{scenario.name}`" in DOCUMENT.read_text(encoding="utf-8")
    assert set(scenario.expected.states) <= {"succeeded", "failed", "paused"}


def test_every_description_belongs_to_a_scenario() -> None:
    assert DESCRIPTIONS.keys() <= SCENARIOS.keys()


def test_scenarios_are_found_by_name_and_place() -> None:
    assert scenario_named("cut-gzip@last").place == "last"
    assert scenario_named("html").expected.states != (SUCCEEDED,)
    for name in ("cut-gzip@middle", "html@last", "cutgzip"):
        with pytest.raises(UnknownScenario) as caught:
            scenario_named(name)
        assert caught.value.near


def fetched(base: str, path: str = LIST) -> tuple[int, bytes]:
    connection = HTTPConnection(base.removeprefix("http://"), timeout=20)
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.read()


@pytest.mark.parametrize("name", ["cut-length@first", "cut-chunks@first", "reset-once@first", "no-http@first"])
def test_the_connection_breaks(name: str) -> None:
    broken = pytest.raises((IncompleteRead, ConnectionResetError, HTTPException))
    with serving([trial_source()], scenario=scenario_named(name)) as server, broken:
        fetched(server.base)


@pytest.mark.parametrize(
    "name", ["trickle@first", "hang@first", "stall@first", "slow-head@first", "only-continues@first"]
)
def test_no_complete_reply_comes_in_time(name: str) -> None:
    with serving([trial_source()], scenario=scenario_named(name)) as server:
        connection = HTTPConnection(server.base.removeprefix("http://"), timeout=0.5)
        connection.request("GET", LIST)
        received = b""
        with suppress(TimeoutError):
            for _ in range(3):
                received += connection.sock.recv(100_000)
    assert b"</OAI-PMH>" not in received


def test_a_fault_limited_to_some_tries_ends_after_them() -> None:
    with serving([trial_source()], scenario=scenario_named("flaky-500@first")) as server:
        assert [fetched(server.base)[0] for _ in range(3)] == [500, 500, 200]


def test_a_fault_at_the_last_page_is_only_there() -> None:
    with serving([trial_source()], scenario=scenario_named("control-raw@last")) as server:
        pages = [fetched(server.base)[1]]
        while token := re.search(rb"<resumptionToken[^>]*>([^<]+)<", pages[-1]):
            pages.append(fetched(server.base, f"/library/oai?verb=ListRecords&resumptionToken={token[1].decode()}")[1])
    assert [page.count(b"\x0b") for page in pages] == [0, 0, 0, 1]


def test_a_gzip_bomb_is_small_when_sent() -> None:
    with serving([trial_source()], scenario=scenario_named("gzip-bomb@first")) as server:
        packed = fetched(server.base)[1]
    assert len(packed) < 1_000_000
    assert len(zlib.decompressobj(31).decompress(packed, 10_000_000)) == 10_000_000


@pytest.mark.parametrize("flaw", FLAWS)
def test_certificates_have_the_flaw_of_the_scenario(flaw: str) -> None:
    scenario = next(scenario for scenario in SCENARIOS.values() if scenario.tls == flaw)
    context = ssl.create_default_context(cadata=authority_pem())
    with serving([trial_source()], scenario=scenario) as server:
        connection = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
        if flaw == "own-ca":
            assert connection.open(server.base + LIST, timeout=5).status == 200
        else:
            with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
                connection.open(server.base + LIST, timeout=5)


@pytest.mark.parametrize("name", ["token-same-text", "token-reserved", "token-long", "empty-page", "pages-overlap"])
def test_unusual_lists_can_be_read_to_their_end(name: str) -> None:
    identifiers: set[str] = set()
    with serving([trial_source()], scenario=scenario_named(name)) as server:
        token = ""
        for _ in range(10):
            query = {"resumptionToken": token} if token else {"metadataPrefix": "oai_dc"}
            reply = server.reply("/library/oai", [("verb", "ListRecords"), *query.items()])
            root = etree.fromstring(reply.body)
            identifiers |= set(root.xpath("//*[local-name()='header']/*[local-name()='identifier']/text()"))
            token = root.xpath("string(//*[local-name()='resumptionToken'])")
            if not token:
                break
    assert len(identifiers) == COUNT


@pytest.mark.parametrize("name", ["utf-16", "euc-jp", "shift-jis", "namespaces-above", "namespace-prefixed"])
def test_unusual_documents_are_well_formed(name: str) -> None:
    with serving([trial_source()], scenario=scenario_named(name)) as server:
        reply = server.reply("/library/oai", [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")])
    assert len(etree.fromstring(reply.body).xpath("//*[local-name()='title']")) == 3


@pytest.mark.parametrize("name", NOT_WELL_FORMED)
def test_damaged_pages_are_not_well_formed(name: str) -> None:
    scenario = SCENARIOS[name].at("first")
    assert scenario.protocol == OAI
    with serving([trial_source()], scenario=scenario) as server:
        reply = server.reply("/library/oai", [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")])
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(reply.body)
