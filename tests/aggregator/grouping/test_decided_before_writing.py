"""On SQLite a batch is decided before its transaction. What changes meanwhile is neither lost nor overlooked."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.grouping import aggregate
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.models import Manifestation, MatchRuling, Member
from aggregator.review.decisions import carry_out
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
    """act: happens once, when a batch is decided and not written yet. How often one was decided, and where."""
    decide, where = aggregate._decide, []

    def decided(claimed):
        result = decide(claimed)
        where.append(connection.in_atomic_block)
        if len(where) == 1:
            act()
        return result

    monkeypatch.setattr(aggregate, "_decide", decided)
    return where


def groups():
    return sorted(Member.objects.values_list("manifestation", flat=True))


def test_a_transaction_only_writes(shelf, monkeypatch):
    where = meanwhile(monkeypatch, lambda: None)
    with CaptureQueriesContext(connection) as asked:
        assert aggregate_batch(10).records == 2
    statements = [each["sql"].split("times: ")[-1].split()[0] for each in asked]
    begun = statements.index("BEGIN")
    assert where == [False]
    assert set(statements[:begun]) == {"SELECT"}
    # Inside: what was claimed and the rulings are looked at again.
    assert statements[begun + 1 : begun + 3] == ["SELECT", "SELECT"]
    assert set(statements[begun + 3 : -1]) <= {"INSERT", "UPDATE", "DELETE", "SELECT"}
    assert len(set(groups())) == 1


def test_a_record_that_changes_meanwhile_is_taken_as_it_is_then(shelf, monkeypatch):
    def change():
        shelf.put("b", "2", record("2", title="草枕", creator="夏目漱石", issued="1906"))

    where = meanwhile(monkeypatch, change)
    assert aggregate_batch(10).records == 2
    assert where == [False, True]  # overtaken, and done again where nobody can
    assert len(set(groups())) == 2
    assert not SourceRecord.objects.pending().exists()


def test_what_is_ruled_meanwhile_counts(shelf, monkeypatch):
    names = sorted(SourceRecord.objects.values_list("public_id", flat=True))

    def rule():
        carry_out(MatchRuling(verdict="not_same", first=names[0], second=names[1], reason="two editions"), None)

    where = meanwhile(monkeypatch, rule)
    assert aggregate_batch(10).records == 2
    assert where == [False, True]
    assert len(set(groups())) == 2


def test_what_comes_meanwhile_waits_for_the_next_batch(shelf, monkeypatch):
    def bring():
        shelf.put("c", "3", record("3", title="こころ", creator="夏目漱石", issued="1914"))

    where = meanwhile(monkeypatch, bring)
    assert aggregate_batch(10).records == 2
    assert where == [False]
    assert SourceRecord.objects.pending().count() == 1
    assert aggregate_batch(10).records == 1
    assert len(set(groups())) == 1
    assert Manifestation.objects.exclude(record=b"").count() == 1
