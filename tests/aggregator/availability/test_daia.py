"""DAIA: what the services of the items say about borrowing, and what hostile answers cannot do."""

import json
from pathlib import Path

import pytest

from aggregator.availability.answers import Availability, State, UnreadableAnswer
from aggregator.availability.daia import read_daia

DATA = Path(__file__).with_name("data")
BEST = Availability(
    state=State.AVAILABLE,
    copies=3,
    lendable=1,
    delayed=True,
    interloan=True,
    place="書庫 913.6-N58-2",
    note="1週間",
    href="https://opac.example.jp/books/1",
)


def daia(*items: dict, **document: object) -> bytes:
    return json.dumps({"document": [{"id": "x", "item": list(items), **document}]}).encode()


def lent(**values: object) -> dict:
    return {"unavailable": [{"service": "loan", **values}]}


@pytest.mark.parametrize("name", ["all_fields.json", "all_fields.xml"])
def test_the_best_copy_counts(name):
    assert read_daia((DATA / name).read_bytes()) == BEST


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (lent(expected="2026-12-01"), State.ON_LOAN),
        (lent(expected="unknown"), State.ON_LOAN),
        (lent(expected="2026-12-01", queue=2), State.RESERVED),
        (lent(), State.NOT_LENT),
        ({"available": [{"service": "presentation"}], **lent()}, State.IN_HOUSE),
        ({"available": [{"service": "presentation"}]}, State.IN_HOUSE),
        ({"available": [{"service": "interloan"}]}, State.UNKNOWN),
        ({}, State.UNKNOWN),
    ],
)
def test_what_is_not_on_the_shelf_has_a_state_of_its_own(item, state):
    assert read_daia(daia(item)).state is state


def test_a_copy_on_loan_has_its_date_and_the_way_to_reserve_it():
    read = read_daia(daia(lent(expected="2026-12-01T10:00:00Z", href="https://opac.example.jp/reserve"), lent()))
    assert (read.due, read.href) == ("2026-12-01", "https://opac.example.jp/reserve")
    assert read_daia(daia(lent(expected="2026-12-09"), lent(expected="2026-12-01"))).due == "2026-12-01"


def test_an_answer_about_nothing_is_unknown():
    assert read_daia(b'{"document": []}') == Availability()
    assert read_daia(b'<daia xmlns="http://ws.gbv.de/daia/"/>') == Availability()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "availability.no_json"),
        (b"\xff\xfe", "availability.no_json"),
        (b"[" * 200_000, "availability.no_json"),
        (b'{"error": "down"}', "availability.no_daia"),
        (b"[]", "availability.no_daia"),
        (b"<html><p>", "availability.no_xml"),
        (b"<html/>", "availability.no_daia"),
        (b"<a>" * 100_000, "availability.no_xml"),
        (b'<!DOCTYPE d [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><daia>&b;</daia>', "availability.no_xml"),
    ],
)
def test_what_is_no_daia_is_refused(body, code):
    with pytest.raises(UnreadableAnswer) as refused:
        read_daia(body)
    assert refused.value.code == code


@pytest.mark.parametrize("value", [None, 7, "x", [], [[]], {}, [None], ["x"], [{"service": []}], [{"service": "loan"}]])
@pytest.mark.parametrize("name", ["available", "unavailable", "storage", "label", "href", "id"])
def test_wrong_types_break_nothing(name, value):
    read = read_daia(daia({name: value}, **{name: value}))
    assert read.state in State
    assert isinstance(read.href, str)


def test_values_are_bounded():
    item = {"label": "長" * 5000, **lent(expected="x" * 5000, queue=10**30, href="javascript:alert(1)")}
    read = read_daia(daia(*[item] * 3000))
    assert (read.copies, read.queue, read.href, len(read.place)) == (500, 0, "", 120)
