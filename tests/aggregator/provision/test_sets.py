"""The names of an item, by which sets and data groups are listed, follow from its stored record."""

import pytest

from aggregator.provision.sets import names_of
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord, Item, MaterialType

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
