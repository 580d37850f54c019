"""A site whose search engine is OpenSearch: the way of a record to the search page, and the pages while it is away."""

import secrets

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.state import index_state
from aggregator.indexing.wording import problems
from aggregator.models import Manifestation
from aggregator.search import get_index
from aggregator.search.base import Document, IndexUnavailable, Query
from aggregator.search.opensearch.engine import OpenSearchIndex
from aggregator.tasks import aggregate
from harvesting.harvest.store import public_id
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record
from harvesting.registry.registration import register
from tests.aggregator.search.conftest import SERVER
from tests.books import record

pytestmark = pytest.mark.django_db
NOWHERE = "http://127.0.0.1:1"  # no server listens there


def store(name: str, title: str) -> SourceRecord:
    repository = Repository.objects.first() or register(Repository(name="見本図書館"), [])
    return SourceRecord.objects.create(
        repository=repository,
        identifier=name,
        public_id=public_id(repository.number, name),
        metadata_prefix="dcndl",
        record=pack_record(record(name, title=title)),
        payload_hash=b"x",
        changed_at=timezone.now(),
    )


@pytest.fixture
def server(settings):
    """The site with indexes of its own on the server for tests."""
    if not SERVER:
        pytest.skip("SEARCH_TEST_URL names no server of OpenSearch")
    settings.SEARCH_URL = f"{SERVER}/site-{secrets.token_hex(6)}"
    yield get_index()
    get_index().remove()


@pytest.mark.opensearch
def test_a_record_is_matched_merged_and_found(server, client: Client) -> None:
    store("a1", "吾輩は猫である")
    store("a2", "こころ")
    assert aggregate() == 2
    assert not Manifestation.objects.to_index().exists()
    page = client.get("/search?q=吾輩 猫").content.decode()
    assert "吾輩は猫である" in page
    assert "こころ" not in page
    SourceRecord.objects.filter(identifier="a1").update(deleted=True, aggregated_at=None)
    aggregate()
    assert [server.search(Query(q=q)).total for q in ("吾輩は猫である", "こころ")] == [0, 1]


@pytest.mark.opensearch
def test_an_index_is_built_anew_beside_the_live_one(server) -> None:
    for number in range(1, 4):
        store(f"a{number}", f"見本の本 第{number}巻")
    aggregate()
    former = server.facts().generation
    assert sum(reindex()) == 3
    assert server.facts().generation != former
    assert server.search(Query(q="見本の本")).total == 3


@pytest.mark.opensearch
def test_a_write_that_comes_late_does_not_replace_a_newer_one(server, monkeypatch) -> None:
    def late():
        server.update([Document(id=1, titles=("新しい題",))])
        yield Document(id=1, titles=("古い題",))

    assert server.update(late()) == frozenset()
    assert [server.search(Query(q=q)).total for q in ("新しい題", "古い題")] == [1, 0]


@pytest.mark.opensearch
def test_a_turn_to_build_is_taken_over_only_from_a_killed_build(server, monkeypatch) -> None:
    killed = server.build_beside()
    killed.__enter__()
    with pytest.raises(IndexUnavailable, match="rebuilding"), server.build_beside():
        pass
    monkeypatch.setattr("aggregator.search.opensearch.generations.SILENT", -1)
    with server.build_beside() as build:
        build.update([Document(id=1, titles=("猫",))])
    assert server.count() == 1


def test_everything_but_the_search_works_while_the_engine_is_away(settings, client: Client) -> None:
    store("a1", "吾輩は猫である")
    settings.SEARCH_URL = NOWHERE
    with pytest.raises(IndexUnavailable):
        aggregate()
    book = Manifestation.objects.get()
    assert client.get(f"/books/M{book.pk}").status_code == 200
    harvested = client.get("/oai", {"verb": "ListRecords", "metadataPrefix": "dcndl", "set": "merged"})
    assert "吾輩は猫である" in harvested.content.decode()
    refused = client.get("/search?q=猫")
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    assert Manifestation.objects.to_index().count() == 1
    settings.SEARCH_URL = ""
    assert sum(index_pending()) == 1
    assert client.get("/search?q=猫").status_code == 200


@pytest.mark.opensearch
def test_an_index_of_another_version_is_replaced_by_building_anew(server, settings, monkeypatch) -> None:
    with monkeypatch.context() as other:
        other.setattr("aggregator.search.opensearch.generations.SHAPE", "1-1")
        OpenSearchIndex(settings.SEARCH_URL).update([Document(id=1, titles=("猫",))])
    assert not server.is_current()
    with pytest.raises(IndexUnavailable, match="outdated"):
        server.search(Query(q="猫"))
    store("a1", "吾輩は猫である")
    with pytest.raises(IndexUnavailable, match="outdated"):
        aggregate()
    assert sum(reindex()) == 1
    assert server.search(Query(q="猫")).total == 1


def test_a_site_starts_while_the_engine_is_away(settings, tmp_path) -> None:
    settings.SEARCH_URL, settings.STATIC_ROOT = NOWHERE, tmp_path / "static"
    call_command("prepare")
    assert index_state().problem == "unreachable"
    assert "SEARCH_URL" in "".join(problems(index_state()))
