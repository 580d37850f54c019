"""After equal answers staff are offered the same answer for the rest of a provider; nothing happens without them."""

import pytest
from django.urls import reverse

from aggregator.bulk.matches import query_of
from aggregator.bulk.table import ACTIONS
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.offers import ENOUGH, answers, asked_about, offers
from aggregator.review.patterns import providers_in
from aggregator.review.rulings import Contradiction, carry_out, put_in_force
from aggregator.tasks import carry_out_bulk_actions
from harvesting.bulk import running
from harvesting.models import AuditEntry, BulkAction
from tests.aggregator.shelves import Shelf, doubtful
from tests.aggregator.views.records_with_issues import person

pytestmark = pytest.mark.django_db
TITLES = ("料理入門", "日本の鉄道", "庭の草花", "奈良の古寺", "化学実験法", "会計学概論", "俳句歳時記", "登山の技術")
PAGE, EN = "/manage/matches/review", {"accept-language": "en"}


@pytest.fixture
def staff(client):
    found = person("taro", staff=True)
    client.force_login(found)
    return found


@pytest.fixture
def pairs(db) -> list[ReviewPair]:
    """Eight questions with the same pattern, all about the same two providers."""
    shelf = Shelf()
    for title in TITLES:
        for place, described in enumerate(doubtful(title, "乙山, 花子")):
            shelf.put(f"library {place}", f"{title} {place}", described)
    aggregate()
    found = list(ReviewPair.objects.filter(asked=True).order_by("-worth", "pk").select_related("first", "second"))
    assert len(found) == len(TITLES)
    assert len({pair.pattern for pair in found}) == 1
    return found


def aggregate() -> None:
    sum(aggregate_pending())


def names(pair: ReviewPair) -> dict[str, str]:
    first, second = sorted([pair.first.public_id, pair.second.public_id])
    return {"first": first, "second": second}


def answer(client, pair: ReviewPair, verdict: str, **place: str):
    fields = {**names(pair), "rule": verdict, "copies": "1", **place}
    return client.post(PAGE, fields, headers=EN, follow=True).text


def offered(pair: ReviewPair) -> list[tuple[str, int, int]]:
    found = offers(answers("apart", pair.pattern), providers_in("apart", pair.pattern))
    return [(offer.verdict, offer.answers, offer.waiting) for offer in found]


def place(pair: ReviewPair) -> dict[str, str]:
    return {"kind": "apart", "pattern": pair.pattern}


def carried_out(verdict: str, staff, pair: ReviewPair) -> BulkAction:
    action = ACTIONS[f"matches.{verdict}"]
    query = query_of("apart", pair.pattern, names(pair)["first"].partition("-")[0])
    bulk = running.prepare(action, staff, query)
    assert running.confirm(bulk, action, staff, {"reason": "同じ型", "copies": True})
    carry_out_bulk_actions()
    bulk.refresh_from_db()
    return bulk


def test_an_answer_notes_the_question_that_it_answers(client, staff, pairs) -> None:
    answer(client, pairs[0], "not_same")
    assert MatchRuling.objects.get().pattern == f"apart:{pairs[0].pattern}"
    assert answers("joined", pairs[0].pattern) == []
    aggregate()
    assert asked_about(*names(pairs[0]).values()) is None


def test_the_rest_is_offered_after_enough_equal_answers_for_each_provider(client, staff, pairs) -> None:
    for pair in pairs[: ENOUGH - 1]:
        page = answer(client, pair, "not_same", **place(pair))
        assert "matches.not_same" not in page and offered(pair) == []
    page = answer(client, pairs[ENOUGH - 1], "not_same", **place(pairs[0]))
    assert offered(pairs[0]) == [("not_same", ENOUGH, len(TITLES) - ENOUGH)] * 2
    assert page.count('value="matches.not_same"') == 2 and 'value="matches.same"' not in page
    assert "3 more pairs of this provider wait here" in page


def test_nothing_is_offered_after_answers_that_differ(client, staff, pairs) -> None:
    for pair in pairs[:ENOUGH]:
        answer(client, pair, "not_same")
    answer(client, pairs[ENOUGH], "same")
    assert offered(pairs[0]) == []


def test_an_offer_that_is_looked_at_changes_nothing(client, staff, pairs) -> None:
    for pair in pairs[:ENOUGH]:
        answer(client, pair, "not_same")
    aggregate()
    before = MatchRuling.objects.count(), ReviewPair.objects.filter(asked=True).count()
    client.get(f"{PAGE}?{query_of('apart', pairs[0].pattern)}")
    number = names(pairs[0])["first"].partition("-")[0]
    fields = {"action": "matches.not_same", "scope": "all", "query": query_of("apart", pairs[0].pattern, number)}
    preview = client.post(reverse("bulk_new"), fields, headers=EN, follow=True).text
    assert "Carry out for 3 rows" in preview and "library" in preview
    assert all(names(pair)["first"] in preview for pair in pairs[ENOUGH:])
    carry_out_bulk_actions()
    aggregate()
    assert before == (MatchRuling.objects.count(), ReviewPair.objects.filter(asked=True).count())


def test_a_confirmed_offer_is_recorded_and_can_be_taken_back(client, staff, pairs) -> None:
    for pair in pairs[:ENOUGH]:
        answer(client, pair, "not_same")
    aggregate()
    bulk = carried_out("not_same", staff, pairs[0])
    assert bulk.done == len(TITLES) - ENOUGH == MatchRuling.objects.filter(by_pattern=True, undone=None).count()
    entry = AuditEntry.objects.get(action="bulk.begun")
    assert entry.reason == "同じ型" and entry.details["rows"] == bulk.done
    aggregate()
    assert not ReviewPair.objects.filter(asked=True).exists()
    assert len(answers("apart", pairs[0].pattern)) == ENOUGH  # what was made for the pattern is no further answer
    running.begin_undoing(bulk, ACTIONS[bulk.action], staff)
    carry_out_bulk_actions()
    aggregate()
    assert ReviewPair.objects.filter(asked=True).count() == len(TITLES) - ENOUGH


def test_a_person_s_answer_about_a_single_pair_takes_the_place_of_that_for_the_pattern(client, staff, pairs) -> None:
    carried_out("not_same", staff, pairs[0])
    aggregate()
    answer(client, pairs[0], "same")
    rows = MatchRuling.objects.filter(undone=None, **names(pairs[0]))
    assert [(row.verdict, row.by_pattern) for row in rows] == [("same", False)]
    assert MatchRuling.objects.exclude(undone=None).get().undone_by == staff
    assert AuditEntry.objects.filter(action="match.undone").count() == 1
    aggregate()
    assert MatchRuling.objects.filter(undone=None, by_pattern=True).count() == len(TITLES) - 1


def test_an_offer_leaves_out_pairs_that_a_person_has_answered_otherwise(client, staff, pairs) -> None:
    answer(client, pairs[0], "same")  # not aggregated yet: the question still stands
    assert carried_out("not_same", staff, pairs[0]).done == len(TITLES) - 1
    assert MatchRuling.objects.get(**names(pairs[0])).verdict == "same"
    again = MatchRuling(verdict="not_same", reason="x", by_pattern=True, **names(pairs[0]))
    with pytest.raises(Contradiction):
        put_in_force(again, staff)


def test_a_person_s_answer_is_still_refused_where_it_contradicts_persons(client, staff, pairs) -> None:
    answer(client, pairs[0], "same")
    with pytest.raises(Contradiction):
        carry_out(MatchRuling(verdict="not_same", reason="x", **names(pairs[0])), staff)


def test_without_a_pattern_and_a_provider_no_question_is_answered_in_bulk(staff, pairs) -> None:
    for query in ("", "kind=apart", query_of("apart", pairs[0].pattern), "kind=x&pattern=y&repository=R000000001"):
        assert running.prepare(ACTIONS["matches.same"], staff, query).matched == 0


def test_a_provider_with_few_questions_is_offered_its_answer_too(client, staff, pairs, monkeypatch) -> None:
    for pair in pairs[:ENOUGH]:
        answer(client, pair, "not_same")
    monkeypatch.setattr("aggregator.review.patterns.MOST_PROVIDERS", 0)
    assert providers_in("apart", pairs[0].pattern) == {}
    page = client.get(f"{PAGE}?{query_of('apart', pairs[0].pattern)}", headers=EN).text
    assert page.count('value="matches.not_same"') == 2


def test_answers_given_one_after_the_other_lead_to_the_offer(client, staff, pairs) -> None:
    for pair in pairs[: ENOUGH - 1]:
        assert "with the same signs in the same way" not in answer(client, pair, "not_same")
    page = answer(client, pairs[ENOUGH - 1], "not_same")
    assert page.count("with the same signs in the same way") == 2
