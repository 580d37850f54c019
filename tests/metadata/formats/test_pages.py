"""In every format a record has at least one link that a reader can follow, if the record has any."""

import html
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from metadata.formats import CROSSWALKS, WRITERS
from metadata.links import safe_href
from metadata.record import BibliographicRecord, Item, Title
from metadata.xml.parsing import PARSER_OPTIONS

PAGE, COPY = "https://a.example/books/1", "https://a.example/copies/1"
ROOTS = {root: crosswalk for crosswalk in CROSSWALKS.values() for root in crosswalk.roots if crosswalk.prefix != "rss"}
LEAST = 600  # sample records that have a page


def written(record: BibliographicRecord, name: str) -> str:
    """The record in a format, with the escapes of XML, JSON and BibTeX undone."""
    text = html.unescape(WRITERS[name].write(record).decode()).replace("\\/", "/")
    for escaped, plain in (("\\_", "_"), ("\\%", "%"), ("\\&", "&"), ("\\#", "#")):
        text = text.replace(escaped, plain)
    return text


def pages_of(record: BibliographicRecord) -> set[str]:
    given = (record.uri, *record.see_also, *(page for item in record.items for page in item.see_also))
    return {page for page in map(safe_href, given) if page}


def sample_records(samples: Path) -> Iterator[tuple[Path, BibliographicRecord]]:
    for path in sorted(entry for entry in samples.rglob("*") if entry.is_file()):
        try:
            root = etree.fromstring(path.read_bytes(), etree.XMLParser(**PARSER_OPTIONS))
        except etree.XMLSyntaxError:
            continue
        for element in root.iter(*ROOTS):
            record = ROOTS[str(element.tag)].read(element).record
            if record is not None:
                yield path, record


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_the_address_of_a_record_is_written(name: str) -> None:
    assert PAGE in written(BibliographicRecord(uri=PAGE, titles=(Title(value="本"),)), name)


@pytest.mark.parametrize("name", ["dcndl", "dcndl_simple", "oai_dc", "jpcoar", "junii2", "marcxml"])
def test_the_page_of_a_copy_is_written_where_nothing_else_is_known(name: str) -> None:
    record = BibliographicRecord(titles=(Title(value="本"),), items=(Item(holding_agent="館", see_also=(COPY,)),))
    assert COPY in written(record, name)


@pytest.mark.slow
@pytest.mark.sample
def test_every_sample_record_with_a_page_has_a_link_in_every_format(samples: Path) -> None:
    missing: set[tuple[str, str]] = set()
    count = 0
    for path, record in sample_records(samples):
        pages = pages_of(record)
        count += bool(pages)
        for name in WRITERS if pages else ():
            text = written(record, name)
            if not any(page in text for page in pages):
                missing.add((name, path.name))
    assert (missing, count >= LEAST) == (set(), True)
