"""What keeps the embedded engine fast: prepared suggestions beside a large index, and the cost limit of queries."""

import json
from pathlib import Path

import pytest

from aggregator.search.base import Document, Query, QueryError
from aggregator.search.suggest.entries import make_entries
from aggregator.search.tantivy import top_terms_file
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


def test_the_file_is_used_and_read_again_when_it_changes(index, monkeypatch):
    monkeypatch.setattr(top_terms_file, "LARGE", 1)
    monkeypatch.setattr("aggregator.search.tantivy.suggest.MANY_TERMS", 0)
    index.tidy()
    folder = index._open_live().path
    assert set(labels(index, "こ")) == {"こころ", "心の科学"}
    top_terms_file.write_top_terms(folder, {"コ": [["ココロ\ttこころ", 1]]})
    assert labels(index, "こ") == ["こころ"]
    (folder / top_terms_file.NAME).write_text("damaged")
    assert set(labels(index, "こ")) == {"こころ", "心の科学"}


def test_a_small_index_needs_no_file(index):
    index.tidy()
    assert not (index._open_live().path / top_terms_file.NAME).exists()


def test_the_file_of_a_large_index_is_written(index, monkeypatch):
    monkeypatch.setattr(top_terms_file, "LARGE", 1)
    monkeypatch.setattr(
        "aggregator.search.tantivy.engine.make_top_terms", lambda searcher: {"made": [[searcher.num_docs, 0]]}
    )
    index.tidy()
    assert json.loads((index._open_live().path / top_terms_file.NAME).read_text()) == {"made": [[3, 0]]}


def test_too_many_common_words_are_refused_by_name(tmp_path: Path, monkeypatch) -> None:
    index = TantivyIndex(tmp_path / "common")
    index.update(Document(id=number, titles=(f"日本の論文と本 {number}",)) for number in range(1, 600))
    monkeypatch.setattr("aggregator.search.tantivy.reader.check_cost", lambda *of: check_cost(*of, limit=1_500))
    with pytest.raises(QueryError, match="too_common") as refusal:
        index.search(Query(q="日本 OR の OR 本 -論"))
    assert "の" in str(refusal.value.facts["words"])
    assert index.search(Query(q="日本の 77")).total
