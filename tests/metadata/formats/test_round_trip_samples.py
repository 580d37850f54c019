"""Real records of every format that is read and written: unchanged after a round trip, and valid as written."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from metadata.formats import CROSSWALKS
from metadata.formats.jpcoar.write import record as jpcoar_write
from metadata.reading import read, read_element
from metadata.record import BibliographicRecord
from metadata.xml.parsing import PARSER_OPTIONS, XmlError, parse
from tests.metadata.formats.normal_numbers import with_normal_numbers
from tests.metadata.formats.stated_languages import MENDED, with_stated_languages

FOLDERS = {
    "dcndl_simple": ("dcndl_simple",),
    "jpcoar": ("jpcoar_1.0", "jpcoar_2.0", "jpcoar_2.1", "jpcoar_validator_cases"),
    "junii2": ("junii2",),
    "marcxml": ("marcxml",),
    "mods": ("mods",),
}
LEAST = {"dcndl_simple": 30, "jpcoar": 100, "junii2": 10, "marcxml": 250, "mods": 100}
# Errors of JPCOAR providers against its schema: no funder's name, a wrong kind of number, "7th", no date type.
PROVIDER_ERRORS = ("funderName", "'JPNO'", "conferenceSequence", "The value ''")
IMPORTED = {
    "2001/03/xml.xsd": "xml/xml_w3.org.2001.03.xsd",
    "/xml.xsd": "xml/xml_loc.gov.mods.xsd",
    "/xlink.xsd": "xlink/xlink_loc.gov.mods.xsd",
}
SCHEMAS = {
    "jpcoar": "jpcoar/2.1/jpcoar_scm.xsd",
    "marcxml": "marc/MARC21slim.xsd",
    "mods": "mods/mods-3-8.xsd",
}


class LocalSchemas(etree.Resolver):
    """Finds local copies of the schemas that those of JPCOAR and MODS import from the web."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def resolve(self, url, _public, context):
        name = next((file for end, file in IMPORTED.items() if url.endswith(end)), "")
        return self.resolve_filename(str(self.folder / name), context) if name else None


def records(samples: Path, prefix: str) -> Iterator[tuple[Path, BibliographicRecord]]:
    """Yield all readable records, wherever their elements are in a file."""
    for folder in FOLDERS[prefix]:
        for path in sorted(entry for entry in (samples / folder).rglob("*") if entry.is_file()):
            for element in elements(path, prefix):
                record = read_element(element, prefix).record
                if record is not None:
                    yield path, record


def elements(path: Path, prefix: str) -> list[etree._Element]:
    try:
        root = parse(path.read_bytes())
    except XmlError:
        return []
    return [element for element in root.iter(etree.Element) if element.tag in CROSSWALKS[prefix].roots]


@cache
def schema(prefix: str, folder: Path) -> etree.XMLSchema:
    parser = etree.XMLParser(**PARSER_OPTIONS)
    parser.resolvers.add(LocalSchemas(folder))
    return etree.XMLSchema(etree.parse(folder / SCHEMAS[prefix], parser))


@pytest.mark.parametrize("prefix", sorted(FOLDERS))
def test_every_real_record_is_unchanged(samples, prefix):
    counts: Counter[str] = Counter()
    for path, record in records(samples, prefix):
        back = read(CROSSWALKS[prefix].write(record), prefix).record
        assert with_stated_languages(back, record) == with_normal_numbers(record) or path.name in MENDED, path
        assert read(CROSSWALKS[prefix].write(back), prefix).record == back, path
        counts[prefix] += 1
    assert counts[prefix] >= LEAST[prefix]


@pytest.mark.slow
@pytest.mark.parametrize("source", sorted(FOLDERS))
def test_records_written_as_jpcoar_are_valid_by_the_official_schema(samples, source):
    """Records of every format. Errors in what the provider itself left out or miswrote are allowed."""
    official = schema("jpcoar", samples.parent / "schemas")
    for path, record in records(samples, source):
        if jpcoar_write.pages(record) or record.values("DOI"):  # JPCOAR has no record without an identifier
            written = parse(CROSSWALKS["jpcoar"].write(record))
            reasons = {error.message for error in official.error_log} if not official.validate(written) else set()
            assert not [reason for reason in reasons if not any(error in reason for error in PROVIDER_ERRORS)], (
                path,
                reasons,
            )


@pytest.mark.slow
@pytest.mark.parametrize("source", sorted(FOLDERS))
def test_real_records_are_written_as_valid_marc(samples, source):
    """Valid by the schema; leader and 008 have their lengths, and every field 880 has a partner that refers to it."""
    official = schema("marcxml", samples.parent / "schemas")
    for path, record in records(samples, source):
        root = parse(CROSSWALKS["marcxml"].write(record))
        assert official.validate(root), (path, official.error_log.last_error)
        assert len(root[0].text) == 24
        assert [len(field.text) for field in root if field.get("tag") == "008"] == [40]
        links = [(field.get("tag"), text) for field in root for text in field.xpath("*[@code='6']/text()")]
        partners = {f"{tag}-{text[4:]}" for tag, text in links if tag != "880"}
        linking = [text.partition("/") for tag, text in links if tag == "880"]
        assert partners == {partner for partner, _slash, _script in linking}, path
        assert {script for _partner, _slash, script in linking} <= {"$1", "(B"}, path


def test_fragments_of_marc_with_a_title_are_unchanged(samples):
    """Examples of single fields, from the documentation of MARC 21."""
    for path in sorted((samples / "marcxml").glob("dojson_bd*.xml")):
        for element in elements(path, "marcxml"):
            namespace = etree.QName(element).namespace
            field = etree.SubElement(element, f"{{{namespace}}}datafield", tag="245")
            etree.SubElement(field, f"{{{namespace}}}subfield", code="a").text = "T"
            record = read_element(element, "marcxml").record
            assert read(CROSSWALKS["marcxml"].write(record), "marcxml").record == record, etree.tostring(element)


@pytest.mark.parametrize("source", sorted(FOLDERS))
def test_real_records_are_written_as_valid_mods(samples, source):
    official = schema("mods", samples.parent / "schemas")
    for path, record in records(samples, source):
        assert official.validate(parse(CROSSWALKS["mods"].write(record))), (path, official.error_log.last_error)
