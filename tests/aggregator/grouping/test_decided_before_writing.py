"""On SQLite a batch is decided before its transaction. Changes in between are neither lost nor overlooked."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.grouping import aggregate
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.models import Manifestation, MatchRuling, Member
from aggregator.review.rulings import carry_out
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = [
    pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere the rows are locked"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def shelf():
    shelf = Shelf()
    shelf.put("a", "1", record("1", title="こころ", creator="夏目漱石", issued="1914"))
    shelf.put("b", "2", record("2", title="こころ", creator="夏目漱石", issued="1914"))
    return shelf


def meanwhile(monkeypatch, act):
    """Call `act` once, after a batch was decided and before it is written.

    Return a list that gets, for every time a batch is decided, whether this was inside a transaction.
    """
    decide, in_transaction = aggregate._decide, []

    def decide_and_act(claimed):
        result = decide(claimed)
        in_transaction.append(connection.in_atomic_block)
        if len(in_transaction) == 1:
            act()
        return result

    monkeypatch.setattr(aggregate, "_decide", decide_and_act)
    return in_transaction


def groups():
    return sorted(Member.objects.values_list("manifestation", flat=True))


def test_a_transaction_only_writes(shelf, monkeypatch):
    in_transaction = meanwhile(monkeypatch, lambda: None)
    with CaptureQueriesContext(connection) as queries:
        assert aggregate_batch(10).records == 2
    statements = [query["sql"].split("times: ")[-1].split()[0] for query in queries]
    begin = statements.index("BEGIN")
    assert in_transaction == [False]
    assert set(statements[:begin]) == {"SELECT"}
    # Inside the transaction, the claimed records and the rulings are read again, to see whether they have changed.
    assert statements[begin + 1 : begin + 3] == ["SELECT", "SELECT"]
    assert set(statements[begin + 3 : -1]) <= {"INSERT", "UPDATE", "DELETE", "SELECT"}
    assert len(set(groups())) == 1


def test_a_record_that_changes_meanwhile_is_read_again(shelf, monkeypatch):
    def change():
        shelf.put("b", "2", record("2", title="草枕", creator="夏目漱石", issued="1906"))

    in_transaction = meanwhile(monkeypatch, change)
    assert aggregate_batch(10).records == 2
    assert in_transaction == [False, True]  # decided again inside the transaction, where no other process can interfere
    assert len(set(groups())) == 2
    assert not SourceRecord.objects.pending().exists()


def test_a_ruling_made_meanwhile_counts(shelf, monkeypatch):
    names = sorted(SourceRecord.objects.values_list("public_id", flat=True))

    def rule():
        carry_out(MatchRuling(verdict="not_same", first=names[0], second=names[1], reason="two editions"), None)

    in_transaction = meanwhile(monkeypatch, rule)
    assert aggregate_batch(10).records == 2
    assert in_transaction == [False, True]
    assert len(set(groups())) == 2


def test_a_record_that_arrives_meanwhile_waits_for_the_next_batch(shelf, monkeypatch):
    def add():
        shelf.put("c", "3", record("3", title="こころ", creator="夏目漱石", issued="1914"))

    in_transaction = meanwhile(monkeypatch, add)
    assert aggregate_batch(10).records == 2
    assert in_transaction == [False]
    assert SourceRecord.objects.pending().count() == 1
    assert aggregate_batch(10).records == 1
    assert len(set(groups())) == 1
    assert Manifestation.objects.to_merge().count() == 1
