"""Batch by batch in any order gives what the whole gives at once, to the bit: on real-looking data, with everything
that happens to records and rulings."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from msgspec import structs

import aggregator.grouping.crowds
import aggregator.matching.blocking_keys
import aggregator.matching.groups.partition
import aggregator.matching.groups.solve
import aggregator.matching.groups.works
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.matching.evaluation.files import Row, record_of
from aggregator.models import MatchAlarm, MatchRuling, Member
from aggregator.review.decisions import Contradiction, carry_out, undo
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.aggregator.shelves import (
    Shelf,
    assert_alarms_are_true,
    assert_doubts_are_true,
    assert_numbers_lead_on,
    assert_works_are_true,
    expected,
    stored,
    whole,
)
from tests.paths import TRUTH

SAMPLE = 120  # works of the truth in the ordinary suite, beside all that the events touch of them


def lines(name: str) -> Iterator[dict]:
    with (TRUTH / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def steps(works: int | None) -> dict[str, list[dict | None]]:
    """What happens to each record, in order: its first version, then its events. None: it is deleted."""
    wanted = {row["id"]: row["work"] for row in lines("truth.jsonl")}
    events = list(lines("events.jsonl"))
    busy = {wanted.get(event.get("id") or event["record"]["id"], "") for event in events}
    chosen = set(sorted(busy)[:works]) if works else set(wanted.values()) | busy
    versions: defaultdict[str, list[dict | None]] = defaultdict(list)
    for row in lines("records.jsonl"):
        if wanted[row["id"]] in chosen:
            versions[row["id"]].append(row)
    for event in events:
        name = event.get("id") or event["record"]["id"]
        if wanted.get(name, "") in chosen:
            versions[name].append(event.get("record"))
    return versions


def in_any_order(versions: dict[str, list[dict | None]], chance: random.Random) -> list[tuple[str, dict | None]]:
    """All steps mixed, those of one record in their order."""
    turns = [name for name, each in versions.items() for _step in each]
    chance.shuffle(turns)
    waiting = {name: iter(each) for name, each in versions.items()}
    return [(name, next(waiting[name])) for name in turns]


def happen(steps: list[tuple[str, dict | None]], chance: random.Random, ruling_share: float = 0.01) -> None:
    """Batch by batch, with rulings of staff in between."""
    shelf = Shelf()
    position = 0
    while position < len(steps):
        for name, row in steps[position : (position := position + chance.randint(1, 400))]:
            if row is None:
                shelf.delete(name)
            else:
                shelf.put(row["provider"], name, record_of(typed(row)))
            if chance.random() < ruling_share:
                rule_at_random(chance)
        while aggregate_batch(chance.choice([7, 60, 1000])):
            pass


def typed(row: dict) -> Row:
    known = {each: tuple(value) if isinstance(value, list) else value for each, value in row.items()}
    return Row(**{each: value for each, value in known.items() if each in Row.__struct_fields__})


def rule_at_random(chance: random.Random) -> None:
    """Any ruling that is not refused; now and then one is undone."""
    names = list(SourceRecord.objects.order_by("pk").values_list("public_id", flat=True))
    if len(names) < 5:
        return
    verdict = chance.choice(MatchRuling.Verdict.values + ["undo"])
    if verdict == "undo":
        row = MatchRuling.objects.filter(undone=None).order_by("?").first()
        if row:
            undo(row, None)
        return
    first, second, third = chance.sample(names, 3)
    row = MatchRuling(verdict=verdict, first=first, reason="a test")
    if verdict in ("same", "not_same"):
        row.second = second
    elif verdict == "lock":
        row.first, row.records = "", [first, second, third]
    elif verdict == "ignore":
        row.first = chance.choice([first, first.partition("-")[0], ""])
        row.isbn = isbn_of(first)
    row.clean()
    if verdict == "ignore" and not row.isbn:
        return
    with suppress(Contradiction):
        carry_out(row, None)


def isbn_of(name: str) -> str:
    record = unpack_record(bytes(SourceRecord.objects.get(public_id=name).record))
    return next((each.value for each in record.identifiers if each.scheme == "ISBN"), "")


def isbn_outcomes() -> set[str]:
    """What is said of the ISBNs of those that stand together."""
    found = Member.objects.values_list("evidence", flat=True)
    return {each["outcome"] for evidence in found for each in evidence if each["rule"] == "isbn"}


def assert_as_one_batch() -> None:
    right = whole()
    assert stored() == expected(right)
    assert_doubts_are_true(right)
    assert_numbers_lead_on()
    assert_works_are_true()
    assert_alarms_are_true(aggregator.grouping.crowds.CROWD, aggregator.grouping.crowds.GROUPS_AT_MOST)


@pytest.mark.django_db
@pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")
@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_of_real_looking_events_gives_the_same_groups(seed: int) -> None:
    chance = random.Random(seed)
    happen(in_any_order(steps(SAMPLE), chance), chance)
    assert_as_one_batch()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_any_order_of_all_events_gives_the_same_groups(seed: int) -> None:
    chance = random.Random(seed)
    happen(in_any_order(steps(None), chance), chance, 0.002)
    assert_as_one_batch()


ISBNS = ["9784003101018", "9784101010014"]


def book(
    title: str = "こころ", volume: str = "", isbn: str = "", set_isbn: str = "", person: str = "", year: str = "1914"
) -> BibliographicRecord:
    numbers = (("ISBN", isbn), ("SetISBN", set_isbn))
    return BibliographicRecord(
        titles=(Title(value=title),),
        volumes=(Title(value=volume),) if volume else (),
        creators=(Agent(name=person),) if person else (),
        issued=year,
        identifiers=tuple(Identifier(scheme=scheme, value=value) for scheme, value in numbers if value),
    )


PLAIN = book(isbn=ISBNS[0], person="夏目漱石")
WITHOUT_ISBN = book(person="夏目漱石")
VARIED = st.builds(
    book,
    title=st.sampled_from(["こころ", "こゝろ", "草枕", "三四郎"]),
    volume=st.sampled_from(["", "上", "下"]),
    isbn=st.sampled_from(["", *ISBNS]),
    set_isbn=st.sampled_from(["", "", "", ISBNS[0]]),
    person=st.sampled_from(["", "夏目漱石", "森鴎外"]),
    year=st.sampled_from(["", "1914", "1950"]),
)
BOOKS = st.one_of(st.just(PLAIN), st.just(WITHOUT_ISBN), st.just(book(isbn=ISBNS[0], volume="上")), VARIED)
NAMES = [f"record {number}" for number in range(7)]
DEED = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), BOOKS),
    st.tuples(st.just("put"), st.sampled_from(NAMES), BOOKS),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("rule"), st.integers(0, 99), st.none()),
    st.tuples(st.just("aggregate"), st.integers(1, 4), st.none()),
)


class TestSmallCrowds(TestCase):
    """Three make a crowd, two a work, and four hang together in too great a number: every border is crossed again and
    again.
    """

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in (aggregator.grouping.crowds, aggregator.matching.blocking_keys, aggregator.matching.groups.solve):
            monkeypatch.setattr(module, "CROWD", 3)
        monkeypatch.setattr(aggregator.matching.blocking_keys, "WEAK_CROWD", 2)
        for module in (aggregator.grouping.crowds, aggregator.matching.groups.works):
            monkeypatch.setattr(module, "GROUPS_AT_MOST", 2)
        monkeypatch.setattr(aggregator.matching.groups.partition, "LARGE", 4)

    def groups(self) -> list[int]:
        while aggregate_batch(3):
            pass
        assert_as_one_batch()
        return sorted(len(each) for each in stored())

    def test_what_a_crowd_hid_joins_when_the_crowd_dissolves(self) -> None:
        shelf = Shelf()
        for name in NAMES[:3]:
            shelf.put("a", name, WITHOUT_ISBN)
        assert self.groups() == [3]
        shelf.put("a", NAMES[3], WITHOUT_ISBN)
        assert self.groups() == [1, 1, 1, 1]
        shelf.delete(NAMES[0])
        assert self.groups() == [3]

    def test_what_hangs_together_in_too_great_a_number_is_told_and_solved_more_strictly(self) -> None:
        shelf = Shelf()
        for name in NAMES[:3]:
            shelf.put("a", name, WITHOUT_ISBN)
        others = [shelf.put("a", name, book("草枕", person="森鴎外")) for name in NAMES[3:6]]
        assert self.groups() == [3, 3]
        bridge = SourceRecord.objects.get(identifier=NAMES[0])
        row = MatchRuling(verdict="same", first=bridge.public_id, second=others[0].public_id)
        row.clean()
        carry_out(row, None)
        assert self.groups() == [1, 1, 1, 1, 2]
        alarms = MatchAlarm.objects.filter(kind=MatchAlarm.Kind.LARGE_COMPONENT)
        assert alarms.values_list("number", "records").get() == (bridge.pk, 6)
        shelf.delete(NAMES[0])
        assert self.groups() == [2, 3]
        assert not alarms.exists()

    def works(self) -> list[set[int]]:
        """Names of records, as the works stand."""
        found: defaultdict[int, set[int]] = defaultdict(set)
        rows = Member.objects.exclude(manifestation__work=None)
        for work, name in rows.values_list("manifestation__work", "source_record__identifier"):
            found[work].add(int(name[-1]))
        return sorted(found.values(), key=min)

    def test_editions_are_of_one_work_until_there_are_too_many_of_them(self) -> None:
        shelf = Shelf()
        shelf.put("a", NAMES[0], book(volume="上", person="夏目漱石"))
        self.groups()
        assert self.works() == []
        shelf.put("a", NAMES[1], book(volume="下", person="夏目漱石"))
        self.groups()
        assert self.works() == [{0, 1}]
        shelf.put("a", NAMES[2], book(volume="中", person="夏目漱石"))
        self.groups()
        assert self.works() == []
        shelf.delete(NAMES[0])
        self.groups()
        assert self.works() == [{1, 2}]
        shelf.put("a", NAMES[1], book(volume="下", person="森鴎外"))
        self.groups()
        assert self.works() == []

    def test_a_work_falls_apart_where_the_edition_between_goes(self) -> None:
        shelf = Shelf()
        shelf.put("a", NAMES[0], book("草枕", volume="上", person="夏目漱石"))
        both = book("草枕", volume="中", person="夏目漱石")
        shelf.put("a", NAMES[1], structs.replace(both, titles=(Title(value="草枕", transcription="クサマクラ"),)))
        other = book("くさまくら", volume="下", person="夏目漱石")
        shelf.put("a", NAMES[2], other)
        self.groups()
        assert self.works() == [{0, 1, 2}]
        shelf.delete(NAMES[1])
        self.groups()
        assert self.works() == []

    def test_all_who_bear_an_isbn_are_judged_anew_when_it_becomes_suspect(self) -> None:
        shelf = Shelf()
        shelf.put("a", NAMES[0], PLAIN)
        shelf.put("a", NAMES[1], PLAIN)
        assert self.groups() == [2]
        assert isbn_outcomes() == {"same"}
        shelf.put("b", NAMES[2], book("草枕", set_isbn=ISBNS[0]))
        self.groups()
        assert isbn_outcomes() == {"suspect"}
        shelf.delete(NAMES[2])
        self.groups()
        assert isbn_outcomes() == {"same"}

    @settings(max_examples=80, suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow])
    @given(st.lists(DEED, max_size=40))
    def test_suspect_isbns_and_crowds_come_and_go(self, deeds: list) -> None:
        shelf = Shelf()
        for deed, what, record in deeds:
            if deed == "put":
                shelf.put("a" if what < "record 5" else "b", what, record)
            elif deed == "delete":
                shelf.delete(what)
            elif deed == "rule":
                rule_at_random(random.Random(what))
            else:
                aggregate_batch(what)
        while aggregate_batch(3):
            pass
        assert_as_one_batch()
