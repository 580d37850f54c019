"""Content types, access, licences, full texts, funders and degrees on the results page, in feeds, SRU and JSON."""

import pytest
from msgspec import structs

from metadata.record import Agent, File, Funding, MaterialType, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

CONDITIONS = {
    "kind": "departmental bulletin paper",
    "access": "premises",
    "licence": "cc-by-nc",
    "fulltext": "1",
    "funder_is": "日本学術振興会",
    "degree_is": "博士（文学）",
}


@pytest.fixture
def paper(shelf, archive) -> str:
    """The id of a paper to which every condition applies, beside a printed book."""
    record = structs.replace(
        KOKORO,
        titles=(Title(value="こころの研究"),),
        identifiers=(),
        material_types=(
            MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="departmental bulletin paper"),
            MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="unheard-of:type"),
        ),
        languages=("jpn", "qqq"),
        access_rights=("国立国会図書館内限定公開", "S01P99U99"),
        rights=("https://creativecommons.org/licenses/by-nc/4.0/",),
        files=(File(uri="https://repo.example.jp/1.pdf", type="fulltext"),),
        fundings=(Funding(funder=Agent(name="日本学術振興会")),),
        degree_names=("博士（文学）",),
    )
    source = shelf.record(archive, record)
    shelf.book(source, record=record)
    shelf.book(shelf.record(archive))
    return book_id(source)


@pytest.mark.parametrize("address", ["/search", "/feeds/search.atom", "/api/search", "/opensearch"])
def test_every_condition_holds_everywhere(client, paper, address):
    for name, value in CONDITIONS.items():
        assert f"/books/{paper}" in client.get(address, {"title": "こころ", name: value}).text, name
        without = client.get(address, {"title": "こころ", f"-{name}": value}).text
        assert f"/books/{paper}" not in without and "/books/" in without, name


@pytest.mark.parametrize("name", ["kind", "access", "licence", "fulltext"])
def test_what_is_not_of_the_list_is_refused(client, paper, name):
    assert client.get("/search", {name: "gold"}).status_code == 400


@pytest.mark.parametrize("name", ["kind", "access", "licence", "fulltext"])
def test_sru_has_an_index_of_each(client, paper, name):
    query = {"operation": "searchRetrieve", "version": "1.2", "query": f'{name} = "{CONDITIONS[name]}"'}
    assert "numberOfRecords>1<" in client.get("/sru", query).text


def test_the_facets_are_in_words(client, paper):
    page = client.get("/search", {"q": "こころ", "language": "jpn"}).text
    for words in ("紀要論文", "国立国会図書館内限定", "CC BY-NC（表示・非営利）", "本文あり"):
        assert words in page
    for code in ("S01P99U99", "qqq", "unheard-of"):
        assert code not in page


def test_a_condition_is_named_above_the_hits_and_ticked_in_the_form(client, paper):
    page = client.get("/search", {"access": "premises", "-licence": "cc-by"}).text
    assert "公開範囲" in page and "CC BY（表示）" in page
    form = client.get("/search/advanced?kind=dataset&fulltext=1&degree_is=博士（文学）").text
    assert '<input type="checkbox" name="kind" value="dataset" checked>' in form
    assert '<input type="checkbox" name="fulltext" value="1" checked>' in form
    assert "学位名: 博士（文学）" in form or "学位名：博士（文学）" in form


def test_facets_with_many_values_are_counted_when_they_are_opened(client, paper):
    page = client.get("/search", {"q": "こころ"}).text
    assert "助成機関" in page and "日本学術振興会" not in page
    assert "日本学術振興会" in client.get("/search/values/funder", {"q": "こころ"}).text
