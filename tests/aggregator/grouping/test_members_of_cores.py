"""Kinds and members of cores are found by their books, whichever database: there is no index by the hash of a core."""

import re
from typing import Any

import pytest
from django.db import connection

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.rows import members_of_cores
from aggregator.models import Core, Kind, Member
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def shelf() -> Shelf:
    """A book of two cores, one of which has two kinds and three records, and a book of one record."""
    shelf = Shelf()
    for name, creator, year in (
        ("a", "夏目, 漱石", "1990"),
        ("b", "夏目, 漱石", "1990"),
        ("c", "夏目, 金之助", "1990"),
        ("d", "夏目, 漱石", ""),
    ):
        shelf.put("library", name, record(name, isbn=ISBN, creator=creator, issued=year))
    shelf.put("library", "x", record("x", title="料理入門", creator="料理, 太郎"))
    match_and_merge()
    return shelf


def core_of(name: str) -> int:
    return Member.objects.values_list("kind__core", flat=True).get(source_record__identifier=name)


def names(pks: set[int]) -> set[str]:
    return set(Member.objects.filter(pk__in=pks).values_list("source_record__identifier", flat=True))


def test_the_fixture_has_two_books_and_three_cores(shelf: Shelf) -> None:
    assert set(Core.objects.values_list("kinds", "records")) == {(2, 3), (1, 1)}
    assert Member.objects.values("manifestation").distinct().count() == 2


@pytest.mark.parametrize(("wanted", "expected"), [("a", "abc"), ("d", "d"), ("ad", "abcd"), ("ax", "abcx")])
def test_members_of_cores_are_those_of_their_kinds_only(shelf: Shelf, wanted: str, expected: str) -> None:
    cores = [core_of(name) for name in wanted]
    book_of = dict(Core.objects.filter(pk__in=cores).values_list("pk", "manifestation"))
    found = members_of_cores(book_of)
    assert names({pk for pk, _kind, _core in found}) == set(expected)
    assert {(pk, kind, core) for pk, kind, core in found} == set(
        Member.objects.filter(kind__core__in=cores).values_list("pk", "kind", "kind__core")
    )
    assert names(set(Member.objects.of_cores(cores).values_list("pk", flat=True))) == set(expected)


def test_members_have_one_index_besides_their_key_and_kinds_none() -> None:
    """The migration drops the others by name."""
    with connection.cursor() as cursor:
        constraints = [
            connection.introspection.get_constraints(cursor, model._meta.db_table).values() for model in (Member, Kind)
        ]
    indexes = [{tuple(found["columns"]) for found in of_table if found["index"]} for of_table in constraints]
    assert indexes == [{("manifestation_id", "kind_id")}, set()]


def test_no_query_of_a_batch_reads_a_table_from_end_to_end(shelf: Shelf) -> None:
    """A new record, one that leaves its core, whose example it was, and one that leaves the catalogue."""
    shelf.put("library", "new", record("new", isbn=ISBN, creator="夏目", issued="1990"))
    shelf.put("library", "a", record("a", title="別の本", creator="別, 人"))
    shelf.delete("x")
    statements: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT"):
            statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        sum(aggregate_pending())
        list(Member.objects.of_cores([core_of("b")]))
    assert [sql for sql, params in statements if scans(sql, params)] == []


def scans(sql: str, params: Any) -> bool:
    """Whether SQLite reads one of the large tables of matching without an index. (PostgreSQL: `test_named_queries`.)"""
    if connection.vendor != "sqlite":
        return False
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        plan = " ".join(str(row[3]) for row in cursor.fetchall())
    return bool(re.search(r"SCAN aggregator_(core|kind|member|manifestation)\b", plan))
