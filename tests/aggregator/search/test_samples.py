"""Real records are found by their data as people would type them. Skipped without the folder of samples."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from aggregator.search.base import Query, SearchIndex
from aggregator.search.documents import Holders, document
from aggregator.search.tantivy.engine import TantivyIndex
from metadata.identifiers import hyphenate, isbn10
from metadata.reading import read
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight
from metadata.text.romaji import romanise
from sampleprovider.loading import load_folders
from tests.aggregator.search.test_known_items import demo_records
from tests.paths import SAMPLES

FOLDERS = {"dcndl": "dcndl_rdf", "marcxml": "marcxml"}
FIRST = 3
SHARE = 0.97

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no folder ../shared/samples beside the repository")


def sample_records() -> Iterator[BibliographicRecord]:
    for prefix, folder in FOLDERS.items():
        holdings = load_folders(prefix, [SAMPLES / folder]).source.holdings
        for payload in (payload for holding in holdings for payload in holding.payloads.values()):
            found = read(payload, prefix).record
            if found and found.title:
                yield found


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory) -> tuple[SearchIndex, dict[int, BibliographicRecord]]:
    index: SearchIndex = TantivyIndex(tmp_path_factory.mktemp("samples"))
    records = dict(zip(count(1), [*sample_records(), *demo_records()], strict=False))
    index.update(document(number, record, Holders(("R000000001",), 1)) for number, record in records.items())
    return index, records


def is_same_book(one: BibliographicRecord, other: BibliographicRecord) -> bool:
    """By title or ISBN: many a book occurs several times in the samples."""
    return fold_tight(one.title) == fold_tight(other.title) or bool({*one.values("ISBN")} & {*other.values("ISBN")})


def reading(record: BibliographicRecord) -> str:
    return record.titles[0].transcription


TYPED: dict[str, Callable[[BibliographicRecord], str]] = {
    "title": lambda record: f"{record.title} {record.volume}",
    "title and creator": lambda record: f"{record.title} {record.creators[0].name}" if record.creators else "",
    "reading": reading,
    "reading without blanks": lambda record: reading(record).replace(" ", ""),
    "romanised": lambda record: romanise(reading(record)) if reading(record) else "",
    "ISBN": lambda record: next((hyphenate(isbn) for isbn in record.values("ISBN")), ""),
    "ISBN-10": lambda record: next((isbn10(isbn) for isbn in record.values("ISBN")), ""),
}


@pytest.mark.parametrize("way", TYPED)
def test_real_records_are_among_the_first_three(catalogue, way: str) -> None:
    index, records = catalogue
    searches = [(typed, record) for record in records.values() if 0 < len(typed := TYPED[way](record).strip()) <= 100]
    missed = []
    for typed, record in searches:
        hits = index.search(Query(q=typed), facets=()).hits[:FIRST]
        if not any(is_same_book(record, records[number]) for number, _score in hits):
            missed.append(typed)
    assert len(searches) > 100
    assert len(missed) <= (1 - SHARE) * len(searches), missed
