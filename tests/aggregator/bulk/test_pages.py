"""The pages of bulk actions: from the ticks or the filter of a list to the preview, the result and the undoing."""

import pytest
from django.test import Client

from aggregator.tasks import carry_out_bulk_actions
from harvesting.models import BulkAction, IgnoredIssue, RecordIssue, SourceRecord
from tests.aggregator.views.records_with_issues import harvested, issue_of, live, person, provider, record_of
from tests.aggregator.views.records_with_issues import with_bad_isbn as faulty
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db


@pytest.fixture
@stored_once
def feed(db):
    feed = provider()
    harvested(feed, faulty("a"), live("b"), faulty("c"))
    return feed


def client_of(user) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


@pytest.fixture
def librarian(feed) -> Client:
    return client_of(person("hanako", feed.repository))


def asked(client: Client, action: str, **data) -> str:
    return client.post("/manage/bulk/new", {"action": action, **data})["Location"]


def test_all_issues_of_a_filter_are_previewed_ignored_and_undone(librarian, feed):
    code = issue_of("a").code
    listed = librarian.get(f"/manage/issues/list?code={code}").text
    assert 'name="scope" value="all"' in listed and f'name="query" value="code={code}"' in listed
    page = asked(librarian, "issues.ignore", query=f"code={code}", scope="all")
    preview = librarian.get(page).text
    assert "oai:x:a" in preview and "oai:x:c" in preview and "Carry out for 2 rows" in preview
    assert not IgnoredIssue.objects.exists()
    assert librarian.post(f"{page}/act", {"do": "confirm"}).status_code == 422  # a reason is needed
    librarian.post(f"{page}/act", {"do": "confirm", "reason": "本にそう書いてある"})
    assert librarian.get(page, headers={"accept": "application/json"}).json()["over"] is False
    carry_out_bulk_actions()
    assert librarian.get(page, headers={"accept": "application/json"}).json()["over"] is True
    done = librarian.get(page).text
    assert "Undo for 2 rows" in done and "本にそう書いてある" in done
    assert "#" in librarian.get("/manage/bulk/").text
    librarian.post(f"{page}/act", {"do": "undo"})
    carry_out_bulk_actions()
    assert "Undone" in librarian.get(page).text
    assert not RecordIssue.objects.exclude(ignored=None).exists()
    assert "undid a bulk action" in librarian.get("/manage/trace/").text


def test_selected_rows_are_a_filter_by_ids(librarian):
    page = asked(librarian, "records.withhold", row=[record_of("a").pk, record_of("b").pk], query="state=live")
    assert "2 selected rows" in librarian.get(page).text
    librarian.post(f"{page}/act", {"do": "confirm", "reason": "x"})
    carry_out_bulk_actions()
    assert SourceRecord.objects.exclude(suppressed_at=None).count() == 2


def test_without_a_selection_the_list_is_shown_again(librarian):
    back = "/manage/records/list?state=live"
    assert asked(librarian, "records.withhold", back=back) == back
    assert asked(librarian, "records.withhold", back="https://evil.example/") == "/manage/records/list"
    assert not BulkAction.objects.exists()


def test_every_list_offers_its_actions(librarian):
    staff = client_of(person("taro", staff=True))
    for address, name in (
        ("/manage/issues/list", "issues.ignore"),
        ("/manage/records/list", "records.withhold"),
        ("/manage/providers/", "providers.pause"),
    ):
        assert f'value="{name}"' in librarian.get(address).text, address
    assert "providers.profile" not in librarian.get("/manage/providers/").text
    assert "providers.profile" in staff.get("/manage/providers/").text


def test_librarians_see_and_change_only_their_own_actions(librarian, feed):
    other = client_of(person("jiro", feed.repository))
    page = asked(librarian, "records.withhold", scope="all", query="")
    assert other.get(page).status_code == 404 == other.post(f"{page}/act", {"do": "stop"}).status_code
    assert page not in other.get("/manage/bulk/").text
    staff = client_of(person("taro", staff=True))
    assert staff.get(page).status_code == 200
    assert staff.post(f"{page}/act", {"do": "confirm", "reason": "x"}).status_code == 404
    for name in ("libraries.kind", "matches.same", "providers.profile", "nothing"):
        assert librarian.post("/manage/bulk/new", {"action": name, "scope": "all"}).status_code == 404, name


def test_the_list_of_records_is_filtered(librarian, feed):
    every = librarian.get("/manage/records/list").text
    assert [name for name in "abc" if f"oai:x:{name}<" not in every] == []
    code = librarian.get(f"/manage/records/list?code={issue_of('a').code}").text
    assert "oai:x:a<" in code and "oai:x:b<" not in code
    assert "oai:x:b<" in librarian.get("/manage/records/list?identifier=x%3Ab").text
    assert "No matching records" in librarian.get("/manage/records/list?state=deleted").text
    assert librarian.get("/manage/records/list?since=x").status_code == 400
    foreign = provider("よその館")
    harvested(foreign, live("z"))
    assert "oai:x:z<" not in librarian.get("/manage/records/list").text


def test_queries_do_not_grow_with_rows(librarian, feed, django_assert_max_num_queries):
    harvested(feed, *[faulty(f"d{number}") for number in range(60)])
    page = asked(librarian, "issues.ignore", scope="all", query="")
    for address in (page, "/manage/bulk/", "/manage/records/list"):
        with django_assert_max_num_queries(22):
            assert librarian.get(address).status_code == 200


def test_found_records_are_named_with_their_state(librarian, feed):
    second = feed.repository.feeds.get()
    isbn = "9784003101018"
    harvested(second, live("e", isbn=isbn), live("f", isbn=isbn))
    SourceRecord.objects.filter(pk=record_of("e").pk).update(deleted=True)
    page = librarian.get(f"/manage/records/?q={isbn}").text
    assert "oai:x:e" in page and "oai:x:f" in page and ">deleted<" in page
