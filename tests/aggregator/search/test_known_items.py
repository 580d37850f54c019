"""Half-remembered titles, readings, old spellings and numbers find the book at once. Uses the demo's records."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import msgspec
import pytest

from aggregator.search.base import Query, SearchIndex
from aggregator.search.documents import Holders, document
from aggregator.search.tantivy.engine import TantivyIndex
from metadata.reading import read
from metadata.record import BibliographicRecord
from tests.paths import DEMO

FIRST = 3


def known_items() -> list[tuple[str, str, str]]:
    lines = Path(__file__).with_name("known_items.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(row[0], row[1], row[2] if len(row) > 2 else "") for row in rows]


def demo_records() -> Iterator[BibliographicRecord]:
    for path in sorted(DEMO.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if "record" in entry:
                yield msgspec.convert(entry["record"], BibliographicRecord)
            elif entry.get("xml"):
                found = read(entry["xml"].encode(), entry.get("prefix", "dcndl")).record
                if found:
                    yield found


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchIndex, dict[int, BibliographicRecord]]:
    """Every provider's record by itself: the same book may occur several times."""
    index: SearchIndex = TantivyIndex(tmp_path_factory.mktemp("known"))
    records = dict(zip(count(1), demo_records(), strict=False))
    index.update(document(number, record, Holders(("R000000001",), 1)) for number, record in records.items())
    return index, records


def has_detail(record: BibliographicRecord, detail: str) -> bool:
    """Whether the record has this volume, year or ISBN."""
    return record.volume.startswith(detail) or record.year == detail or detail in record.values("ISBN")


@pytest.mark.parametrize(("typed", "title", "detail"), known_items())
def test_a_known_item_is_among_the_first(catalogue, typed: str, title: str, detail: str) -> None:
    index, records = catalogue
    found = [records[number] for number, _score in index.search(Query(q=typed), facets=()).hits[:FIRST]]
    shown = [(record.title, record.volume, record.year) for record in found]
    assert any(record.title.startswith(title) and (not detail or has_detail(record, detail)) for record in found), shown


def test_there_are_enough_known_items() -> None:
    assert len(known_items()) >= 60
