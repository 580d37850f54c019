"""How many books fit a plan at most, and searches without the parts of a plan that no book fits."""

import pytest

from aggregator.search.base import Document
from aggregator.search.plan.nodes import Adjacent, Best, Both, Constant, Everything, Nothing, Term, Weighted
from aggregator.search.tantivy.engine import TantivyIndex
from aggregator.search.tantivy.frequencies import Frequencies
from aggregator.search.tantivy.plan import engine_query

CATS, DOGS, FISH = (Term("subject", value) for value in ("ネコ", "イヌ", "カメ"))
TITLE = Adjacent("title", ((0, "見本"), (2, "ノ本")))
NO_TITLE = Adjacent("title", ((0, "見本"), (2, "ノカ")))


@pytest.fixture
def searcher(tmp_path):
    index = TantivyIndex(tmp_path / "engine")
    index.update(
        Document(id=number, titles=("見本の本",) if number > 1 else ("別の本",), subjects=(subject,), holdings=number)
        for number, subject in enumerate(("ネコ", "ネコ", "イヌ", "ネコ"), start=1)
    )
    return index._searcher()


@pytest.mark.parametrize(
    ("plan", "count"),
    [
        (CATS, 3),
        (FISH, 0),
        (TITLE, 3),
        (NO_TITLE, 0),
        (Best((CATS, DOGS, FISH)), 4),
        (Weighted(Constant(DOGS), 2.0), 1),
        (Both(must=(CATS, DOGS)), 1),
        (Both(must=(CATS, FISH)), 0),
        (Both(should=(DOGS,)), 4),
        (Both(should=(FISH, NO_TITLE), least=1), 0),
        (Everything(), 4),
    ],
)
def test_at_most_so_many_books_fit(searcher, plan, count):
    assert Frequencies(searcher).at_most(plan) == count


@pytest.mark.parametrize(
    "plan",
    [
        FISH,
        Best((FISH, NO_TITLE)),
        Best((Weighted(CATS, 2.0), FISH, Weighted(TITLE, 4.0))),
        Best((FISH, Constant(CATS, 3.0))),
        Both(must=(CATS,), should=(FISH, TITLE)),
        Both(must=(CATS, Best((FISH, NO_TITLE))), should=(TITLE,)),
        Both(must=(Everything(),), must_not=(CATS, FISH)),
        Both(should=(FISH, CATS, DOGS), least=1),
        Both(should=(FISH, CATS), least=2),
        Both(should=(FISH, NO_TITLE)),
        Both(must=(Both(should=(DOGS, FISH), least=1),), should=(Weighted(Best((TITLE, FISH)), 2.0),)),
    ],
)
def test_hits_and_scores_are_those_of_the_whole_plan(searcher, plan):
    def found(query):
        return [(score, address.doc) for score, address in searcher.search(query, 10).hits]

    assert found(Frequencies(searcher).query(plan)) == found(engine_query(plan))


def test_alternatives_that_no_book_fits_are_left_out(searcher):
    frequencies = Frequencies(searcher)
    plan = Both(must=(Best((FISH, CATS)),), should=(NO_TITLE, TITLE))
    assert frequencies._reduced(plan) == (3, Both(must=(CATS,), should=(TITLE,)))
    assert frequencies._reduced(Both(must=(CATS, FISH))) == (0, Nothing())


def test_a_term_is_looked_up_once(searcher):
    asked = []

    class Counting:
        num_docs = 4

        def doc_freq(self, field, value):
            asked.append((field, value))
            return searcher.doc_freq(field, value)

    frequencies = Frequencies(Counting())
    plan = Both(must=(Best((CATS, DOGS)),), should=(CATS,))
    frequencies.at_most(plan)
    frequencies.query(plan)
    assert asked == [tuple(CATS), tuple(DOGS)]
