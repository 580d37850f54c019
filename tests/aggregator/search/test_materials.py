"""Mediatypes and collections of NDL Search: what a record states, else what follows from its type."""

import pytest
from msgspec import structs

from aggregator.search.documents import Holders, document
from aggregator.search.materials import collections_of
from metadata.reading import read_element
from metadata.record import BibliographicRecord, MaterialType, Title
from metadata.xml.envelopes import unpack
from metadata.xml.parsing import parse

NDL, DCMI = "http://ndl.go.jp/ndltype/", "http://purl.org/dc/dcmitype/"
PLAIN = BibliographicRecord(titles=(Title(value="見本"),))


def typed(*uris: str, **fields: object) -> BibliographicRecord:
    kinds = tuple(MaterialType(uri=uri) if "/" in uri else MaterialType(label=uri) for uri in uris)
    return structs.replace(PLAIN, material_types=kinds, **fields)


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (PLAIN, "booklet"),
        (typed(f"{NDL}Book"), "booklet books"),
        (typed(f"{NDL}Book", "デジタル"), "digital books"),
        (typed(f"{NDL}Book", "紙", "デジタル"), "booklet digital books"),
        (typed(f"{DCMI}MovingImage", "紙"), "booklet video"),
        (typed(f"{NDL}SoundDisc"), "media audio"),
        (typed(f"{NDL}MicroForm", f"{NDL}Newspaper"), "micro newspapers"),
        (typed(f"{NDL}Book", f"{NDL}ElectronicResource"), "digital books electronic online"),
        (typed(f"{NDL}Journal", sub_category="A00002 A00000"), "digital periodicals"),
        (typed(f"{NDL}Journal", sub_category="B00005 B00000"), "digital periodicals online"),
        (typed(f"{NDL}Journal", sub_category="112"), "booklet periodicals"),
        (typed(f"{NDL}Book", audiences=("児童",)), "booklet books children"),
        (typed(f"{NDL}Braille"), "booklet mina mina-braille"),
        (typed(f"{NDL}MaterialsForVisuallyHandicappedPeople", f"{DCMI}Sound"), "media audio mina mina-audio"),
        (typed(f"{NDL}Book", editions=("大活字版",)), "booklet books mina mina-booklet"),
        (typed(sub_category="A00030 A00084"), "digital mina mina-braille"),
        (typed("website"), "digital web"),
    ],
)
def test_the_mediatypes_of_a_record(record: BibliographicRecord, names: str) -> None:
    assert document(1, record, Holders()).media_types == tuple(names.split())


def test_collections_are_the_codes_among_the_categories() -> None:
    assert collections_of(structs.replace(PLAIN, sub_category="A00002 112 A00000 D:01 A00002")) == ("A00002", "A00000")
    assert document(1, structs.replace(PLAIN, sub_category="B00001"), Holders()).collections == ("B00001",)


def test_a_real_record_of_the_digital_collections_has_its_codes(samples) -> None:
    envelope = parse((samples / "dcndl_rdf" / "constructed_listrecords_dcndl.xml").read_bytes())
    journal = next(unpack(envelope)).element
    record = read_element(journal, "dcndl").record
    assert record is not None
    assert collections_of(record) == ("A00002", "A00000")
    assert document(1, record, Holders()).media_types == ("digital", "periodicals")
