"""Providers that give their records new identifiers: recognised, reported, and old pages lead to the new records."""

import pytest
from django.urls import reverse

from aggregator.catalogue.books import Gone, find_book
from aggregator.grouping.aggregate import aggregate_pending
from harvesting.completion import deletion_decisions
from harvesting.completion.renames import AMBIGUOUS, content_key
from harvesting.models import Feed, Harvest, SourceRecord
from metadata.record import BibliographicRecord, Title
from tests.books import record
from tests.harvesting.batches import harvest_records, live, live_local_ids, new_feed

pytestmark = pytest.mark.django_db


def books(prefix: str, count: int = 40) -> list:
    return [live(f"{prefix}{number}", title=f"異なる本 {number}") for number in range(count)]


def migrated() -> tuple[Feed, Harvest]:
    """A provider that gave new identifiers to all but two of its forty records."""
    feed = new_feed()
    harvest_records(feed, books("old"))
    return feed, harvest_records(feed, books("new", 38))


def public_id(local_id: str) -> str:
    return SourceRecord.objects.get(identifier=f"oai:x:{local_id}").public_id


def test_new_identifiers_for_old_records_are_recognised_and_a_person_is_asked():
    feed, run = migrated()
    assert (run.state, run.code) == ("paused", "safety.renamed_most")
    assert (run.facts["count"], run.facts["renamed"], run.facts["live"]) == (40, 38, 40)
    assert len(live_local_ids(feed)) == 78
    old = SourceRecord.objects.get(identifier="oai:x:old7")
    assert old.successor.identifier == "oai:x:new7"
    assert not SourceRecord.objects.get(identifier="oai:x:old39").successor


def test_after_the_confirmation_the_old_page_leads_to_the_new_book(client):
    _feed, run = migrated()
    assert deletion_decisions.confirm(run) == 40
    list(aggregate_pending())
    found = find_book(public_id("old7"))
    assert (found.oldest, found.record.title) == (public_id("new7"), "異なる本 7")
    assert client.get(reverse("book", args=[public_id("old7")])).status_code == 200
    with pytest.raises(Gone):
        find_book(public_id("old39"))


def test_while_it_waits_the_old_page_shows_the_old_record():
    migrated()
    list(aggregate_pending())
    assert public_id("old7") in {member.public_id for member in find_book(public_id("old7")).members}


def test_a_run_that_takes_the_place_of_the_waiting_one_recognises_them_too():
    feed, _run = migrated()
    again = harvest_records(feed, books("new", 38))
    assert (again.code, again.facts["renamed"]) == ("safety.renamed_most", 38)


def test_a_few_renamed_records_are_replaced_without_a_question():
    feed = new_feed()
    harvest_records(feed, books("old"))
    run = harvest_records(feed, [*books("old")[:39], *books("new")[39:]])
    assert (run.state, run.swept) == ("succeeded", 1)
    assert run.observations["safety.renamed"]["facts"] == {"renamed": 1}
    assert SourceRecord.objects.get(identifier="oai:x:old39").successor.identifier == "oai:x:new39"


def test_content_that_several_records_share_leads_to_no_successor():
    feed = new_feed()
    harvest_records(feed, [live(f"old{number}", title="同じ本") for number in range(40)])
    run = harvest_records(feed, [live(f"new{number}", title="同じ本") for number in range(40)])
    assert (run.code, run.facts["renamed"]) == ("safety.deletions", 0)


def test_an_identifier_that_comes_back_has_no_successor_any_more():
    feed, run = migrated()
    deletion_decisions.confirm(run)
    harvest_records(feed, [*books("new", 38), *books("old")[7:8]])
    back = SourceRecord.objects.get(identifier="oai:x:old7")
    assert (back.deleted, back.successor) == (False, None)


def test_successors_in_a_ring_end():
    _feed, run = migrated()
    deletion_decisions.confirm(run)
    old, new = (SourceRecord.objects.get(identifier=f"oai:x:{name}") for name in ("old7", "new7"))
    SourceRecord.objects.filter(pk=new.pk).update(deleted=True, successor=old)
    with pytest.raises(Gone):
        find_book(old.public_id)


def test_content_is_what_a_cataloguer_compares_without_numbers_and_places():
    one, other = record("a", title="ほん", volume="1"), record("b", title="ホン", volume="１", base="https://b.example")
    assert content_key(one) == content_key(other) != AMBIGUOUS
    assert content_key(one) != content_key(record("a", title="ほん", volume="2"))
    assert content_key(BibliographicRecord(titles=(Title(value="雑"),))) == AMBIGUOUS


@pytest.mark.parametrize("full", [True, False])
def test_renamed_records_of_a_provider_whose_absences_mean_nothing_wait_for_a_person(full):
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, books("old"))
    run = harvest_records(feed, books("new"), full=full)
    assert (run.state, run.code) == ("paused", "safety.renamed_new")
    assert (run.facts["count"], run.facts["renamed"], run.facts["live"]) == (40, 40, 40)
    assert "oai:x:old7 → oai:x:new7" in deletion_decisions.sample_identifiers(run, 40)
    assert deletion_decisions.confirm(run) == 40
    assert live_local_ids(feed) == {f"new{number}" for number in range(40)}


def test_an_incremental_run_that_takes_the_place_of_the_waiting_one_asks_again():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, books("old"))
    harvest_records(feed, books("new"), full=False)
    again = harvest_records(feed, books("new"), full=False)
    assert (again.code, again.facts["count"]) == ("safety.renamed_new", 40)


def test_many_new_records_with_new_contents_are_no_renaming():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, books("old"))
    added = [live(f"new{number}", title=f"新しい本 {number}") for number in range(40)]
    run = harvest_records(feed, [*added, *books("other", 5)], full=False)
    assert (run.state, len(live_local_ids(feed))) == ("succeeded", 85)


def test_after_the_refusal_both_stay():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, books("old"))
    assert deletion_decisions.refuse(harvest_records(feed, books("new"), full=False)) == 40
    assert len(live_local_ids(feed)) == 80
    assert harvest_records(feed, books("new", 5), full=False).state == "succeeded"


@pytest.mark.parametrize("full", [True, False])
def test_the_renamed_records_of_a_small_provider_wait_for_a_person_too(full):
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, books("old", 12))
    run = harvest_records(feed, books("new", 12), full=full)
    assert (run.state, run.code, run.facts["renamed"]) == ("paused", "safety.renamed_new", 12)
    assert deletion_decisions.confirm(run) == 12
    assert live_local_ids(feed) == {f"new{number}" for number in range(12)}


def test_a_few_second_copies_are_no_renaming():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, books("old", 6))
    assert harvest_records(feed, books("copy", 4), full=False).state == "succeeded"
