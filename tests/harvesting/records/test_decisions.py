"""What is decided about a received record from its header and from what is stored of it, without a database."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from harvesting.models import Feed, Repository
from harvesting.records.decisions import Change, Known, Outcome, decide_changes, header_changed, hold_back, latest
from harvesting.types import HarvestedRecord
from metadata.policy import Policy
from tests.books import book

EARLIER, STORED, LATER = (f"2026-01-{day}T00:00:00Z" for day in ("09", "10", "11"))
OLD, NEW = book("a", title="古い題名"), book("a", title="新しい題名")
READ = (Outcome.UPDATED, False, False)  # the payload was read and is stored
LEFT = (Outcome.UNCHANGED, True, False)  # nothing of it is stored
CLASH = (Outcome.UNCHANGED, True, True)


def received(**fields: object) -> HarvestedRecord:
    return HarvestedRecord(**{"identifier": "oai:x:a", "datestamp": STORED, "payload": NEW, **fields})


def gone(**fields: object) -> HarvestedRecord:
    return received(deleted=True, payload=b"", **fields)


def stored(**fields: object) -> Known:
    usual = {"deleted": False, "refused": False, "header": (STORED, []), "feed": 2, "prefix": "dcndl"}
    return Known(pk=1, **{"payload_hash": hashlib.sha256(OLD).digest(), **usual, **fields})


def decision(record: HarvestedRecord, known: Known | None, prefix: str = "dcndl") -> Change:
    feed = Feed(pk=2, metadata_prefix=prefix, repository=Repository(number="R000000001"))
    return decide_changes({record.identifier: record}, {record.identifier: known} if known else {}, feed, Policy())[0]


def outcome(record: HarvestedRecord, known: Known | None, prefix: str = "dcndl") -> tuple[Outcome, bool, bool]:
    change = decision(record, known, prefix)
    return change.outcome, change.discarded, change.clash


@pytest.mark.parametrize("second", [received(), received(datestamp=LATER), received(payload=OLD)])
def test_of_two_records_with_one_identifier_the_newer_counts_and_then_the_last(second):
    first = received(payload=OLD)
    assert latest([first, second])[0] == {"oai:x:a": second}


def test_an_older_record_does_not_replace_a_newer_one_but_an_undated_deletion_does():
    newer = received(datestamp=LATER)
    assert latest([newer, received(datestamp=EARLIER)]) == ({"oai:x:a": newer}, [])
    assert latest([newer, gone(datestamp=EARLIER)]) == ({"oai:x:a": newer}, [])
    assert latest([newer, gone(datestamp="")]) == ({"oai:x:a": gone(datestamp="")}, [])


@pytest.mark.parametrize(
    ("first", "second", "clashes"),
    [
        (received(payload=b"a"), received(payload=b"b"), True),
        (received(payload=b"b"), received(payload=b"a"), True),
        (received(payload=b"a"), received(payload=b"a"), False),
        (received(payload=b"a"), received(payload=b"b", datestamp=LATER), False),
        (received(payload=b"b"), received(payload=b"a", datestamp=EARLIER), False),
        (received(payload=b"a"), gone(), False),
    ],
)
def test_different_descriptions_with_one_datestamp_are_a_clash(first, second, clashes):
    second = replace(second, datestamp="".join(second.datestamp), payload=bytes(bytearray(second.payload)))
    assert latest([first, second])[1] == (["oai:x:a"] if clashes else [])


@pytest.mark.parametrize(
    ("record", "known", "expected"),
    [
        (received(), None, (Outcome.CREATED, False, False)),
        (received(), stored(payload_hash=b""), (Outcome.CREATED, False, False)),
        (received(), stored(), READ),
        (received(payload=OLD), stored(), (Outcome.UNCHANGED, False, False)),
        (received(payload=OLD), stored(deleted=True), READ),
        (received(payload=OLD), stored(refused=True), READ),
        (received(payload=b"<a/>"), stored(), (Outcome.REJECTED, False, False)),
    ],
)
def test_only_a_payload_that_differs_is_read(record, known, expected):
    assert outcome(record, known) == expected


@pytest.mark.parametrize(
    ("record", "known", "expected"),
    [
        (received(), stored(seen_in_run=True), CLASH),
        (received(), stored(seen_in_run=True, deleted=True), LEFT),
        (received(datestamp=EARLIER), stored(seen_in_run=True), LEFT),
        (received(datestamp=LATER), stored(seen_in_run=True), READ),
        (received(), stored(seen_in_run=True, refused=True), READ),
        (gone(), stored(seen_in_run=True), (Outcome.DELETED, False, False)),
        (gone(datestamp=EARLIER), stored(seen_in_run=True), LEFT),
        (gone(datestamp=""), stored(seen_in_run=True), (Outcome.DELETED, False, False)),
    ],
)
def test_what_a_run_brings_twice_is_stored_once(record, known, expected):
    assert outcome(record, known) == expected


@pytest.mark.parametrize(
    ("header", "deleted", "expected"),
    [
        (LATER, False, LEFT),
        (STORED, False, READ),
        (EARLIER, False, READ),
        (EARLIER, True, LEFT),
        ("2026-01-11", False, LEFT),
        ("2026-01-10", False, READ),
        ("soon", False, READ),
    ],
)
def test_an_old_list_does_not_replace_what_was_changed_after_it(header, deleted, expected):
    record = received(as_of=datetime(2026, 1, 10, tzinfo=UTC))
    assert outcome(record, stored(header=(header, []), deleted=deleted)) == expected


@pytest.mark.parametrize(
    ("datestamp", "known", "prefix", "expected"),
    [
        (STORED, stored(feed=1), "dcndl", LEFT),
        (EARLIER, stored(feed=1), "dcndl", LEFT),
        (LATER, stored(feed=1), "dcndl", READ),
        (STORED, stored(feed=3), "dcndl", READ),
        (STORED, stored(feed=0), "dcndl", READ),
        (LATER, stored(feed=3, prefix="dcndl"), "oai_dc", LEFT),
        (EARLIER, stored(feed=1, prefix="oai_dc"), "dcndl", READ),
        (EARLIER, stored(feed=1, prefix="oai_dc"), "DCNDL", READ),
        (STORED, stored(feed=1, deleted=True), "dcndl", READ),
    ],
)
def test_of_two_feeds_the_richer_the_newer_and_then_the_older_has_precedence(datestamp, known, prefix, expected):
    found = outcome(received(datestamp=datestamp), known, prefix)
    assert found == expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (None, (Outcome.DELETED, False, False)),
        (stored(), (Outcome.DELETED, False, False)),
        (stored(deleted=True), (Outcome.UNCHANGED, False, False)),
        (stored(in_other_feed=True), LEFT),
        (stored(in_other_feed=True, deleted=True), (Outcome.UNCHANGED, False, False)),
    ],
)
def test_a_deletion_is_carried_out_once_and_not_while_another_feed_lists_the_record(known, expected):
    assert outcome(gone(), known) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ((STORED, ["books"]), False),
        ((EARLIER, ["books"]), True),
        ((LATER, ["books"]), True),
        ((STORED, []), True),
        ((STORED, ["books", "maps"]), True),
    ],
)
def test_another_datestamp_and_other_sets_are_another_header(header, expected):
    record = received(payload=OLD, set_specs=("books",))
    assert header_changed(decision(record, stored(header=header))) is expected


def test_nothing_of_a_discarded_record_counts_not_even_its_header():
    assert not header_changed(decision(received(set_specs=("books",)), stored(seen_in_run=True)))
    assert not header_changed(decision(received(), None))


@pytest.mark.parametrize(
    ("record", "known", "expected"),
    [
        (received(), None, (False, True, True, False)),
        (received(), stored(), (False, True, True, False)),
        (received(payload=b"<a/>"), None, (False, True, False, False)),
        (received(payload=b"<a/>"), stored(), (False, True, True, False)),
        (received(payload=b"<a/>"), stored(deleted=True), (False, True, False, False)),
        (gone(), None, (False, False, False, False)),
        (gone(), stored(), (True, False, False, True)),
        (gone(), stored(payload_hash=b""), (False, False, False, True)),
        (gone(), stored(deleted=True), (False, False, False, True)),
        (gone(), stored(in_other_feed=True), (False, False, False, True)),
        (gone(datestamp=EARLIER), stored(seen_in_run=True), (False, True, True, False)),
    ],
)
def test_what_a_change_means_for_the_list_of_a_feed(record, known, expected):
    change = decision(record, known)
    assert (change.deletes_registered, change.in_feed, change.registered_in_feed, change.left_feed) == expected


def test_a_deletion_held_back_leaves_the_record_in_the_feed():
    held = hold_back(decision(gone(), stored()))
    assert (held.outcome, held.discarded, held.in_feed, held.left_feed) == (Outcome.UNCHANGED, True, True, False)


def test_changes_are_in_the_order_of_the_records():
    records = {name: received(identifier=name) for name in "abcd"}
    known = {"b": stored(payload_hash=hashlib.sha256(NEW).digest()), "d": stored()}
    feed = Feed(pk=2, metadata_prefix="dcndl", repository=Repository(number="R000000001"))
    changes = decide_changes(records, known, feed, Policy())
    outcomes = [Outcome.CREATED, Outcome.UNCHANGED, Outcome.CREATED, Outcome.UPDATED]
    assert [(change.record.identifier, change.outcome) for change in changes] == list(
        zip("abcd", outcomes, strict=True)
    )
