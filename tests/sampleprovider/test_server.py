"""The HTTP server: loopback only, GET and POST, pages and OpenURL, scenarios."""

import http.client
import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from sampleprovider.generator import generated_source
from sampleprovider.replies import RESOURCESYNC, RSS
from sampleprovider.scenarios import SCENARIOS
from sampleprovider.server import MAX_BODY, NotLoopback, SampleServer, running, serving
from sampleprovider.source import SampleSource

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LIST = "/x/oai?verb=ListRecords&metadataPrefix=oai_dc"


class Client:
    """A persistent connection to a server."""

    def __init__(self, base: str) -> None:
        self.connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=10)

    def get(self, path: str, method: str = "GET", body: str = "", headers: dict[str, str] | None = None):
        self.connection.request(method, path, body or None, headers or {})
        response = self.connection.getresponse()
        return response.status, response.read().decode(), response.headers


@pytest.fixture
def client(source: SampleSource) -> Iterator[Client]:
    with running([source, generated_source(50)], clock=lambda: datetime(2026, 1, 2, tzinfo=UTC)) as base:
        client = Client(base)
        yield client
        client.connection.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_only_loopback_is_served(host: str, source: SampleSource) -> None:
    with pytest.raises(NotLoopback):
        SampleServer((host, 0), [source])


def test_get_and_post_give_the_same_reply_on_one_connection(client: Client) -> None:
    query = urlencode({"verb": "ListRecords", "metadataPrefix": "oai_dc"})
    status, body, headers = client.get(f"/x/oai?{query}")
    first_socket = client.connection.sock
    assert (status, headers["Content-Type"]) == (200, "text/xml; charset=UTF-8")
    assert client.get("/x/oai", "POST", query, FORM)[1] == body
    assert client.connection.sock is first_socket
    assert "<responseDate>2026-01-02T00:00:00Z</responseDate>" in body


def test_the_base_url_is_where_the_server_listens(client: Client) -> None:
    base = f"http://127.0.0.1:{client.connection.port}/x/oai"
    assert f"<baseURL>{base}</baseURL>" in client.get("/x/oai?verb=Identify")[1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 415), ({"Content-Length": "x"} | FORM, 411), ({"Content-Length": str(MAX_BODY + 1)} | FORM, 413)],
)
def test_invalid_request_bodies_are_refused(client: Client, headers: dict[str, str], status: int) -> None:
    assert client.get("/x/oai", "POST", "verb=Identify", headers)[0] == status


def test_links_lead_to_the_address_of_the_server(client: Client) -> None:
    _, xml, _ = client.get("/generated/oai?verb=ListRecords&metadataPrefix=dcndl")
    link = re.search(r'seeAlso rdf:resource="http://127.0.0.1:(\d+)(/generated/books/[^"]+)"', xml)
    assert int(link[1]) == client.connection.port
    assert client.get(link[2])[0] == 200


def test_a_record_has_a_page_with_its_title(client: Client) -> None:
    status, html, headers = client.get("/x/books/2")
    assert status == 200
    assert "<h1>本 2</h1>" in html
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert client.get("/x/books/4")[0] == 410
    assert client.get("/x/books/99")[0] == 404


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"rft.isbn": "4003101014"}, "/x/books/2"),
        ({"rft.isbn": "978-4-00-310101-8", "rft.title": "違う題"}, "/x/books/2"),
        ({"rft.isbn": "9784000000000", "rft.title": "本３"}, "/x/books/3"),
        ({"rft.btitle": "本 5"}, "/x/books/5"),
    ],
)
def test_openurl_redirects_to_the_record(client: Client, query: dict[str, str], path: str) -> None:
    status, _, headers = client.get(f"/x/openurl?{urlencode(query)}")
    assert (status, headers["Location"]) == (302, path)


def test_openurl_without_a_match_is_not_found(client: Client) -> None:
    assert client.get("/x/openurl?rft.title=nothing")[0] == 404
    assert client.get("/x/openurl")[0] == 404


def test_openurl_finds_both_descriptions_of_a_generated_book(client: Client) -> None:
    record = client.get("/generated/books/000000004")[1]
    isbn = re.search(r"ISBN ([\d-]+)", record)[1]
    status, html, _ = client.get(f"/generated/openurl?rft.isbn={isbn}")
    assert status == 302 or html.count("<li>") == 2


def test_home_pages_list_sources_and_records_with_escaped_names(client: Client) -> None:
    assert '<a href="/x/">見本 &lt;&amp;&gt; 館</a>' in client.get("/")[1]
    home = client.get("/x/")[1]
    assert home.count("/x/books/") == 4
    assert "<&>" not in home


@pytest.mark.parametrize("path", ["/nowhere", "/x/nowhere", "/oai?verb=Identify", "/x/books/%00%ff"])
def test_unknown_paths_are_not_found(client: Client, path: str) -> None:
    assert client.get(path)[0] == 404


def test_the_name_of_a_single_source_may_be_left_out(source: SampleSource) -> None:
    with running([source]) as base:
        assert Client(base).get("/oai?verb=Identify")[0] == 200


def test_html_scenario_gives_a_page_with_status_200(source: SampleSource) -> None:
    with running([source], scenario=SCENARIOS["html"]) as base:
        status, body, headers = Client(base).get(LIST)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=UTF-8")
    assert "OAI-PMH" not in body


def test_unavailable_scenario_has_retry_after(source: SampleSource) -> None:
    with running([source], scenario=SCENARIOS["unavailable"]) as base:
        status, _, headers = Client(base).get(LIST)
    assert (status, headers["Retry-After"]) == (503, "120")


def test_broken_scenario_damages_only_the_second_page(source: SampleSource) -> None:
    with running([source], scenario=SCENARIOS["broken"]) as base:
        first = Client(base).get(LIST)[1]
        token = re.search(r"<resumptionToken[^>]*>([^<]+)", first)[1]
        second = Client(base).get(f"/x/oai?verb=ListRecords&resumptionToken={token}")[1]
    assert first.count("<header") == first.count("</header>")
    assert second.count("<header") > second.count("</header>")


def test_the_port_is_released_afterwards(source: SampleSource) -> None:
    with running([source]) as base:
        port = int(base.rpartition(":")[2])
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_the_server_knows_the_addresses_of_protocols_and_records_requests(source: SampleSource) -> None:
    with serving([source]) as server:
        for protocol in (RESOURCESYNC, RSS):
            path = server.base_url(source, protocol).removeprefix(server.base)
            assert Client(server.base).get(path)[0] == 200
        assert server.visits.total == 2
        assert "/x/rss" in server.visits.paths
