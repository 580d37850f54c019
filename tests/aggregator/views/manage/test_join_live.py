"""Registering a catalogue that is only searched: from its address to a page of the provider, in both languages."""

import json

import pytest

from harvesting.models import Draft, Feed, Harvest, Repository
from tests.aggregator.views.manage.test_join import (  # noqa: F401  fixtures
    begin,
    librarian,
    no_queue,
    run_queued_tests,
    staff,
)
from tests.harvesting.conftest import server  # noqa: F401  a bare server on loopback
from tests.harvesting.fakeserver import Answer
from tests.harvesting.transports.live.test_transport import EXPLAIN, RECORDS

pytestmark = pytest.mark.django_db
BOOKS = {
    "total": 2,
    "list": [{"no": 7, "info": {"name_of_book": "門", "by": "漱石"}}, {"no": 8, "info": {"by": "鴎外"}}],
}
CONTACT = {"name": "見本大学", "kind": "library", "contact_email": "a@example.jp"}


@pytest.fixture(autouse=True)
def near(settings):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.HARVEST_MIN_PAUSE = 0


@pytest.fixture
def sru(server):  # noqa: F811
    server.answer = lambda request: Answer((RECORDS if "query" in request.arguments else EXPLAIN).encode())
    return f"{server.url}/sru"


def finish(client, draft):
    client.post(f"{draft}/sample")
    client.post(f"{draft}/links", {"home_page": "https://lib.example.jp/"})
    response = client.post(f"{draft}/contact", CONTACT)
    assert response.url == f"{draft}/summary"
    summary = client.get(f"{draft}/summary").content.decode()
    assert "readers cannot search it" in summary
    return client.post(f"{draft}/summary").url


def test_an_sru_address_becomes_a_live_provider(librarian, staff, sru, client):  # noqa: F811
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"base_url": sru, "known_item": "漱石"})
    run_queued_tests()
    page = librarian.get(f"{draft}/offer").content.decode()
    assert "live search: SRU" in page
    assert "title = dc.title" in page
    assert "Schedule" not in page
    offer = {"format": "oai_dc", "known_item": "漱石", "indexes": "any =\ntitle = dc.title", "rate": "2"}
    assert librarian.post(f"{draft}/offer", offer).url == f"{draft}/sample"
    run_queued_tests()
    sample = librarian.get(f"{draft}/sample").content.decode()
    assert "Test search" in sample
    assert "1 of 2 hits cannot be read and would not be shown." in sample
    assert "can be registered" not in sample
    assert "こころ" in sample
    japanese = librarian.get(f"{draft}/sample", headers={"accept-language": "ja"}).content.decode()
    assert "検索テスト" in japanese
    assert "ヒット件数" in japanese
    page = finish(librarian, draft)
    feed = Feed.objects.get()
    assert (feed.protocol, feed.metadata_prefix, feed.schedule) == ("live-sru", "oai_dc", "manual")
    assert feed.live_options == {
        "name": "見本大学", "known_item": "漱石", "rate": 2.0, "version": "1.2", "schemas": {"oai_dc": "dc"},
        "schema": "dc", "indexes": {"any": "", "title": "dc.title"},
    }  # fmt: skip
    assert "harvest now" not in librarian.get(page).content.decode().lower()
    application = Repository.objects.get().applications.get()
    granted = staff.post(
        f"{page}answer/{application.pk}" if page.endswith("/") else f"{page}/applications/{application.pk}",
        {"grant": "live"},
    )
    assert granted.status_code in (302, 404)
    assert not Harvest.objects.exists()


def test_a_json_service_is_mapped_with_a_preview(librarian, server):  # noqa: F811
    server.answers(Answer(json.dumps(BOOKS).encode()))
    draft = begin(librarian)
    address = f"{server.url}/search?q={{words}}"
    librarian.post(f"{draft}/address", {"base_url": address, "protocol": "live-json", "known_item": "門"})
    run_queued_tests()
    page = librarian.get(f"{draft}/offer").content.decode()
    assert "&#34;name_of_book&#34;: &#34;門&#34;" in page
    offer = {"format": "json", "known_item": "門", "items": "list", "total": "total", "encoding": "utf-8", "rate": "1"}
    refused = librarian.post(f"{draft}/offer", {**offer, "fields": "info.by = creator"})
    assert refused.status_code == 422
    assert "one line must end with “= title”" in refused.content.decode()
    librarian.post(f"{draft}/offer", {**offer, "fields": "info.name_of_book = title\ninfo.by = creator"})
    run_queued_tests()
    sample = librarian.get(f"{draft}/sample").content.decode()
    assert "門" in sample
    assert "json.E005" in sample  # the second record has no title
    finish(librarian, draft)
    feed = Feed.objects.get()
    assert feed.live_options["fields"] == {"info.name_of_book": "title", "info.by": "creator"}
    assert (feed.base_url, feed.live_options["items"]) == (address, "list")


def test_a_link_needs_only_its_address(librarian):  # noqa: F811
    draft = begin(librarian)
    address = "https://opac.example.jp/search?q={words}"
    refused = librarian.post(f"{draft}/address", {"base_url": address})
    assert "Choose one" in refused.content.decode()
    librarian.post(f"{draft}/address", {"base_url": address, "protocol": "live-link"})
    run_queued_tests()
    librarian.post(f"{draft}/offer", {"encoding": "euc-jp"})
    run_queued_tests()
    assert "https://opac.example.jp/search?q=%BF%DE%BD%F1%B4%DB" in librarian.get(f"{draft}/sample").content.decode()
    finish(librarian, draft)
    assert Feed.objects.get().live_options == {"encoding": "euc-jp"}


def test_an_address_without_a_place_for_words_is_refused(librarian):  # noqa: F811
    draft = begin(librarian)
    page = librarian.post(f"{draft}/address", {"base_url": "https://opac.example.jp/", "protocol": "live-link"})
    assert "such as {words}" in page.content.decode()


def test_a_live_source_is_changed_and_tried_on_its_page(librarian, sru):  # noqa: F811
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"base_url": sru})
    run_queued_tests()
    librarian.post(f"{draft}/offer", {"format": "oai_dc", "known_item": "漱石", "indexes": "any =", "rate": "1"})
    finish(librarian, draft)
    feed = Feed.objects.get()
    page = f"/manage/providers/{feed.repository.number}/feeds/{feed.pk}"
    shown = librarian.get(page).content.decode()
    assert "Harvest schedule" not in shown
    values = {
        "base_url": sru,
        "metadata_prefix": "oai_dc",
        "known_item": "門",
        "indexes": 'title = dc.title" or 1',
        "rate": "1",
    }
    assert "write a field, an equals sign" in librarian.post(page, values).content.decode()
    assert librarian.post(page, {**values, "indexes": "title = dc.title"}).status_code == 302
    feed.refresh_from_db()
    assert (feed.live_options["indexes"], feed.live_options["known_item"]) == ({"title": "dc.title"}, "門")
    tried = librarian.post(f"{page}/try")
    run_queued_tests()
    assert "こころ" in librarian.get(tried.url).content.decode()


def test_the_public_pages_say_that_it_is_searched_live(client, db):
    made = Repository.objects.create(number="R900000001", name="見本大学")
    Feed.objects.create(repository=made, protocol="live-sru", base_url="https://sru.example.jp/")
    for page in ("/repositories", "/repositories/R900000001"):
        text = client.get(page, headers={"accept-language": "en"}, follow=True).content.decode()
        assert "A live source; no records are stored here." in text
        assert "not yet harvested" not in text


def test_no_other_feed_becomes_live(librarian, sru):  # noqa: F811
    draft = begin(librarian)
    librarian.post(f"{draft}/address", {"base_url": sru})
    run_queued_tests()
    librarian.post(f"{draft}/offer", {"format": "oai_dc", "known_item": "漱石", "indexes": "any =", "rate": "1"})
    finish(librarian, draft)
    number = Repository.objects.get().number
    values = {"protocol": "live-sru", "base_url": "https://b.example.jp/", "schedule": "daily", "method": "GET"}
    page = librarian.post(f"/manage/providers/{number}/feeds/new", values)
    assert (page.status_code, "as a separate provider" in page.content.decode()) == (422, True)
    assert not Draft.objects.exists()
