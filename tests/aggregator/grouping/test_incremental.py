"""Aggregation batch by batch, in any order, gives exactly the result of matching everything at once.

Tested on realistic data, with everything that can happen to records and rulings.
"""

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

import aggregator.grouping.key_counts
import aggregator.grouping.writing
import aggregator.matching.groups.candidates
import aggregator.matching.groups.components
import aggregator.matching.groups.doubts
import aggregator.matching.groups.suspects
import aggregator.matching.groups.works
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.grouping.rulings.rows import mark_provider
from aggregator.matching.evaluation.files import Row, record_of
from aggregator.models import Core, MatchAlarm, MatchRuling, Member
from aggregator.review.rulings import Contradiction, carry_out, undo
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.aggregator.shelves import (
    Shelf,
    assert_alarms_are_correct,
    assert_doubts_are_correct,
    assert_kinds_are_correct,
    assert_numbers_lead_to_groups,
    assert_works_are_correct,
    expected_groups,
    groups_of_records,
    match_everything,
    stored_groups,
)
from tests.paths import TRUTH

SAMPLE = 120  # the ordinary suite uses only this many of the works that the events change


def lines(name: str) -> Iterator[dict]:
    with (TRUTH / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def steps(works: int | None) -> dict[str, list[dict | None]]:
    """Return record -> its versions in order: the first, then those of its events. A version None is a deletion."""
    work_of = {row["id"]: row["work"] for row in lines("truth.jsonl")}
    events = list(lines("events.jsonl"))
    changed_works = {work_of.get(event.get("id") or event["record"]["id"], "") for event in events}
    chosen = set(sorted(changed_works)[:works]) if works else set(work_of.values()) | changed_works
    versions: defaultdict[str, list[dict | None]] = defaultdict(list)
    for row in lines("records.jsonl"):
        if work_of[row["id"]] in chosen:
            versions[row["id"]].append(row)
    for event in events:
        name = event.get("id") or event["record"]["id"]
        if work_of.get(name, "") in chosen:
            versions[name].append(event.get("record"))
    return versions


def in_any_order(versions: dict[str, list[dict | None]], rng: random.Random) -> list[tuple[str, dict | None]]:
    """All steps shuffled, with those of one record in order."""
    order = [name for name, versions_of_one in versions.items() for _version in versions_of_one]
    rng.shuffle(order)
    remaining = {name: iter(versions_of_one) for name, versions_of_one in versions.items()}
    return [(name, next(remaining[name])) for name in order]


def run_steps(steps: list[tuple[str, dict | None]], rng: random.Random, ruling_share: float = 0.01) -> None:
    """Run the steps batch by batch, with rulings of staff in between."""
    shelf = Shelf()
    position = 0
    while position < len(steps):
        for name, row in steps[position : (position := position + rng.randint(1, 400))]:
            if row is None:
                shelf.delete(name)
            else:
                shelf.put(row["provider"], name, record_of(row_of(row)))
            if rng.random() < ruling_share:
                rule_at_random(rng)
        while aggregate_batch(rng.choice([7, 60, 1000])):
            pass


def row_of(row: dict) -> Row:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Row(**{name: value for name, value in values.items() if name in Row.__struct_fields__})


def rule_at_random(rng: random.Random) -> None:
    """Make a random ruling unless it is refused; now and then undo one."""
    names = list(SourceRecord.objects.order_by("pk").values_list("public_id", flat=True))
    if len(names) < 5:
        return
    verdict = rng.choice(MatchRuling.Verdict.values + ["undo"])
    if verdict == "undo":
        row = MatchRuling.objects.filter(undone=None).order_by("?").first()
        if row:
            undo(row, None)
            mark_whole_provider(row)
        return
    row = random_ruling(verdict, rng.sample(names, 3), rng)
    row.clean()
    if verdict == "ignore" and not row.isbn:
        return
    with suppress(Contradiction):
        carry_out(row, None)
        mark_whole_provider(row)


def mark_whole_provider(row: MatchRuling) -> None:
    """Mark all records that a ruling on the dates of a provider is about. Without an author only the first are."""
    if row.verdict == MatchRuling.Verdict.PRINTINGS:
        mark_provider(row.first)


def random_ruling(verdict: str, names: list[str], rng: random.Random) -> MatchRuling:
    first, second, _third = names
    row = MatchRuling(verdict=verdict, first=first, reason="a test")
    if verdict in ("same", "not_same"):
        row.second = second
        row.with_copies = rng.choice([[], [first, second], [first, second], [second]])
    elif verdict == "lock":
        row.first, row.records = "", names
    elif verdict == "printings":
        row.first = first.partition("-")[0]
    elif verdict == "ignore":
        row.first = rng.choice([first, first.partition("-")[0], ""])
        row.isbn = isbn_of(first)
    return row


def isbn_of(name: str) -> str:
    record = unpack_record(bytes(SourceRecord.objects.get(public_id=name).record))
    return next((identifier.value for identifier in record.identifiers if identifier.scheme == "ISBN"), "")


def isbn_outcomes() -> set[str]:
    """The ISBN outcomes in the evidence of grouped records."""
    all_evidence = Core.objects.values_list("evidence", flat=True)
    return {item["outcome"] for evidence in all_evidence for item in evidence if item["rule"] == "isbn"}


def assert_equals_one_batch() -> None:
    matched = match_everything()
    assert_kinds_are_correct(matched)
    assert stored_groups() == expected_groups(matched)
    assert_doubts_are_correct(matched)
    assert_numbers_lead_to_groups()
    assert_works_are_correct()
    assert_alarms_are_correct()


@pytest.mark.django_db
@pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_any_order_of_realistic_events_gives_the_same_groups(seed: int) -> None:
    rng = random.Random(seed)
    run_steps(in_any_order(steps(SAMPLE), rng), rng)
    assert_equals_one_batch()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.skipif(not TRUTH.is_dir(), reason="no folder ../shared/truth beside the repository")
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_any_order_of_all_events_gives_the_same_groups(seed: int) -> None:
    rng = random.Random(seed)
    run_steps(in_any_order(steps(None), rng), rng, 0.002)
    assert_equals_one_batch()


ISBNS = ["9784003101018", "9784101010014"]


def book(
    title: str = "こころ",
    volume: str = "",
    isbn: str = "",
    set_isbn: str = "",
    person: str = "",
    year: str = "1914",
    series: str = "",
    pages: str = "",
) -> BibliographicRecord:
    numbers = (("ISBN", isbn), ("SetISBN", set_isbn))
    return BibliographicRecord(
        titles=(Title(value=title),),
        volumes=(Title(value=volume),) if volume else (),
        creators=(Agent(name=person),) if person else (),
        issued=year,
        identifiers=tuple(Identifier(scheme=scheme, value=value) for scheme, value in numbers if value),
        series=(Title(value=series),) if series else (),
        extents=(pages,) if pages else (),
    )


PLAIN = book(isbn=ISBNS[0], person="夏目漱石")
WITHOUT_ISBN = book(person="夏目漱石")
IN_SERIES = [book(person="夏目漱石", series=f"第{number}叢書") for number in "一二三四五六七"]
VARIED = st.builds(
    book,
    title=st.sampled_from(["こころ", "こゝろ", "こころ : 小説", "草枕", "三四郎"]),
    volume=st.sampled_from(["", "上", "下"]),
    isbn=st.sampled_from(["", *ISBNS]),
    set_isbn=st.sampled_from(["", "", "", ISBNS[0]]),
    person=st.sampled_from(["", "夏目漱石", "森鴎外"]),
    year=st.sampled_from(["", "1914", "1950"]),
    series=st.sampled_from(["", "一の叢書", "二の叢書"]),
    pages=st.sampled_from(["", "300p"]),
)
BOOKS = st.one_of(st.just(PLAIN), st.just(WITHOUT_ISBN), st.just(book(isbn=ISBNS[0], volume="上")), VARIED)
NAMES = [f"record {number}" for number in range(7)]
ACTION = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), BOOKS),
    st.tuples(st.just("put"), st.sampled_from(NAMES), BOOKS),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("rule"), st.integers(0, 99), st.none()),
    st.tuples(st.just("aggregate"), st.integers(1, 4), st.none()),
)


class TestSmallCrowds(TestCase):
    """With very low limits (more than three cores make a crowd, more than two titles form no work, of more than four
    connected cores only four are compared pair by pair), so that all limits are crossed again and again.
    """

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in (aggregator.grouping.key_counts, aggregator.matching.groups.candidates):
            monkeypatch.setattr(module, "CROWD", 3)
        monkeypatch.setattr(aggregator.matching.groups.candidates, "COMPARED_AT_MOST", 5)
        for module in (aggregator.grouping.key_counts, aggregator.matching.groups.suspects):
            monkeypatch.setattr(module, "ASKED_AT_MOST", 4)
        monkeypatch.setattr(aggregator.matching.groups.works, "FORMS_AT_MOST", 2)
        monkeypatch.setattr(aggregator.matching.groups.components, "LARGE", 4)
        monkeypatch.setattr(aggregator.matching.groups.doubts, "_ALL_PAIRS_AT_MOST", 4)
        monkeypatch.setattr(aggregator.grouping.writing, "SCORED_AT_MOST", 4)

    def groups(self) -> list[int]:
        while aggregate_batch(3):
            pass
        assert_equals_one_batch()
        return sorted(len(group) for group in groups_of_records())

    def test_of_a_crowded_key_every_description_is_compared_with_the_fullest(self) -> None:
        shelf = Shelf()
        for name, description in zip(NAMES[:3], IN_SERIES, strict=False):
            shelf.put("a", name, description)
        assert self.groups() == [3]
        shelf.put("a", NAMES[3], WITHOUT_ISBN)
        assert self.groups() == [4]
        shelf.put("a", NAMES[4], structs.replace(PLAIN, extents=("300p",)))
        self.groups()
        shelf.delete(NAMES[0])
        self.groups()

    def test_more_copies_of_a_description_change_no_group_and_compare_nothing(self) -> None:
        shelf = Shelf()
        for name, description in zip(NAMES[:3], IN_SERIES, strict=False):
            shelf.put("a", name, description)
        assert self.groups() == [3]
        shelf.put("b", NAMES[5], IN_SERIES[1])
        batch = aggregate_batch(10)
        assert (batch.pairs, batch.regrouped) == (0, 0)
        assert self.groups() == [4]

    def test_a_large_component_raises_an_alarm_while_it_is_large(self) -> None:
        shelf = Shelf()
        for name, description in zip(NAMES[:3], IN_SERIES, strict=False):
            shelf.put("a", name, description)
        others = [
            shelf.put("a", name, book("草枕", person="森鴎外", series=f"第{name[-1]}叢書")) for name in NAMES[3:6]
        ]
        assert self.groups() == [3, 3]
        bridge = SourceRecord.objects.get(identifier=NAMES[0])
        row = MatchRuling(verdict="same", first=bridge.public_id, second=others[0].public_id)
        row.clean()
        carry_out(row, None)
        self.groups()
        alarms = MatchAlarm.objects.filter(kind=MatchAlarm.Kind.LARGE_COMPONENT)
        assert alarms.values_list("records", flat=True).get() == 6
        shelf.delete(NAMES[0])
        assert self.groups() == [2, 3]
        assert not alarms.exists()

    def works(self) -> list[set[int]]:
        """The last digits of the records' identifiers, by work."""
        names: defaultdict[int, set[int]] = defaultdict(set)
        rows = Member.objects.exclude(manifestation__work=None)
        for work, name in rows.values_list("manifestation__work", "source_record__identifier"):
            names[work].add(int(name[-1]))
        return sorted(names.values(), key=min)

    def test_editions_form_one_work_until_there_are_too_many_titles(self) -> None:
        shelf = Shelf()
        shelf.put("a", NAMES[0], book("こころ : 先生", volume="上", person="夏目漱石"))
        self.groups()
        assert self.works() == []
        shelf.put("a", NAMES[1], book("こころ : 遺書", volume="下", person="夏目漱石"))
        self.groups()
        assert self.works() == [{0, 1}]
        shelf.put("a", NAMES[3], book("こころ : 遺書", volume="続", person="夏目漱石"))
        self.groups()
        assert self.works() == [{0, 1, 3}]
        shelf.put("a", NAMES[2], book("こころ : 両親", volume="中", person="夏目漱石"))
        self.groups()
        assert self.works() == []
        shelf.delete(NAMES[0])
        self.groups()
        assert self.works() == [{1, 2, 3}]

    def test_a_work_falls_apart_when_the_connecting_edition_is_deleted(self) -> None:
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

    def test_all_records_with_an_isbn_are_compared_again_when_it_becomes_suspect(self) -> None:
        shelf = Shelf()
        shelf.put("a", NAMES[0], PLAIN)
        shelf.put("a", NAMES[1], structs.replace(PLAIN, extents=("300p",)))
        assert self.groups() == [2]
        assert isbn_outcomes() == {"same"}
        shelf.put("b", NAMES[2], book("草枕", set_isbn=ISBNS[0]))
        self.groups()
        assert isbn_outcomes() == {"suspect"}
        shelf.delete(NAMES[2])
        self.groups()
        assert isbn_outcomes() == {"same"}

    @settings(suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow])
    @given(st.lists(ACTION, max_size=40))
    def test_suspect_isbns_and_crowds_come_and_go(self, actions: list) -> None:
        shelf = Shelf()
        for action, argument, record in actions:
            if action == "put":
                shelf.put("a" if argument < "record 5" else "b", argument, record)
            elif action == "delete":
                shelf.delete(argument)
            elif action == "rule":
                rule_at_random(random.Random(argument))
            else:
                aggregate_batch(argument)
        while aggregate_batch(3):
            pass
        assert_equals_one_batch()
