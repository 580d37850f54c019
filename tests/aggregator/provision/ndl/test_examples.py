"""The example requests of NDL Search's specification (version 1.3), with another server, get no error."""

import pytest
from lxml import etree

from tests.aggregator.provision.ndl.helpers import NAMES, message

OAI_ERROR = "{http://www.openarchives.org/OAI/2.0/}error"
SAKURA, SOSEKI = "%e6%a1%9c", "%e5%a4%8f%e7%9b%ae%e6%bc%b1%e7%9f%b3"


@pytest.mark.parametrize(
    "query",
    [
        f"title%3d%22{SAKURA}%22%20AND%20from%3d%222008%22%20AND%20until%3d%222008%22",
        f"creator=%22{SOSEKI}%22",
        "title%3dbook%20and%20publisher%3dlibrary",
        "title%20%3d%20%22andy%22",
        "title%3d%22ruby%20python%22",
        "title%20=%20architecture",
        "creator%20all%20%E5%A4%8F%E7%9B%AE%20%E8%8A%A5%E5%B7%9D",
        "title%20any%20%E5%A4%A2%E5%8D%81%E5%A4%9C%20%E3%81%93%E3%81%93%E3%82%8D",
        "dpid=A00001",
        "dpid=ARinternet",
    ],
)
def test_queries_of_sru_are_understood(client, kokoro, query):
    root = etree.fromstring(client.get(f"/api/sru?operation=searchRetrieve&query={query}").content)
    assert message(root) in ("", "Record does not exist")


def test_the_window_of_the_example_is_read(client, kokoro):
    root = etree.fromstring(
        client.get("/api/sru?operation=searchRetrieve&query=anywhere=1&startRecord=100&maximumRecords=20").content
    )
    assert message(root) in ("", "Record does not exist")


@pytest.mark.parametrize(
    "query",
    [
        "title=%e3%83%9e%e3%83%aa%e3%83%bc%e3%82%a2%e3%83%b3%e3%83%88%e3%83%af%e3%83%8d%e3%83%83%e3%83%88",
        "dpid=aozora&creator=%e5%a4%8f%e7%9b%ae",
    ],
)
def test_opensearch_answers_with_an_empty_feed(client, kokoro, query):
    answer = client.get(f"/api/opensearch?{query}")
    channel = etree.fromstring(answer.content)[0]
    assert (answer.status_code, channel.findtext("o:totalResults", namespaces=NAMES)) == (200, "0")


@pytest.mark.parametrize("query", ["btitle=%e9%9b%bb%e5%ad%90%e5%9b%b3%e6%9b%b8%e9%a4%a8", f"au={SOSEKI}"])
def test_openurl_leads_to_the_results(client, kokoro, query):
    answer = client.get(f"/api/openurl?{query}", follow=True)
    assert (answer.status_code, answer.request["PATH_INFO"]) == (200, "/search")


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("verb=Identify", ""),
        ("verb=ListMetadataFormats", ""),
        ("verb=ListSets", ""),
        ("verb=ListIdentifiers&metadataPrefix=oai_dc&from=2024-01-05", "noRecordsMatch"),
        ("verb=ListRecords&metadataPrefix=oai_dc&set=aozora&from=2024-01-05", "noRecordsMatch"),
        ("verb=ListIdentifiers&metadataPrefix=oai_dc&from=2024-01-05&set=A00001", "noRecordsMatch"),
        ("verb=ListIdentifiers&metadataPrefix=oai_dc&from=2024-01-10&set=ARinternet", "noRecordsMatch"),
        (
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:ndlsearch.ndl.go.jp:R100000002-I000001287827",
            "idDoesNotExist",
        ),
    ],
)
def test_requests_of_oai_pmh_are_understood(client, kokoro, query, error):
    root = etree.fromstring(client.get(f"/api/oaipmh?{query}").content)
    assert [found.get("code") for found in root.iterfind(OAI_ERROR)] == ([error] if error else [])


@pytest.mark.parametrize("code", ["9784999999996", "9999999999100011000A"])
@pytest.mark.parametrize("method", ["get", "head"])
def test_there_is_no_cover(client, kokoro, code, method):
    assert getattr(client, method)(f"/thumbnail/{code}.jpg").status_code == 404
