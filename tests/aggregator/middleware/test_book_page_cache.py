"""Pages of books that are kept: the same for everybody, and another one as soon as something is written."""

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from msgspec.structs import replace

from aggregator.middleware import book_page_cache
from aggregator.models import Manifestation
from harvesting.models import SourceRecord
from harvesting.records.compression import pack_record
from metadata.record import Identifier, Title
from tests.aggregator.views.shelf import KOKORO

ONLINE = replace(KOKORO, identifiers=(Identifier(scheme="DOI", value="10.1234/kokoro"),))


@pytest.fixture
def page(book):
    return f"/books/{book.public_id}"


def test_the_second_reader_gets_what_the_first_got_for_one_query(client, page, django_assert_num_queries):
    first = client.get(page)
    with django_assert_num_queries(1):
        second = client.get(page)
    assert second.content == first.content
    for name in ("ETag", "Vary", "Content-Type", "Cache-Control", "Content-Language"):
        assert second[name] == first[name]


def test_who_has_the_page_gets_304_as_before(client, page):
    tag = client.get(page)["ETag"]
    assert client.get(page, headers={"If-None-Match": tag}).status_code == 304


def test_each_language_has_its_own_page(client, page):
    told = {path: client.get(path + page, headers={"Accept-Language": "en"}).text for path in ("", "/ja", "/en")}
    assert {path: client.get(path + page, headers={"Accept-Language": "en"}).text for path in told} == told
    assert "Where to find it" in told[""]
    assert "Where to find it" in told["/en"]
    assert "Where to find it" not in told["/ja"]
    client.cookies.clear()
    assert client.get(page, headers={"Accept-Language": "ja"}).text != told[""]


def test_other_formats_and_wrong_parameters_are_not_the_page(client, page):
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
def test_what_a_provider_is_called_and_where_it_links_is_seen_at_once(client, library, page, columns):
    before = client.get(page).text
    type(library).objects.update(**columns)
    assert client.get(page).text != before


def test_a_new_member_a_new_finding_and_a_new_edition_are_seen_at_once(client, shelf, library, archive):
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


def test_a_record_that_is_withheld_is_gone_at_once(client, book, page):
    client.get(page)
    SourceRecord.objects.update(suppressed_at=timezone.now())
    assert client.get(page).status_code == 410


def test_who_is_logged_in_neither_gets_nor_leaves_a_kept_page(admin_client, page, monkeypatch):
    monkeypatch.setattr(book_page_cache, "tagged", lambda public_id: pytest.fail("asked"))
    assert admin_client.get(page).status_code == 200


def test_a_page_that_looks_at_the_session_is_not_kept(client, page, monkeypatch, rf):
    kept: list[object] = []
    monkeypatch.setattr(book_page_cache._KEPT, "keep", lambda *row: kept.append(row))
    request = client.get(page).wsgi_request
    assert kept
    kept.clear()
    response = client.get("/about")
    request.session.accessed = True
    assert book_page_cache.kept_or(request, page.removeprefix("/books/"), lambda: response) is response
    assert not kept


def test_a_kept_page_says_the_day_on_which_it_is_given(client, shelf, library, monkeypatch, django_assert_num_queries):
    page = _online(shelf, library)
    days = (datetime(2026, 11, 24, 9, tzinfo=UTC), datetime(2026, 11, 25, 9, tzinfo=UTC))
    given = []
    for now, queries in zip(days, (None, 1), strict=True):
        monkeypatch.setattr(book_page_cache.timezone, "now", lambda now=now: now)
        with django_assert_num_queries(queries) if queries else nullcontext():
            given.append(client.get(page))
    assert "(参照 2026-11-24)" in given[0].text
    assert given[1].text == given[0].text.replace("2026-11-24", "2026-11-25")
    assert given[1]["ETag"] != given[0]["ETag"]
    assert book_page_cache.TODAY not in given[0].text + given[1].text


def test_who_is_logged_in_reads_the_day_as_well(admin_client, shelf, library):
    assert f"(参照 {timezone.localdate()})" in admin_client.get(_online(shelf, library)).text


def _online(shelf, library):
    """The page of something that stands on the net."""
    source = shelf.record(library, ONLINE)
    shelf.book(source, record=ONLINE)
    return f"/books/{source.public_id}"


def test_without_room_pages_are_made_anew(client, page, monkeypatch):
    monkeypatch.setattr("core.disk_cache.MOST_BYTES", 0)
    monkeypatch.setattr("core.disk_cache._room", lambda folder: -1.0)
    assert client.get(page).content == client.get(page).content
