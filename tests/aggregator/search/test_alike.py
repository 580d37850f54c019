"""Books with the same traits as another one, with every engine; and which traits the embedded one reads first."""

import pytest

from aggregator.search.base import Document
from aggregator.search.plan import alike
from aggregator.search.plan.alike import alike_plan
from aggregator.search.plan.nodes import Both
from aggregator.search.tantivy.engine import TantivyIndex
from aggregator.search.tree import Phrase, Word

CATS = Phrase("ネコ", "subject")
SHELF = Word("645", "ndc")
SERIES = Phrase("見本叢書")


def book(number: int, *subjects: str, ndc: str = "", holdings: int = 1, text: str = "") -> Document:
    classes, texts = (ndc,) if ndc else (), (text,) if text else ()
    return Document(id=number, titles=(f"本{number}",), subjects=subjects, ndcs=classes, holdings=holdings, texts=texts)


BOOKS = (
    book(1, "ネコ", "動物", ndc="645.7", text="見本叢書"),
    book(2, "ネコ", ndc="645.7"),
    book(3, "ネコ"),
    book(4, "イヌ", ndc="645.6"),
    book(5, "料理", ndc="596"),
)


@pytest.fixture
def shelf(index):
    index.update(BOOKS)
    return index


def test_books_with_more_of_the_traits_come_first_and_others_not_at_all(shelf):
    found = shelf.alike([CATS, SHELF, SERIES], 10)
    assert found[:2] == (1, 2)
    assert set(found[2:]) == {3, 4}
    assert shelf.alike([CATS, SHELF, SERIES], 2) == (1, 2)


def test_without_a_trait_and_without_a_book_there_is_nothing(shelf, index):
    assert shelf.alike([], 10) == ()
    assert shelf.alike([Phrase("カメ", "subject")], 10) == ()
    index.clear()
    assert index.alike([CATS], 10) == ()


def test_where_rare_traits_suffice_common_ones_only_add_to_the_score(tmp_path, monkeypatch):
    index = TantivyIndex(tmp_path / "engine")
    index.update(BOOKS)
    monkeypatch.setattr(alike, "ENOUGH", 1)
    assert index.alike([CATS, SERIES], 10) == (1,)
    monkeypatch.setattr(alike, "ENOUGH", 3)
    assert index.alike([CATS, SERIES], 10)[0] == 1
    assert set(index.alike([CATS, SERIES], 10)) == {1, 2, 3}


def test_traits_are_read_from_the_rarest_on_until_there_are_enough_books():
    counts = iter((700, 20, 600))
    plan = alike_plan([CATS, SHELF, SERIES], lambda _plan: next(counts))
    assert isinstance(plan, Both)
    (rare,) = plan.must
    assert isinstance(rare, Both)
    assert (len(rare.should), rare.least, len(plan.should)) == (2, 1, 1)


def test_each_common_trait_is_looked_up_for_the_books_that_were_found():
    counts = iter((900, 600, 700))
    plan = alike_plan([CATS, SHELF, SERIES], lambda _plan: next(counts))
    for _trait in range(2):
        assert (len(plan.must), len(plan.should)) == (1, 1)
        (plan,) = plan.must
    assert (len(plan.should), plan.least) == (1, 1)
