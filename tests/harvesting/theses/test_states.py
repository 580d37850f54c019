"""Theses among harvested records: which are noted, what they are, and what becomes of them after the hand-over."""

import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from harvesting.doi.receivers import receivers
from harvesting.doi.verdicts import find_vanished
from harvesting.models import DoctoralThesis, Harvest, NotificationEvent, SourceRecord, ThesisEvent
from harvesting.monitoring.events import facts_of
from harvesting.notifications.wording import sentence
from harvesting.records.compression import pack_record
from harvesting.rereading.run import reread_now
from harvesting.tasks import look_at_theses, prepare_dois
from harvesting.theses.lists import mark_handed_over, ready_rows
from harvesting.theses.states import check_changed, is_due, look_through
from harvesting.types import HarvestedRecord
from tests.harvesting.doi.papers import harvest, paper
from tests.harvesting.theses.theses import OLD, WITHOUT_NUMBER, new_repository, received, states
from tests.metadata.deposits.test_jalc import PAPER
from tests.metadata.deposits.test_theses import embargoed, granted, thesis

pytestmark = pytest.mark.django_db
LATER = "2026-01-11T00:00:00Z"


@pytest.fixture
def feed(db):
    """A feed with a ready and a blocked thesis, and what the NDL does not collect."""
    feed = new_repository()
    harvest(feed, received("a"), received("b", **WITHOUT_NUMBER), received("old", **OLD), paper("c"))
    check_changed()
    return feed


def hand_over(feed) -> None:
    mark_handed_over(ready_rows(feed.repository_id))
    check_changed()


def history(name: str) -> list[str]:
    events = ThesisEvent.objects.filter(thesis__record__identifier=f"oai:x:{name}")
    return list(events.values_list("state", flat=True))


def test_theses_that_the_ndl_collects_are_noted_with_what_they_lack(feed):
    assert states() == {"a": "ready", "b": "blocked"}
    assert DoctoralThesis.objects.get(state="blocked").codes == ["thesis.E001"]
    assert not is_due()
    assert look_at_theses() == 0


def test_what_was_handed_over_is_known_by_its_hash_and_day(feed):
    hand_over(feed)
    row = DoctoralThesis.objects.get(record__identifier="oai:x:a")
    assert (row.state, len(row.sent_digest), row.sent_digest) == ("sent", 64, row.digest)
    event = ThesisEvent.objects.filter(thesis=row).last()
    assert (event.state, event.digest) == ("sent", row.digest)
    assert timezone.now() - event.at < datetime.timedelta(minutes=5)
    assert history("a") == ["ready", "sent"]
    assert states()["b"] == "blocked"
    hand_over(feed)
    assert history("a") == ["ready", "sent"]


def test_a_thesis_that_changes_is_to_be_handed_over_again(feed):
    hand_over(feed)
    harvest(feed, received("a", degree_names=("博士（理学）",)), datestamp=LATER)
    assert is_due()
    check_changed()
    assert states()["a"] == "changed"
    assert [row.record.identifier for row in ready_rows(feed.repository_id)] == ["oai:x:a"]
    hand_over(feed)
    assert history("a") == ["ready", "sent", "changed", "sent"]


def test_a_record_that_arrives_again_unchanged_changes_nothing(feed):
    hand_over(feed)
    harvest(feed, received("a"), datestamp=LATER)
    check_changed()
    assert states()["a"] == "sent"
    assert history("a") == ["ready", "sent"]


def test_a_correction_makes_a_thesis_ready(feed):
    harvest(feed, received("b"), datestamp=LATER)
    check_changed()
    assert states()["b"] == "ready"
    assert history("b") == ["blocked", "ready"]


def test_a_thesis_that_is_gone_stays_if_it_was_handed_over(feed):
    hand_over(feed)
    gone = [HarvestedRecord(identifier=f"oai:x:{name}", datestamp=LATER, deleted=True) for name in "ab"]
    harvest(feed, *gone, datestamp=LATER)
    check_changed()
    assert states() == {"a": "gone"}
    harvest(feed, received("a"), datestamp="2026-01-12T00:00:00Z")
    check_changed()
    assert states() == {"a": "sent"}


def test_a_record_that_becomes_something_else_is_no_thesis_any_more(feed):
    hand_over(feed)
    harvest(feed, received("a", **OLD), received("b", **OLD), datestamp=LATER)
    check_changed()
    assert states() == {"a": "gone"}


def test_a_record_that_staff_withhold_is_gone_too(feed):
    hand_over(feed)
    SourceRecord.objects.filter(identifier__in=["oai:x:a", "oai:x:b"]).update(suppressed_at=timezone.now())
    find_vanished(DoctoralThesis)
    check_changed()
    assert states() == {"a": "gone"}


def test_a_thesis_that_waits_for_a_day_is_looked_at_again_on_that_day(feed):
    tomorrow = f"{timezone.localdate() + datetime.timedelta(days=1):%Y-%m-%d}"
    harvest(feed, received("soon", **granted(tomorrow)), received("closed", **embargoed(tomorrow)), received("d"))
    check_changed()
    assert (states()["soon"], states()["closed"]) == ("blocked", "blocked")
    prepare_dois()
    assert not is_due()  # they were looked at today
    DoctoralThesis.objects.update(checked_at=timezone.now() - datetime.timedelta(days=1))
    prepare_dois()
    due = DoctoralThesis.objects.filter(checked_at=None).values_list("record__identifier", flat=True)
    assert sorted(due) == ["oai:x:closed", "oai:x:soon"]


def test_stored_records_are_looked_through_once(feed):
    before = states()
    DoctoralThesis.objects.all().delete()
    assert sum(look_through(feed.repository_id)) == SourceRecord.objects.count()
    check_changed()
    assert states() == before


def test_a_reread_notes_theses(feed):
    before = states()
    DoctoralThesis.objects.all().delete()
    SourceRecord.objects.update(record=pack_record(PAPER))  # as an earlier crosswalk read them
    reread_now(list(SourceRecord.objects.values_list("pk", flat=True)))
    check_changed()
    assert states() == before


def test_the_questions_to_the_database_do_not_grow_with_the_theses(feed):
    numbers = []
    for count in (2, 40):
        records = [received(f"{count}-{number}", **WITHOUT_NUMBER) for number in range(count)]
        with CaptureQueriesContext(connection) as queries:
            harvest(feed, *records)
            check_changed()
        numbers.append(len(queries))
    assert numbers[1] < numbers[0] + 10


def test_the_page_of_a_record_and_the_letter_say_what_became_of_it(feed):
    hand_over(feed)
    with translation.override("en"):
        first = SourceRecord.objects.get(identifier="oai:x:a")
        found = {one.service: one for one in receivers(first, thesis(), {"jpcoar.I139"})}["NDL, doctoral theses"]
        assert (found.state, found.details) == ("handed over", "")
        assert found.since == DoctoralThesis.objects.get(record=first).changed_at
        second = SourceRecord.objects.get(identifier="oai:x:b")
        found = receivers(second, thesis(), ())[0]
        assert (found.state, found.details) == ("not ready", "thesis.E001")
        old = SourceRecord.objects.get(identifier="oai:x:old")
        assert receivers(old, thesis(**OLD), {"jpcoar.I239"})[0].details == "jpcoar.I239"
        facts = facts_of(Harvest.objects.get())
        assert facts["theses"] == {"sent": 1, "blocked": 1}
        about = {**facts, "state": "succeeded"}
        event = NotificationEvent(kind="harvest.ended", repository=feed.repository, facts=about)
        assert "Doctoral theses for the NDL: not ready 1 · handed over 1" in sentence(event)
