"""What keeps the embedded engine fast: prepared suggestions beside a large index, and the cost limit of queries."""

from pathlib import Path

import pytest
from django.core.cache import caches

from aggregator.search.base import Document, Query, QueryError
from aggregator.search.suggest.entries import label_code, make_entries
from aggregator.search.tantivy import suggest
from aggregator.search.tantivy.engine import TantivyIndex
from aggregator.search.tantivy.reader import check_cost
from aggregator.search.tantivy.suggest import top_terms


@pytest.fixture
def index(tmp_path: Path) -> TantivyIndex:
    index = TantivyIndex(tmp_path)
    titles = (("こころ", "ココロ"), ("心の科学", "ココロ ノ カガク"), ("脳", "ノウ"))
    index.update(Document(id=number, suggestions=make_entries([title], [], [])) for number, title in enumerate(titles))
    return index


def labels(index: TantivyIndex, typed: str) -> list[str]:
    return [suggestion.label for suggestion in index.suggest(typed)]


def test_frequent_beginnings_are_prepared_with_their_most_frequent_terms():
    counted = sorted(
        ((f"シ{a}{b}\tt{a}{b}", ord(a) % 7) for a in "アイウエオ" for b in "カキクケコ"), key=lambda item: -item[1]
    )
    found = top_terms(lambda first: [item for item in counted if item[0].startswith(first)], ["シ"], crowd=4)
    assert set(found) == {"シ", *(f"シ{a}" for a in "アイウエオ")}
    assert found["シ"] == counted


def test_prepared_terms_are_used_and_can_be_lost(index, monkeypatch):
    monkeypatch.setattr(suggest, "LARGE", 1)
    monkeypatch.setattr("aggregator.search.tantivy.suggest.MANY_TERMS", 0)
    index.tidy()
    assert set(labels(index, "こ")) == {"こころ", "心の科学"}
    suggest.store_top_terms(index.facts().generation, {"コ": [(f"ココロ\tt{label_code('こころ')}", 1)]})
    assert labels(index, "こ") == ["こころ"]
    caches[suggest.CACHE].clear()
    assert set(labels(index, "こ")) == {"こころ", "心の科学"}


def test_the_terms_of_a_small_index_are_not_prepared(index, monkeypatch):
    monkeypatch.setattr("aggregator.search.tantivy.engine.make_top_terms", lambda searcher: pytest.fail("made"))
    index.tidy()


def test_the_terms_of_a_large_index_are_prepared_once_a_day(index, monkeypatch):
    monkeypatch.setattr(suggest, "LARGE", 1)
    made = []
    monkeypatch.setattr("aggregator.search.tantivy.engine.make_top_terms", lambda searcher: made.append(1) or {})
    index.tidy()
    index.tidy()
    assert made == [1]
    index.clear()  # another generation
    index.update([Document(id=1), Document(id=2)])
    index.tidy()
    assert made == [1, 1]


def test_terms_that_cannot_be_stored_are_not_made(index, monkeypatch):
    monkeypatch.setattr(suggest, "LARGE", 1)
    monkeypatch.setattr("core.caches.disk.MAX_SHARE", 0)
    monkeypatch.setattr("aggregator.search.tantivy.engine.make_top_terms", lambda searcher: pytest.fail("made"))
    index.tidy()


def test_too_many_common_words_are_refused_by_name(tmp_path: Path, monkeypatch) -> None:
    index = TantivyIndex(tmp_path / "common")
    index.update(Document(id=number, titles=(f"日本の論文と本 {number}",)) for number in range(1, 600))
    monkeypatch.setattr("aggregator.search.tantivy.reader.check_cost", lambda *of: check_cost(*of, limit=1_500))
    with pytest.raises(QueryError, match="too_common") as refusal:
        index.search(Query(q="日本 OR の OR 本 -論"))
    assert "の" in str(refusal.value.facts["words"])
    assert index.search(Query(q="日本の 77")).total
