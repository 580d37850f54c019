"""The identity of what is redistributed: every record of the samples and the demo can be followed in every format."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from lxml import etree

from aggregator.catalogue.identity import as_book, as_source, page_address, site, source_address
from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import BibliographicRecord, Identifier, Item, MaterialType, Title
from metadata.vocabularies.namespaces import NAMESPACES
from tests.metadata.formats.test_pages import pages_of, sample_records, written
from tests.paths import DEMO

NAME, BOOK = "R000000001-Iabcdefgh", "M12"

# Where programs look for the identity of a record in each format, as XPath or for JSON as the name of a member.
IDENTITY = {
    **dict.fromkeys(("dcndl", "dcndl_v1", "dcndl_v3"), "string(dcndl:BibAdminResource/@rdf:about)"),
    **dict.fromkeys(
        ("jpcoar", "jpcoar_2.0", "jpcoar_1.0"), "string(*[local-name()='identifier'][@identifierType!='DOI'][1])"
    ),
    "junii2": "string(*[local-name()='URI'])",
    "oai_dc": "string(dc:identifier[1])",
    "marcxml": "string(marc:datafield[@tag='856'][1]/marc:subfield[@code='u'])",
    "mods": "string(mods:location/mods:url[@usage='primary'])",
    "rss": "string(link)",
    "jsonld": "@id",
}
# Where each format has the title.
TITLES = {
    **dict.fromkeys(
        ("dcndl", "dcndl_v1", "dcndl_v3"), ("dcndl:BibResource/dc:title", "dcndl:BibResource/dcterms:title")
    ),
    **dict.fromkeys(("jpcoar", "jpcoar_2.0", "jpcoar_1.0", "dcndl_simple", "oai_dc"), ("dc:title",)),
    "junii2": ("*[local-name()='title']",),
    "marcxml": ("marc:datafield[@tag='245']/marc:subfield[@code='a']",),
    "mods": ("mods:titleInfo/mods:title",),
    "rss": ("title", "dc:title"),
}


def demo_records() -> Iterator[tuple[Path, BibliographicRecord]]:
    """The records of the demo, of every fiftieth line."""
    for path in sorted(Path(DEMO).rglob("*.jsonl")):
        for line in path.read_bytes().splitlines()[::50]:
            values = msgspec.json.decode(line)
            if "record" in values:
                yield path, msgspec.convert(values["record"], BibliographicRecord)
            elif record := read(values.get("xml", "").encode(), values.get("prefix", "dcndl")).record:
                yield path, record


def without_link(record: BibliographicRecord) -> list[str]:
    pages = pages_of(record)
    return [name for name in WRITERS if not any(page in written(record, name) for page in pages)]


def identity_in(record: BibliographicRecord, name: str) -> str:
    document = WRITERS[name].write(record)
    if "json" in WRITERS[name].media_type:
        return str(json.loads(document)[IDENTITY[name]])
    return str(etree.fromstring(document).xpath(IDENTITY[name], namespaces=NAMESPACES))


def without_title(record: BibliographicRecord) -> list[str]:
    """Return the formats and elements in which the record has no title."""
    roots = {name: etree.fromstring(WRITERS[name].write(record)) for name in TITLES}
    return [
        f"{name} {path}"
        for name, paths in TITLES.items()
        for path in paths
        if not roots[name].xpath(f"string({path}[1])", namespaces=NAMESPACES)
    ]


def check(path: Path, record: BibliographicRecord) -> None:
    """Check what every format says of a record as its provider's and as a book: a link, a title, one identity."""
    own, book = as_source(record, NAME, site()), as_book(record, BOOK, [NAME], site())
    for given in (own, book):
        assert without_link(given) == [], path
        assert not (record.title or record.display_title) or without_title(given) == [], path
    assert {name: identity_in(book, name) for name in IDENTITY} == dict.fromkeys(IDENTITY, page_address(BOOK)), path


def test_a_record_of_the_demo_has_link_title_and_identity_in_every_format() -> None:
    records = list(demo_records())
    assert len(records) > 10
    for path, record in records:
        check(path, record)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_sample_record_has_link_title_and_identity_in_every_format(samples: Path, step: int) -> None:
    first = dict(reversed(list(sample_records(samples))))
    assert len(first) > 100
    for path in sorted(first)[::step]:
        check(path, first[path])


@pytest.mark.parametrize("uri", ["", "#record", "a b", "no address", "http://a b.example/", "http://a.example/%zz"])
def test_what_cannot_be_a_subject_is_none(uri: str) -> None:
    assert as_source(BibliographicRecord(uri=uri, items=(Item(),)), NAME, site()).uri == source_address(NAME)


@pytest.mark.parametrize("page", ["http://a.example/ b", "http://a.example/%zz", "http://[bad/"])
def test_a_record_whose_only_address_is_no_uri_has_our_own_in_every_format(page: str) -> None:
    for fields in ({"uri": page}, {"see_also": (page,)}, {"items": (Item(see_also=(page,)),)}):
        given = as_source(BibliographicRecord(titles=(Title(value="題"),), **fields), NAME, site())
        assert source_address(NAME) in given.see_also
        written = {name: writer.write(given).decode() for name, writer in WRITERS.items()}
        assert [name for name, text in written.items() if source_address(NAME) not in text] == []


def test_the_identity_of_a_book_is_the_same_when_it_is_decided_twice() -> None:
    record = BibliographicRecord(uri="https://a.example/1", see_also=("https://a.example/2",))
    book = as_book(record, BOOK, [NAME], site())
    assert as_book(book, BOOK, [NAME], site()) == book
    assert book.see_also == ("https://a.example/2", "https://a.example/1", page_address(BOOK))


def test_each_type_goes_out_once_by_its_uri() -> None:
    book, article = "http://ndl.go.jp/ndltype/Book", "http://ndl.go.jp/ndltype/Article"
    types = (
        *(MaterialType(uri=book, label="図書"), MaterialType(uri=book, label="Book"), MaterialType(label="図書")),
        *(
            MaterialType(uri=article, label="記事・論文"),
            MaterialType(uri=article, label="departmental bulletin paper"),
        ),
        *(MaterialType(label="特別資料"), MaterialType(label="特別資料")),
    )
    expected = (
        MaterialType(uri=book, label="図書"),
        MaterialType(uri=article, label="departmental bulletin paper"),
        MaterialType(label="特別資料"),
    )
    record = BibliographicRecord(material_types=types)
    assert as_book(record, BOOK, [NAME], site()).material_types == expected
    assert as_source(record, NAME, site()).material_types == expected


def test_a_record_has_our_number_and_domain(settings) -> None:
    settings.PUBLIC_URL, settings.OAI_NAMESPACE = "https://books.example.jp", ""
    record = BibliographicRecord()
    assert as_book(record, BOOK, [NAME], site()).control_number == Identifier(scheme="books.example.jp", value=BOOK)
    settings.OAI_NAMESPACE = "union.example.jp"
    assert as_source(record, NAME, site()).control_number == Identifier(scheme="union.example.jp", value=NAME)
