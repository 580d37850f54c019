"""The same answer for all pairs of a provider with the same signs, and bulk changes of libraries."""

import pytest

from aggregator.bulk.matches import query_of
from aggregator.bulk.table import ACTIONS
from aggregator.matching import JOIN, REVIEW, compare, extract_features, score
from aggregator.models import Library, MatchRuling, ReviewPair
from aggregator.review.queue import queue
from aggregator.tasks import carry_out_bulk_actions
from harvesting.bulk import running
from harvesting.models import AuditEntry
from tests.aggregator.matching.books import book
from tests.aggregator.review.test_queue import SURE, VARIANTS, aggregate
from tests.aggregator.shelves import Shelf
from tests.aggregator.views.records_with_issues import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(db):
    return person("taro", staff=True)


@pytest.fixture
def pairs(db) -> list[ReviewPair]:
    """Two questions with the same pattern."""
    shelf = Shelf()
    for name, title in (("a", "こころ"), ("b", "草枕")):
        shelf.put("one", f"{name}1", book(title, **SURE))
        shelf.put("two", f"{name}2", book(title, **SURE))
        shelf.put("three", f"{name}3", book(title, **doubtful()))
    aggregate()
    return list(queue())


def doubtful() -> dict[str, str]:
    """Fields that make a record similar to the sure ones, but not alike enough to be grouped with them."""
    sure = extract_features(book("こころ", **SURE))
    fields = (variant for variant in VARIANTS if "title" not in variant)
    found = ((variant, extract_features(book("こころ", **variant))) for variant in fields)
    return next(variant for variant, features in found if REVIEW <= score(compare(sure, features)) < JOIN)


def carried_out(name: str, user, query: str, **parameters):
    bulk = running.prepare(ACTIONS[name], user, query)
    assert running.confirm(bulk, ACTIONS[name], user, parameters)
    carry_out_bulk_actions()
    bulk.refresh_from_db()
    return bulk


def test_all_pairs_of_a_pattern_get_the_same_answer_which_is_undone(pairs, staff):
    assert len(pairs) >= 2
    query = query_of("apart", pairs[0].pattern, pairs[0].first.repository.number)
    alike = [pair for pair in pairs if pair.pattern == pairs[0].pattern]
    bulk = carried_out("matches.not_same", staff, query, reason="同じ型", copies=False)
    assert bulk.done == len(alike) >= 2
    made = MatchRuling.objects.filter(verdict="not_same", undone=None, author=staff, by_pattern=True)
    assert made.filter(pattern=f"apart:{pairs[0].pattern}").count() == len(alike)
    assert not AuditEntry.objects.filter(action="match.ruled").exists()
    aggregate()
    assert not set(alike) & set(queue())
    running.begin_undoing(bulk, ACTIONS[bulk.action], staff)
    carry_out_bulk_actions()
    assert not MatchRuling.objects.filter(undone=None).exists()
    aggregate()
    assert len(queue()) == len(pairs)


def test_a_pair_with_another_pattern_is_not_touched(pairs, staff):
    number = pairs[0].first.repository.number
    for query in (
        query_of("apart", "other=agrees", number),
        query_of("joined", pairs[0].pattern, number),
        "",
        "kind=x",
    ):
        bulk = carried_out("matches.same", staff, query, reason="x", copies=False)
        assert (bulk.matched, bulk.done) == (0, 0)
    assert not MatchRuling.objects.exists()


def test_a_field_of_libraries_is_set_and_put_back_with_its_marks(staff):
    names = {name: Library.objects.create(name=name) for name in ("甲図書館", "乙図書館", "丙図書館")}
    Library.objects.filter(name="丙図書館").update(kind="school", edited=["kind"])
    bulk = carried_out("libraries.kind", staff, "", kind="university")
    assert bulk.done == 3
    assert set(Library.objects.values_list("kind", flat=True)) == {"university"}
    assert Library.objects.get(name="甲図書館").edited == ["kind"]
    Library.objects.filter(pk=names["乙図書館"].pk).update(kind="special")
    running.begin_undoing(bulk, ACTIONS[bulk.action], staff)
    carry_out_bulk_actions()
    bulk.refresh_from_db()
    assert (bulk.undone, bulk.left) == (2, 1)
    kinds = {library.name: (library.kind, library.edited) for library in Library.objects.all()}
    assert kinds == {
        "甲図書館": ("", []),
        "乙図書館": ("special", ["kind"]),
        "丙図書館": ("school", ["kind"]),
    }


def test_whether_libraries_lend_and_their_prefecture_are_set(staff):
    Library.objects.create(name="甲図書館", lends=True)
    Library.objects.create(name="乙図書館", prefecture="13", municipality="13101")
    assert carried_out("libraries.lends", staff, "q=甲", lends="").done == 1
    assert Library.objects.get(name="甲図書館").lends is None
    bulk = carried_out("libraries.prefecture", staff, "", prefecture="27")
    assert (bulk.matched, bulk.applicable, bulk.done) == (2, 1, 1)
    assert Library.objects.get(name="甲図書館").prefecture == "27"
