"""The pages about records: searching, the page of one record, withholding and releasing."""

import pytest
from django.test import Client

from aggregator.tasks import aggregate
from harvesting.issues import counts
from harvesting.models import AuditEntry, Harvest, SourceRecord
from tests.aggregator.views.records_with_issues import (
    LATER,
    harvested,
    issue_of,
    live,
    person,
    provider,
    record_of,
    with_bad_isbn,
)
from tests.harvesting.batches import gone
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
@stored_once
def feed(db):
    feed = provider()
    harvested(feed, with_bad_isbn("a"), live("b", isbn=ISBN, title="坊っちゃん"))
    return feed


@pytest.fixture
def librarian(feed) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(person("hanako", feed.repository))
    return client


def page_of(local_id: str) -> str:
    return f"/manage/records/{record_of(local_id).public_id}/"


def test_the_page_says_which_harvesters_have_the_record(client, librarian):
    aggregate()
    client.get("/oai", {"verb": "ListRecords", "metadataPrefix": "oai_dc"}, headers={"User-Agent": "<b>robot</b>"})
    text = librarian.get(page_of("b")).text
    assert "&lt;b&gt;robot&lt;/b&gt;" in text
    assert "127.0.0.0/24" in text
    assert "has the record as it is now (OAI-PMH)" in text


def test_a_record_is_found_by_identifier_id_address_and_isbn(librarian):
    name = record_of("b").public_id
    for text in ("oai:x:b", name, f"http://127.0.0.1:8000/books/{name}?source=1", ISBN, "978-4-00-310101-8"):
        assert librarian.get("/manage/records/", {"q": text})["Location"] == f"/manage/records/{name}/", text
    for text in ("oai:x:", "坊っちゃん", "9784000000000", "\x00", "R900000001-Inothing"):
        page = librarian.get("/manage/records/", {"q": text})
        assert "None of your providers’ records" in page.text, text


def test_the_page_marks_the_place_of_an_issue(librarian):
    issue = issue_of("a")
    page = librarian.get(page_of("a"), {"issue": issue.pk}).text
    marked = page.partition('id="mark-1"')[2].partition('class="line"')[0]
    assert issue.value in marked
    assert issue.code in page and "What to do" in page
    assert "Value received" in page


def test_the_page_says_that_a_rule_is_ignored(librarian, feed):
    notice = "This rule is ignored for this provider."
    assert notice not in librarian.get(page_of("a")).text
    librarian.post(f"/manage/issues/{feed.repository.number}/ignore", {"code": issue_of("a").code, "reason": "x"})
    assert notice in librarian.get(page_of("a")).text


def test_the_page_shows_versions_and_what_changed(librarian, feed):
    run = harvested(feed, live("a", LATER, title="直した題"), live("b", isbn=ISBN, title="坊っちゃん"))
    version = record_of("a").versions.get()
    page = librarian.get(page_of("a"), {"version": version.pk}).text
    added = page.partition("<ins>")[2].partition("</ins>")[0]
    assert "直した題" in page.partition('class="payload diff"')[2]
    assert "直した題" in added
    assert f"#{run.pk}" in page
    assert "resolved issues" in page


def test_the_page_shows_its_group(librarian, feed):
    other = provider("よその館")
    harvested(other, live("z", isbn=ISBN, title="坊っちゃん"))
    page = librarian.get(page_of("b")).text
    assert record_of("z").public_id in page.partition('id="group"')[2].partition('id="history"')[0]


def test_a_record_is_withheld_with_a_reason_and_released(librarian, client):
    name = record_of("b").public_id
    librarian.post(f"/manage/records/{name}/act", {"do": "suppress"})
    assert client.get(f"/books/{name}").status_code == 200
    librarian.post(f"/manage/records/{name}/act", {"do": "suppress", "reason": "本人の申し出"})
    aggregate()
    assert client.get(f"/books/{name}").status_code == 410
    page = librarian.get(page_of("b")).text
    assert "本人の申し出" in page and "hanako" in page
    assert "本人の申し出" in librarian.get("/manage/records/").text
    librarian.post(f"/manage/records/{name}/act", {"do": "release"})
    aggregate()
    assert client.get(f"/books/{name}").status_code == 200
    entries = list(AuditEntry.objects.filter(action__startswith="record.").order_by("pk"))
    assert [(entry.action, entry.reason) for entry in entries] == [
        ("record.suppressed", "本人の申し出"), ("record.released", "")]  # fmt: skip
    assert "withheld a record" in librarian.get(page_of("b")).text


def test_a_deleted_record_is_restored(librarian, feed):
    harvested(feed, gone("b"), full=False)
    assert record_of("b").deleted
    librarian.post(page_of("b") + "act", {"do": "restore"})
    assert not record_of("b").deleted
    assert AuditEntry.objects.get(action="record.restored").number == str(record_of("b").pk)


def test_one_record_is_fetched_again_or_reread(librarian):
    answer = librarian.post(page_of("a") + "act", {"do": "ask"})
    assert answer["Location"] == f"/manage/issues/checks/{Harvest.objects.get(kind='record').pk}"
    assert librarian.post(page_of("a") + "act", {"do": "read"}).status_code == 302
    assert librarian.post(page_of("a") + "act", {"do": "dance"}).status_code == 404


def test_duplicates_and_suspect_isbns_have_pages(librarian, feed):
    number = feed.repository.number
    titles = ("料理入門", "日本の鉄道", "庭の草花", "天文学事典")
    wrong = [live(title, isbn="9784101010014", title=title, creator=f"{title}著者") for title in titles]
    same = [live(local_id, isbn=ISBN, title="坊っちゃん") for local_id in ("b", "b2")]
    harvested(feed, with_bad_isbn("a"), *same, *wrong)
    page = librarian.get("/manage/records/duplicates/").text
    assert "oai:x:b2" in page and "oai:x:a<" not in page
    page = librarian.get(f"/manage/records/isbns/?repository={number}").text
    assert "9784101010014" in page and "oai:x:庭の草花" in page


def test_records_of_other_providers_are_not_accessible(librarian, feed):
    other = provider("よその館")
    harvested(other, live("z", isbn=ISBN))
    name = record_of("z").public_id
    assert librarian.get(f"/manage/records/{name}/").status_code == 404
    assert "No record" in librarian.get("/manage/records/", {"q": "oai:x:z"}).text
    for act in ("suppress", "release", "restore", "ask", "read"):
        answer = librarian.post(f"/manage/records/{name}/act", {"do": act, "reason": "x"})
        assert answer.status_code == 404
    for kind in ("duplicates", "isbns"):
        assert librarian.get(f"/manage/records/{kind}/?repository={other.repository.number}").status_code == 404
    assert record_of("z").suppressed_at is None


def test_queries_do_not_grow_with_rows(librarian, feed, django_assert_max_num_queries):
    for number in range(6):
        harvested(
            feed, with_bad_isbn("a", f"2026-03-0{number + 1}T00:00:00Z", title=f"題 {number}"), live("b", isbn=ISBN)
        )
    for address in (page_of("a"), page_of("b"), "/manage/records/", "/manage/records/isbns/"):
        with django_assert_max_num_queries(34):
            assert librarian.get(address).status_code == 200
    assert SourceRecord.objects.count() == counts.count_issues(feed.repository).records
