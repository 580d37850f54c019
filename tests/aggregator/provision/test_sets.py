"""The names of an item, by which sets and data groups are listed, follow from its stored record."""

from typing import Any

import pytest
from hypothesis import given

from aggregator.provision.sets import _Described, names_of
from aggregator.search.access import access_of
from aggregator.search.materials import collections_of, level_of, types_of
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord, Item, MaterialType
from tests.metadata.full_records import FULL_RECORD

MAP = (MaterialType(uri="http://ndl.go.jp/ndltype/Map", label="地図"),)


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (BibliographicRecord(), ["Other"]),
        (BibliographicRecord(material_types=MAP), ["Map"]),
        (BibliographicRecord(level="title"), ["Other", "title"]),
        (BibliographicRecord(sub_category="A00002 A00000"), ["Other", "A00002", "A00000"]),
        (BibliographicRecord(access_rights=("インターネット公開",)), ["Other", "ARinternet"]),
        (BibliographicRecord(rights=("館内限定公開",)), ["Other", "ARkannai"]),
        (BibliographicRecord(items=(Item(availability="館内限定公開"),)), ["Other", "ARkannai"]),
    ],
)
def test_the_names_of_a_source_record(record: BibliographicRecord, names: list[str]) -> None:
    assert list(names_of(pack_record(record), is_source=True)) == names


def test_a_merged_record_has_only_types() -> None:
    record = BibliographicRecord(material_types=MAP, level="title", sub_category="A00002", rights=("館内限定公開",))
    assert list(names_of(pack_record(record), is_source=False)) == ["Map"]


class Noting:
    """Stands for a record and notes which of its fields are read."""

    def __init__(self, record: BibliographicRecord) -> None:
        self._record = record
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self._record, name)


@given(record=FULL_RECORD)
def test_all_fields_that_decide_the_names_are_decoded(record: BibliographicRecord) -> None:
    noting: Any = Noting(record)
    level_of(noting, types_of(noting))
    collections_of(noting)
    access_of(noting)
    assert noting.read <= set(_Described.__struct_fields__)
