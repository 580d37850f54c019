"""The review of pairs: permissions, the queue, the effect of an answer, and undoing it."""

import html
import re

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchRuling, Member, ReviewPair
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from tests.aggregator.shelves import Shelf, doubtful
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
REVIEW = "/manage/matches/review"


def user(name: str, role: str) -> User:
    ensure_roles()
    found = User.objects.create_user(name, password="x", is_staff=True)
    found.groups.add(Group.objects.get(name=role))
    return found


@pytest.fixture
def staff(client) -> User:
    found = user("taro", STAFF)
    client.force_login(found)
    return found


@pytest.fixture
def pairs() -> list[tuple[str, str]]:
    """Two pairs of similar records that are not grouped because of their years: their ids, in the order of the
    queue.
    """
    shelf = Shelf()
    for title, creator in (("料理入門", "乙山, 花子"), ("日本の鉄道", "丙川, 三郎")):
        for place, described in enumerate(doubtful(title, creator)):
            shelf.put(f"library {place}", f"{title} {place}", described)
    aggregate()
    found = ReviewPair.objects.filter(asked=True).order_by("-worth", "pk")
    assert found.count() == 2
    return [(pair.first.public_id, pair.second.public_id) for pair in found]


def aggregate() -> None:
    sum(aggregate_pending())


def shown(response) -> tuple[str, str]:
    """Return the pair on the page."""
    page = response.content.decode()
    return tuple(re.search(rf'type="hidden" name="{name}" value="([^"]*)"', page)[1] for name in ("first", "second"))


def answer(client, pair: tuple[str, str], **fields: str):
    return client.post(REVIEW, {"first": pair[0], "second": pair[1], **fields})


def groups() -> int:
    return Member.objects.values("manifestation").distinct().count()


@pytest.mark.parametrize("name", ["matches", "match_review", "match_pair"])
def test_the_review_is_only_for_those_who_may_rule(client, name) -> None:
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith("/login?")
    client.force_login(user("hanako", LIBRARIANS))
    assert client.get(reverse(name)).status_code == 403
    assert client.post(reverse("match_review")).status_code == 403
    assert client.post(reverse("match_undo")).status_code == 403


def test_the_next_pair_follows_and_the_answer_is_in_force(client, staff, pairs) -> None:
    assert shown(client.get(REVIEW)) == pairs[0]
    response = answer(client, pairs[0], rule="same")
    assert response.status_code == 302
    assert shown(client.get(response["Location"])) == pairs[1]
    row = MatchRuling.objects.get()
    assert (row.verdict, row.first, row.second, row.author) == ("same", *sorted(pairs[0]), staff)
    assert row.reason
    aggregate()
    assert groups() == 3
    answer(client, pairs[1], rule="not_same", reason="別の版")
    aggregate()
    assert (groups(), MatchRuling.objects.get(verdict="not_same").reason) == (3, "別の版")
    assert "No pairs are waiting for review" in client.get(REVIEW, headers={"Accept-Language": "en"}).content.decode()


def test_a_postponed_pair_returns_at_the_end(client, staff, pairs) -> None:
    html = client.get(REVIEW).content.decode()
    later = re.search(r'href="/manage/matches/review\?([^"]*after=[^"]*)"', html)[1]
    assert shown(client.get(f"{REVIEW}?{later}")) == pairs[1]
    last = ReviewPair.objects.order_by("-worth", "pk").last()
    assert (
        "Return to the postponed pairs"
        in client.get(f"{REVIEW}?after={last.pk}", headers={"Accept-Language": "en"}).content.decode()
    )


def test_an_undone_pair_is_shown_again(client, staff, pairs) -> None:
    answer(client, pairs[0], rule="same")
    aggregate()
    row = MatchRuling.objects.get()
    response = client.post(reverse("match_undo"), {"ruling": row.pk})
    assert shown(client.get(response["Location"])) == tuple(sorted(pairs[0]))
    row.refresh_from_db()
    assert (row.undone_by, row.undone is not None) == (staff, True)
    aggregate()
    assert groups() == 4
    assert {shown(client.get(REVIEW)), shown(client.get(f"{REVIEW}?after={ReviewPair.objects.first().pk}"))} == set(
        pairs
    )


def test_the_effect_of_an_answer_is_previewed_without_changes(client, staff, pairs) -> None:
    html = answer(client, pairs[0], **{"try": "same"}).content.decode()
    afterwards = html.partition("before-after")[2].rpartition('<ul class="group">')[2]
    assert all(public_id in afterwards for public_id in pairs[0])
    assert not MatchRuling.objects.exists()
    assert (groups(), SourceRecord.objects.pending().count()) == (4, 0)


def test_locking_a_group_needs_a_reason(client, staff) -> None:
    shelf = Shelf()
    names = [shelf.put("a", number, record(number, isbn=ISBN)).public_id for number in "12"]
    aggregate()
    refused = answer(client, tuple(names), rule=f"lock:{names[0]}")
    assert refused.status_code == 422
    assert answer(client, tuple(names), rule=f"lock:{names[0]}", reason="正しい").status_code == 302
    assert MatchRuling.objects.get().records == sorted(names)


def test_an_isbn_can_be_ignored_for_a_provider(client, staff) -> None:
    shelf = Shelf()
    names = [shelf.put(name, name, record(name, isbn=ISBN)).public_id for name in "12"]
    aggregate()
    number = names[0].partition("-")[0]
    response = answer(client, tuple(names), rule="ignore", isbn=ISBN, scope=number, reason="使い回し")
    assert response.status_code == 302
    row = MatchRuling.objects.get()
    assert (row.verdict, row.first, row.second, row.isbn) == ("ignore", number, "", ISBN)


def test_a_contradiction_is_refused_with_its_chain(client, staff, pairs) -> None:
    answer(client, pairs[0], rule="same")
    response = answer(client, pairs[0], rule="not_same")
    assert response.status_code == 422
    assert f"#{MatchRuling.objects.get().pk}" in response.content.decode()
    assert shown(response) == pairs[0]


def test_any_two_records_can_be_compared(client, staff) -> None:
    shelf = Shelf()
    names = [shelf.put("a", number, record(number, volume=number)).public_id for number in "12"]
    aggregate()
    address = f"/manage/matches/pair?first=http://x/books/{names[0]}&second={names[1]}"
    html = client.get(address, headers={"Accept-Language": "en"}).content.decode()
    assert "These records are separate now" in html
    assert "even if everything else matches" in html and "The volumes differ" in html


def test_missing_points_are_shown(client, staff, pairs) -> None:
    address = f"/manage/matches/pair?first={pairs[0][0]}&second={pairs[0][1]}"
    html = client.get(address, headers={"Accept-Language": "en"}).content.decode()
    assert re.search(r"\d\.\d points short", html)


@pytest.mark.parametrize("query", ["?first=x&second=y", "?first=R000000001-Inobody&second=R000000001-Inobody"])
def test_unknown_records_are_reported(client, staff, query) -> None:
    response = client.get(f"/manage/matches/pair{query}", headers={"Accept-Language": "en"})
    assert "These are not two records" in response.content.decode()


@pytest.mark.parametrize("data", [{}, {"rule": "drop"}, {"rule": "same", "first": "x"}, {"rule": "lock:<b>"}])
def test_a_nonsensical_answer_is_refused(client, staff, data) -> None:
    assert client.post(REVIEW, data).status_code == 422
    assert not MatchRuling.objects.exists()


@pytest.mark.parametrize("query", ["?kind=x&repository=y&after=z", "?after=99999999999999999999", "?kind=joined"])
def test_unusual_queue_positions_are_no_error(client, staff, query) -> None:
    assert client.get(REVIEW + query).status_code == 200


def test_markup_of_providers_is_escaped(client, staff) -> None:
    shelf = Shelf()
    for place, year in enumerate(("1985", "2001")):
        hostile = record(f"{place}", title="<script>alert(1)</script>", creator="<b>乙山</b>", issued=year)
        shelf.put(f"<i>library</i> {place}", f"{place}", hostile)
    aggregate()
    names = list(SourceRecord.objects.values_list("public_id", flat=True))
    html = client.get(f"/manage/matches/pair?first={names[0]}&second={names[1]}").content.decode()
    assert "&lt;script&gt;" in html
    assert not {"<script>alert", "<b>乙山", "<i>library"} & set(re.findall(r"<script>alert|<b>乙山|<i>library", html))


def test_queries_do_not_grow_with_the_queue(client, staff, pairs, django_assert_max_num_queries) -> None:
    client.get(REVIEW)
    with django_assert_max_num_queries(38):
        client.get(REVIEW)


def test_an_answer_about_dates_is_offered_as_a_rule_for_the_provider_of_the_later_one(client, staff, pairs) -> None:
    page = client.post(REVIEW, {"first": pairs[0][0], "second": pairs[0][1], "rule": "same"}, follow=True)
    offered = re.search(r'href="(/admin/aggregator/matchruling/add/[^"]*)"', page.content.decode())
    assert offered is not None
    address = html.unescape(offered[1])
    records = SourceRecord.objects.filter(public_id__in=pairs[0])
    later = max(records, key=lambda row: unpack_record(bytes(row.record)).year)
    assert f"first={later.repository.number}" in address
    assert later.repository.number in client.get(address).content.decode()
    assert not MatchRuling.objects.filter(verdict="printings").exists()


def test_an_answer_that_two_books_differ_is_no_rule(client, staff, pairs) -> None:
    page = client.post(REVIEW, {"first": pairs[0][0], "second": pairs[0][1], "rule": "not_same"}, follow=True)
    assert "matchruling/add/?" not in page.content.decode()
