"""OpenURL and the description document of the face of NDL Search."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from lxml import etree

from aggregator.middleware.refusals import busy
from aggregator.query import costly_paths
from harvesting.models import Repository


def results(client, **parameters):
    """Return the conditions of the results page that an OpenURL leads to."""
    answer = client.get("/api/openurl", parameters)
    assert answer.status_code == 303
    address = urlsplit(answer["Location"])
    assert address.path == "/search"
    return dict(parse_qsl(address.query))


@pytest.mark.parametrize(
    ("parameters", "conditions"),
    [
        ({"btitle": "電子図書館"}, {"title": "電子図書館"}),
        ({"rft.au": "夏目漱石"}, {"creator": "夏目漱石"}),
        ({"aulast": "夏目", "aufirst": "漱石"}, {"creator": "夏目 漱石"}),
        ({"isbn": "4003101111", "pub": "岩波"}, {"isbn": "9784003101117", "publisher": "岩波"}),
        ({"issn": "0028-0836"}, {"issn": "0028-0836"}),
        ({"isbn": "9784003"}, {"isbn": "9784003*"}),
        ({"issn": "0387-6"}, {"issn": "03876*"}),
        ({"any": "猫", "jtitle": "科学"}, {"q": "猫", "journal": "科学"}),
        ({"ndl_jpno": "23164695"}, {"q": 'jpno:"23164695"'}),
        ({"ndl_jpno": "231-646"}, {"q": "jpno:231646*"}),
        ({"ndl_jpno": "2316", "any": "猫"}, {"q": "猫 jpno:2316*"}),
        ({"ndl_jpno": "231"}, {"q": 'jpno:"231"'}),
        ({"genre": "article", "atitle": "猫"}, {"title": "猫", "type": "Article"}),
        ({"genre": "book", "btitle": "猫"}, {"title": "猫", "-type": "Article"}),
        ({"btitle": "猫", "mediatype": "mina-daisy"}, {"title": "猫", "mediatype": "mina-daisy"}),
        (
            {"genre": "article", "atitle": "猫", "mediatype": "digital"},
            {"title": "猫", "type": "Article", "mediatype": "digital"},
        ),
        ({"btitle": "猫", "ndl_dpid": "A00001"}, {"title": "猫", "collection": "A00001"}),
        ({"btitle": "猫", "ndl_dpid": "ARinternet"}, {"title": "猫", "access": "internet"}),
        ({"btitle": "猫", "ndl_dpid": "ARrekion"}, {"title": "猫", "access": "recordings"}),
        ({"genre": "article", "btitle": "猫", "ndl_dpid": "R900000001"}, {"title": "猫", "repository": "R900000001"}),
    ],
)
def test_a_link_leads_to_the_results(client, library, parameters, conditions):
    found = results(client, **parameters)
    assert {**found, "isbn": found.get("isbn", "").replace("4003101111", "9784003101117")} == {"isbn": "", **conditions}


def test_several_mediatypes_are_alternatives(client, library):
    found = client.get("/api/openurl", {"btitle": "猫", "mediatype": "maps mina-daisy"})["Location"]
    assert parse_qsl(urlsplit(found).query)[-2:] == [("mediatype", "maps"), ("mediatype", "mina-daisy")]
    page = client.get(found).text
    assert "国立国会図書館サーチの資料形態・種別" in page and "障害者向け資料：DAISY" in page


def test_the_repositories_are_searched_as_providers(client, library):
    Repository.objects.filter(pk=library.pk).update(kind=Repository.Kind.INSTITUTIONAL)
    assert results(client, btitle="猫", mediatype="repository") == {"title": "猫", "repository": library.number}


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({}, "openurl"),
        ({"genre": "article", "btitle": "猫"}, "genre"),
        ({"rft.genre": "book", "rft.atitle": "猫"}, "genre"),
        ({"btitle": "猫", "mediatype": "1"}, "mediatype"),
        ({"btitle": "猫", "ndl_dpid": "aozora"}, "ndl_dpid"),
        ({"btitle": "猫", "ndl_dpid": "A0001"}, "ndl_dpid"),
        ({"btitle": "猫", "ndl_dpid": "R900000001 ARinternet"}, "ndl_dpid"),
        ({"btitle": "猫", "mediatype": "repository"}, "mediatype"),
        ({"btitle": "猫", "mediatype": "maps repository"}, "mediatype"),
        ({"btitle": "猫" * 300}, "btitle"),
    ],
)
def test_a_link_that_cannot_be_answered_gets_the_reason(client, library, parameters, name):
    answer = client.get("/api/openurl", parameters)
    assert answer.status_code == 400
    assert name in answer.content.decode()


def test_the_description_names_the_search(client, db):
    root = etree.fromstring(client.get("/api/opensearch_description").content)
    template = root.find("{*}Url[@type='application/rss+xml']").get("template")
    assert template == "http://127.0.0.1:8000/api/opensearch?any={searchTerms}&cnt={count?}&idx={startIndex?}"


@pytest.mark.parametrize("name", ["opensearch", "sru", "openurl"])
def test_the_budget_of_searches_applies_here_too(rf, name):
    path = f"/api/{name}"
    assert costly_paths.kind(path) == costly_paths.SEARCH
    refused = busy(rf.get(path))
    assert (refused.status_code, "problem" in refused["Content-Type"]) == (503, False)


def test_harvesters_share_the_limit_of_harvesters():
    assert costly_paths.kind("/api/oaipmh") == costly_paths.COLLECT
