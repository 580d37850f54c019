"""Rulings of staff: they are obeyed, refused when they contradict, survive changes of records, and can be undone."""

import pytest
from django.urls import reverse
from django.utils import translation
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.inspection.reasons import explain_pair
from aggregator.models import Core, MatchRuling, Member
from aggregator.review.preview import effect_of
from aggregator.review.rulings import Contradiction, carry_out, confirm, undo
from harvesting.models import SourceRecord
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf, doubtful, expected_groups, stored_groups
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
ADD = "admin:aggregator_matchruling_add"


@pytest.fixture
def shelf() -> Shelf:
    """a, b, c describe one book; x and y are others. All are aggregated."""
    shelf = Shelf()
    for name in "abc":
        shelf.put(f"provider {name}", name, described(name))
    shelf.put("provider x", "x", record("x", title="料理入門", creator="乙山, 花子"))
    shelf.put("provider y", "y", record("y", title="日本の鉄道", creator="丙川, 三郎"))
    aggregate()
    assert groups() == ["abc", "x", "y"]
    return shelf


def described(name: str) -> BibliographicRecord:
    """Return a description of the book that differs from the others in its number of pages."""
    return structs.replace(record(name, isbn=ISBN), extents=(f"{300 + ord(name)}p",))


def aggregate() -> None:
    assert sum(aggregate_pending()) >= 0
    assert stored_groups() == expected_groups()


def groups() -> list[str]:
    names_by_group: dict[int, str] = {}
    for number, name in Member.objects.values_list("manifestation", "source_record__identifier"):
        names_by_group[number] = "".join(sorted(names_by_group.get(number, "") + name))
    return sorted(names_by_group.values())


def public_id_of(name: str) -> str:
    return SourceRecord.objects.get(identifier=name).public_id


def rule(verdict: str, *names: str, isbn: str = "") -> MatchRuling:
    ids = [public_id_of(name) for name in names]
    row = MatchRuling(verdict=verdict, reason="a test", isbn=isbn)
    if verdict == "lock":
        row.records = ids
    else:
        row.first, row.second = [*ids, "", ""][:2]
    row.clean()
    carry_out(row, None)
    aggregate()
    return row


def test_the_same_and_not_the_same(shelf):
    rule("same", "a", "x")
    rule("not_same", "a", "b")
    assert groups() in (["abcx", "y"], ["ax", "bc", "y"], ["acx", "b", "y"])
    assert not any({"a", "b"} <= set(group) for group in groups())


def test_a_frozen_record_stays_alone_until_the_ruling_is_undone(shelf):
    row = rule("freeze", "b")
    assert groups() == ["ac", "b", "x", "y"]
    undo(row, None)
    aggregate()
    assert groups() == ["abc", "x", "y"]


def test_a_locked_group_stays_as_it_is(shelf):
    rule("lock", "a", "b")
    assert groups() == ["ab", "c", "x", "y"]
    shelf.put("provider d", "d", record("d", isbn=ISBN))
    aggregate()
    assert groups() == ["ab", "cd", "x", "y"]
    shelf.put("provider b", "b", record("b", title="改題"))
    aggregate()
    assert groups() == ["ab", "cd", "x", "y"]


def test_records_ruled_the_same_stay_together_when_the_connecting_record_is_deleted(shelf):
    rule("same", "a", "x")
    rule("same", "a", "y")
    shelf.delete("a")
    aggregate()
    assert "xy" in groups()


def test_an_ignored_isbn_counts_neither_for_nor_against(shelf):
    row = rule("ignore", "a", isbn=ISBN)
    evidence = {item["rule"] for item in Core.objects.get(kinds_of__members__source_record__identifier="a").evidence}
    assert "isbn" not in evidence
    undo(row, None)
    aggregate()
    evidence = {item["rule"] for item in Core.objects.get(kinds_of__members__source_record__identifier="a").evidence}
    assert "isbn" in evidence


def test_an_isbn_ignored_everywhere_is_ignored_in_later_records_until_undone(shelf):
    row = rule("ignore", isbn=ISBN)
    shelf.put("provider d", "d", record("d", isbn=ISBN))
    aggregate()
    undo(row, None)
    aggregate()
    all_evidence = Core.objects.exclude(linked_to=None).values_list("evidence", flat=True)
    assert all(any(item["rule"] == "isbn" for item in evidence) for evidence in all_evidence)


@pytest.mark.parametrize(
    ("rulings", "refused", "chain"),
    [
        ([("same", "a", "b"), ("same", "b", "c")], ("not_same", "a", "c"), [0, 1]),
        ([("same", "a", "b"), ("not_same", "b", "x")], ("same", "a", "x"), [0, 1]),
        ([("lock", "a", "b")], ("same", "a", "x"), [0]),
        ([("lock", "a", "b")], ("not_same", "a", "b"), [0]),
        ([("freeze", "x")], ("same", "a", "x"), [0]),
        ([("same", "a", "x")], ("freeze", "x"), [0]),
        ([("same", "a", "x")], ("lock", "a", "b"), [0]),
        ([("not_same", "a", "b")], ("lock", "a", "b", "c"), [0]),
        ([("same", "a", "b")], ("same", "a", "b"), [0]),
    ],
)
def test_a_ruling_that_contradicts_is_refused_with_the_chain(shelf, rulings, refused, chain):
    rows = [rule(*ruling) for ruling in rulings]
    before = groups()
    with pytest.raises(Contradiction) as refusal:
        rule(*refused)
    assert [ruling.pk for ruling in refusal.value.chain] == [rows[index].pk for index in chain]
    assert groups() == before
    for language in ("ja", "en"):
        with translation.override(language):
            assert all(f"#{rows[index].pk}" in refusal.value.message for index in chain)


def test_a_ruling_survives_deletion_return_and_a_rebuild(shelf):
    rule("not_same", "a", "b")
    before = groups()
    shelf.delete("b")
    aggregate()
    shelf.put("provider b", "b", described("b"))
    aggregate()
    assert groups() == before
    Member.objects.all().delete()
    SourceRecord.objects.update(aggregated_at=None)
    sum(aggregate_pending())
    assert not any({"a", "b"} <= set(group) for group in groups())


def test_changed_evidence_marks_the_ruling_for_another_look(shelf):
    row = rule("same", "a", "x")
    shelf.put("provider x", "x", record("x", title="料理入門 改訂", creator="乙山, 花子"))
    aggregate()
    row.refresh_from_db()
    assert row.recheck
    assert any({"a", "x"} <= set(group) for group in groups())
    confirm(row)
    row.refresh_from_db()
    assert row.recheck is None
    assert row.snapshot[public_id_of("x")]["title"] == "料理入門 改訂"


def test_a_preview_shows_the_groups_and_changes_nothing(shelf):
    row = MatchRuling(verdict="same", first=public_id_of("x"), second=public_id_of("y"), reason="a test")
    row.clean()
    effect = effect_of(lambda: carry_out(row, None))
    assert [[description.title for description in group] for group in effect.removed] == [["料理入門"], ["日本の鉄道"]]
    assert [len(group) for group in effect.created] == [2]
    assert groups() == ["abc", "x", "y"]
    assert not MatchRuling.objects.exists()
    assert not SourceRecord.objects.pending().exists()


def form(**fields: str) -> dict[str, str]:
    return {"verdict": "same", "first": "", "second": "", "group": "", "isbn": "", "reason": "見た", **fields}


def test_the_form_shows_what_would_happen_before_it_is_done(shelf, admin_client):
    address = reverse(ADD)
    fields = form(first=f"https://x.example.jp/books/{public_id_of('x')}", second=public_id_of("y"))
    answer = admin_client.post(address, fields)
    assert answer.status_code == 200
    assert "料理入門" in answer.text
    assert not MatchRuling.objects.exists()
    assert admin_client.post(address, {**fields, "_confirmed": "1"}).status_code == 302
    row = MatchRuling.objects.get()
    assert (row.verdict, row.reason, row.author.username) == ("same", "見た", "admin")
    aggregate()
    assert groups() == ["abc", "xy"]


def test_the_form_says_what_is_missing_and_what_contradicts(shelf, admin_client):
    address = reverse(ADD)
    assert "second" in admin_client.post(address, form(first=public_id_of("x"))).context["adminform"].form.errors
    assert "first" in admin_client.post(address, form(first="R000000009-Ixx")).context["adminform"].form.errors
    assert "isbn" in admin_client.post(address, form(verdict="ignore", isbn="123")).context["adminform"].form.errors
    assert "group" in admin_client.post(address, form(verdict="lock")).context["adminform"].form.errors
    existing = rule("not_same", "a", "x")
    refused = admin_client.post(address, form(first=public_id_of("a"), second=public_id_of("x")))
    assert f"#{existing.pk}" in str(refused.context["adminform"].form.non_field_errors())


def test_the_group_of_one_record_can_be_locked(shelf, admin_client):
    admin_client.post(reverse(ADD), form(verdict="lock", group=public_id_of("b"), _confirmed="1"))
    assert MatchRuling.objects.get().records == sorted(public_id_of(name) for name in "abc")


def test_a_ruling_is_undone_after_a_preview(shelf, admin_client):
    row = rule("freeze", "b")
    address = reverse("admin:aggregator_matchruling_changelist")
    fields = {"action": "undo_rulings", "_selected_action": str(row.pk)}
    assert "見本の本" in admin_client.post(address, fields).text
    row.refresh_from_db()
    assert row.undone is None
    admin_client.post(address, {**fields, "_confirmed": "1"})
    row.refresh_from_db()
    assert row.undone_by.username == "admin"
    aggregate()
    assert groups() == ["abc", "x", "y"]
    assert admin_client.get(reverse("admin:aggregator_matchruling_change", args=[row.pk])).status_code == 200


def rule_on_descriptions(verdict: str, *names: str) -> MatchRuling:
    row = MatchRuling(verdict=verdict, first=public_id_of(names[0]), second=public_id_of(names[1]), reason="a test")
    row.with_copies = [row.first, row.second]
    row.clean()
    carry_out(row, None)
    aggregate()
    return row


@pytest.fixture
def copies(shelf: Shelf) -> Shelf:
    """A and B have the same descriptions as a and b."""
    for name in "AB":
        shelf.put(f"provider {name}", name, described(name.lower()))
    aggregate()
    assert groups() == ["ABabc", "x", "y"]
    return shelf


def test_a_ruling_on_a_description_concerns_its_copies_and_those_that_arrive_later(copies):
    row = rule_on_descriptions("not_same", "a", "b")
    assert groups() in (["Aa", "Bbc", "x", "y"], ["Aac", "Bb", "x", "y"])
    copies.put("provider d", "d", described("b"))
    aggregate()
    assert groups() in (["Aa", "Bbcd", "x", "y"], ["Aac", "Bbd", "x", "y"])
    undo(row, None)
    aggregate()
    assert groups() == ["ABabcd", "x", "y"]


def test_a_ruling_on_a_description_leaves_it_with_the_record_it_names(copies):
    rule_on_descriptions("not_same", "a", "b")
    copies.put("provider a", "a", described("c"))
    aggregate()
    assert groups() in (
        ["ABb", "ac", "x", "y"],
        ["Aac", "Bb", "x", "y"],
        ["ABab", "c", "x", "y"],
        ["Bb", "Aac", "x", "y"],
    )
    copies.delete("a")
    aggregate()
    assert groups() == ["ABbc", "x", "y"]
    copies.put("provider a", "a", described("a"))
    aggregate()
    assert groups() in (["Aa", "Bbc", "x", "y"], ["Aac", "Bb", "x", "y"])


def test_descriptions_can_be_ruled_the_same(copies):
    copies.put("provider X", "X", record("x", title="料理入門", creator="乙山, 花子"))
    aggregate()
    rule_on_descriptions("same", "a", "x")
    assert "AXax" in groups()


def test_rulings_on_copies_of_one_description_must_not_contradict(copies):
    first = rule_on_descriptions("not_same", "a", "b")
    with pytest.raises(Contradiction) as refused:
        rule_on_descriptions("same", "A", "B")
    assert [ruling.pk for ruling in refused.value.chain] == [first.pk]
    explained = explain_pair(public_id_of("A"), public_id_of("B"))
    assert explained is not None
    assert [ruling.pk for ruling in explained.rulings] == [first.pk]


def test_two_records_with_one_description_are_ruled_apart_by_themselves(copies):
    row = rule_on_descriptions("not_same", "a", "A")
    assert row.with_copies == []
    assert not any({"a", "A"} <= set(group) for group in groups())


def test_the_dates_of_a_provider_can_be_ruled_those_of_printings(shelf):
    earlier, later = doubtful("庭の草花", "丁野, 四郎")
    shelf.put("provider e", "e", earlier)
    shelf.put("provider l", "l", later)
    aggregate()
    assert "el" not in groups()
    row = MatchRuling(verdict="printings", first=shelf.repository("provider l").number, reason="a test")
    carry_out(row, None)
    aggregate()
    assert "el" in groups()
    with pytest.raises(Contradiction):
        carry_out(MatchRuling(verdict="printings", first=row.first, reason="again"), None)
    undo(row, None)
    aggregate()
    assert "el" not in groups()


def test_the_form_takes_the_number_of_a_provider_for_its_dates(shelf, admin_client):
    number = shelf.repository("provider x").number
    address = reverse(ADD)
    for wrong in ("R999999999", ""):
        answer = admin_client.post(address, form(verdict="printings", first=wrong))
        assert "first" in answer.context["adminform"].form.errors
    assert admin_client.post(address, form(verdict="printings", first=number, _confirmed="1")).status_code == 302
    assert MatchRuling.objects.get().first == number
    waiting = SourceRecord.objects.pending().values_list("repository__number", flat=True)
    assert set(waiting) == {number}
