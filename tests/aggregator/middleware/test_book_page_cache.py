"""The cache of book pages: the same page for all readers, and a new one as soon as anything on it changes."""

import sqlite3
from contextlib import closing, nullcontext
from datetime import UTC, date, datetime, timedelta

import pytest
from django.conf import settings
from django.core.cache import caches
from django.utils import timezone
from msgspec.structs import replace

from aggregator.middleware import book_page_cache
from aggregator.models import AvailabilityAdapter, Library, Manifestation
from core.caches.disk import FILE
from harvesting.models import SourceRecord
from harvesting.records.compression import pack_record
from metadata.record import Identifier, Title
from tests.aggregator.views.shelf import KOKORO

ONLINE = replace(KOKORO, identifiers=(Identifier(scheme="DOI", value="10.1234/kokoro"),))


@pytest.fixture
def page(book):
    return f"/books/{book.public_id}"


def test_the_second_reader_gets_the_same_page_for_one_query(client, page, django_assert_num_queries):
    first = client.get(page)
    with django_assert_num_queries(1):
        second = client.get(page)
    assert second.content == first.content
    for name in ("ETag", "Vary", "Content-Type", "Cache-Control", "Content-Language"):
        assert second[name] == first[name]


def test_a_reader_who_has_the_page_gets_304(client, page):
    tag = client.get(page)["ETag"]
    assert client.get(page, headers={"If-None-Match": tag}).status_code == 304


def test_each_language_has_its_own_page(client, page):
    pages = {path: client.get(path + page, headers={"Accept-Language": "en"}).text for path in ("", "/ja", "/en")}
    assert {path: client.get(path + page, headers={"Accept-Language": "en"}).text for path in pages} == pages
    assert "Where to find it" in pages[""]
    assert "Where to find it" in pages["/en"]
    assert "Where to find it" not in pages["/ja"]
    client.cookies.clear()
    assert client.get(page, headers={"Accept-Language": "ja"}).text != pages[""]


def test_other_formats_and_wrong_parameters_do_not_get_the_cached_page(client, page):
    client.get(page)
    assert client.get(page, headers={"Accept": "application/json"}).status_code == 302
    assert client.get(f"{page}?x=1").status_code == 400
    assert b"As sent" not in client.get(f"{page}?source=1", headers={"Accept-Language": "en"}).content


def test_a_changed_record_is_seen_at_once(client, book, page):
    client.get(page)
    renamed = pack_record(replace(KOKORO, titles=(Title(value="明暗"),)))
    Manifestation.objects.update(record=renamed, changed_at=timezone.now() + timedelta(seconds=1))
    assert "明暗" in client.get(page).text


@pytest.mark.parametrize(
    "columns", [{"name": "別の図書館"}, {"link_template": "https://other.example.jp/?isbn={isbn}"}], ids=str
)
def test_a_changed_provider_name_or_link_is_seen_at_once(client, library, page, columns):
    before = client.get(page).text
    type(library).objects.update(**columns)
    assert client.get(page).text != before


def test_a_new_member_a_new_issue_and_a_new_edition_are_seen_at_once(client, shelf, library, archive):
    source, other = shelf.record(library), shelf.record(archive)
    made, edition = shelf.book(source), shelf.book(shelf.record(library))
    seen = [client.get(f"/books/{source.public_id}").text]
    for write in (
        lambda: shelf.issue(source, "dcndl.W001", "warning"),
        lambda: Manifestation.objects.filter(pk__in=[made.pk, edition.pk]).update(work=made.pk),
        lambda: made.members.create(source_record=other),
    ):
        write()
        seen.append(client.get(f"/books/{source.public_id}").text)
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("change", ["own", "merged", "closed"])
def test_a_library_that_can_no_longer_be_asked_is_seen_at_once(client, shelf, library, change):
    holder = shelf.library("中央図書館", "1000001")
    former, first = (Library.objects.create(name=name) for name in ("旧中央図書館", "最初の図書館"))
    asked = holder if change == "own" else first
    AvailabilityAdapter.objects.create(library=asked, kind="daia", address="https://opac.example.jp/daia?id={isbn}")
    Library.objects.filter(pk=first.pk).update(merged_into=former)
    Library.objects.filter(pk=former.pk).update(merged_into=holder)
    source = shelf.record(library)
    shelf.book(source, libraries=[holder])
    before = client.get(f"/books/{source.public_id}")
    if change == "closed":
        Library.objects.filter(pk=holder.pk).update(closed_on=timezone.localdate())
    else:
        AvailabilityAdapter.objects.update(kind="")
    after = client.get(f"/books/{source.public_id}")
    assert "data-availability" in before.text
    assert "data-availability" not in after.text
    assert after["ETag"] != before["ETag"]


def test_the_day_on_which_a_library_closes_is_seen(client, shelf, library, monkeypatch):
    holder = shelf.library("中央図書館", "1000001", closed_on=date(2026, 11, 25))
    AvailabilityAdapter.objects.create(library=holder, kind="daia", address="https://opac.example.jp/daia?id={isbn}")
    source = shelf.record(library)
    shelf.book(source, libraries=[holder])
    can_ask = []
    for day in (24, 25):
        now = datetime(2026, 11, day, 9, tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        can_ask.append("data-availability" in client.get(f"/books/{source.public_id}").text)
    assert can_ask == [True, False]


def test_a_record_that_is_withheld_is_gone_at_once(client, book, page):
    client.get(page)
    SourceRecord.objects.update(suppressed_at=timezone.now())
    assert client.get(page).status_code == 410


def test_pages_of_logged_in_users_bypass_the_cache(admin_client, page, monkeypatch):
    monkeypatch.setattr(book_page_cache, "page_tag", lambda public_id: pytest.fail("looked up"))
    assert admin_client.get(page).status_code == 200


def test_a_page_that_uses_the_session_is_not_cached(client, page, monkeypatch, rf):
    stored: list[object] = []
    monkeypatch.setattr(caches["pages"], "set", lambda *row, **options: stored.append(row))
    request = client.get(page).wsgi_request
    assert stored
    stored.clear()
    response = client.get("/about")
    request.session.accessed = True
    assert book_page_cache.get_or_make(request, page.removeprefix("/books/"), lambda: response) is response
    assert not stored


def test_a_cached_page_shows_the_date_on_which_it_is_served(
    client, shelf, library, monkeypatch, django_assert_num_queries
):
    page = _online(shelf, library)
    days = (datetime(2026, 11, 24, 9, tzinfo=UTC), datetime(2026, 11, 25, 9, tzinfo=UTC))
    pages = []
    for now, queries in zip(days, (None, 1), strict=True):
        monkeypatch.setattr(book_page_cache.timezone, "now", lambda now=now: now)
        with django_assert_num_queries(queries) if queries else nullcontext():
            pages.append(client.get(page))
    assert "(参照 2026-11-24)" in pages[0].text
    assert pages[1].text == pages[0].text.replace("2026-11-24", "2026-11-25")
    assert pages[1]["ETag"] != pages[0]["ETag"]
    assert book_page_cache.TODAY not in pages[0].text + pages[1].text


def test_logged_in_users_see_the_date_as_well(admin_client, shelf, library):
    assert f"(参照 {timezone.localdate()})" in admin_client.get(_online(shelf, library)).text


def _online(shelf, library):
    """Return the address of the page of an online resource, whose citation prints today's date."""
    source = shelf.record(library, ONLINE)
    shelf.book(source, record=ONLINE)
    return f"/books/{source.public_id}"


def test_without_disk_space_every_page_is_made_afresh(client, page, monkeypatch):
    caches["pages"].clear()
    monkeypatch.setattr("core.caches.disk.MAX_SHARE", 0)
    assert client.get(page).content == client.get(page).content


def test_a_damaged_page_is_made_again(client, page, django_assert_num_queries):
    first = client.get(page).content
    with closing(sqlite3.connect(settings.CACHES["pages"]["LOCATION"] / FILE)) as connection, connection:
        assert connection.execute("UPDATE entry SET value = x'00112233'").rowcount > 0
    assert client.get(page).content == first
    with django_assert_num_queries(1):
        assert client.get(page).content == first
