"""What readers said about two records reaches staff in the review of pairs, and leaves it with their answer."""

import pytest
from django.contrib.auth.models import Group, User

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import ErrorReport, MatchRuling
from aggregator.review.readers_words import sender, store_word
from harvesting.accounts.roles import STAFF, ensure_roles
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
REVIEW, ISBN, EN = "/manage/matches/review", "9784003101018", {"accept-language": "en"}


@pytest.fixture
def staff(client) -> User:
    ensure_roles()
    found = User.objects.create_user("taro", password="x", is_staff=True)
    found.groups.add(Group.objects.get(name=STAFF))
    client.force_login(found)
    return found


@pytest.fixture
def pair() -> tuple[str, str]:
    """Two records of one group: two readers call them different books (one with markup), a third one book."""
    shelf = Shelf()
    first, second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)).public_id for name in "12")
    sum(aggregate_pending())
    found = min(first, second), max(first, second)
    store_word(found, "not_same", "<script>alert(1)</script>", sender("a", found))
    store_word(found, "not_same", "", sender("b", found))
    store_word(found, "same", "", sender("c", found))
    return found


def answer(client, pair: tuple[str, str], **fields: str):
    return client.post(REVIEW, {"first": pair[0], "second": pair[1], **fields}, headers=EN)


@pytest.mark.parametrize("query", ["", "?kind=readers"])
def test_the_question_says_how_many_readers_said_what(client, staff, pair, query) -> None:
    html = client.get(REVIEW + query, headers=EN).text
    assert f'name="first" value="{pair[0]}"' in html and f'name="second" value="{pair[1]}"' in html
    panel = html.partition('id="words"')[2].partition("</section>")[0]
    assert "<b>Different books</b> 2 readers" in panel and "<b>The same book</b> 1 reader" in panel
    assert "&lt;script&gt;alert(1)" in panel and "<script>alert" not in html


def test_the_comparison_of_any_two_records_shows_what_readers_said_about_them(client, staff, pair) -> None:
    html = client.get(f"/manage/matches/pair?first={pair[1]}&second={pair[0]}", headers=EN).text
    assert "2 readers" in html


def test_a_question_of_readers_can_be_put_off(client, staff, pair) -> None:
    number = ErrorReport.objects.order_by("pk").first().pk
    assert f"after=r{number}" in client.get(f"{REVIEW}?kind=readers").text
    html = client.get(f"{REVIEW}?kind=readers&after=r{number}", headers=EN).text
    assert "This was the last pair" in html


def test_a_ruling_answers_the_readers(client, staff, pair) -> None:
    assert answer(client, pair, rule="not_same", kind="readers").status_code == 302
    assert MatchRuling.objects.get().verdict == "not_same"
    assert set(ErrorReport.objects.values_list("handled_by", flat=True)) == {staff.pk}
    assert "No readers’ comments are waiting" in client.get(f"{REVIEW}?kind=readers", headers=EN).text


def test_a_preview_answers_nobody(client, staff, pair) -> None:
    assert answer(client, pair, **{"try": "not_same"}).status_code == 200
    assert ErrorReport.objects.open_words().count() == 3


def test_comments_are_closed_without_a_ruling(client, staff, pair) -> None:
    assert answer(client, pair, rule="dismiss").status_code == 302
    assert not ErrorReport.objects.open_words().exists()
    assert not MatchRuling.objects.exists()


@pytest.mark.parametrize("query", ["?kind=readers&after=r", "?after=rr1", "?after=r99999999999999999999"])
def test_unusual_positions_are_no_error(client, staff, pair, query) -> None:
    assert client.get(REVIEW + query).status_code == 200


def test_the_overview_counts_pairs_and_not_single_comments(client, staff, pair) -> None:
    html = client.get("/manage/", headers=EN).text
    assert "1 pair of records on which readers commented" in html and f"{REVIEW}?kind=readers" in html
    assert "error report from a reader" not in html and "error reports from readers" not in html


def test_data_management_shows_both_records_of_a_comment(client, staff, pair) -> None:
    html = client.get("/admin/aggregator/errorreport/").text
    assert f"/manage/matches/pair?first={pair[0]}&amp;second={pair[1]}" in html
    client.post(
        "/admin/aggregator/errorreport/",
        {"action": "mark_handled", "_selected_action": [str(row.pk) for row in ErrorReport.objects.all()]},
    )
    assert set(ErrorReport.objects.values_list("sender", flat=True)) == {""}
