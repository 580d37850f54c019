"""Whatever record comes in, in any format: what is written of it is valid in every format.

By the official schemas: those that are shipped, and those of JPCOAR from ../shared, where also a reconstruction of the
schema of junii2 is. DC-NDL and RSS, which have no schema, by rules of our own (`rules_of_our_own`).
"""

import re
from collections.abc import Iterator
from functools import cache

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from metadata.formats import WRITERS, crosswalk_of, xsd_roots
from metadata.formats.jpcoar.checks.languages import ONCE
from metadata.formats.jpcoar.write.languages import guess_language
from metadata.reading import read, read_element
from metadata.record import BibliographicRecord, File, Identifier, Item, Title
from metadata.validation.xsd.folder import SchemaFolder
from metadata.vocabularies.namespaces import DCNDL
from metadata.xml.parsing import XmlError, parse
from tests.metadata.formats.rules_of_our_own import RULES
from tests.metadata.full_records import FULL_RECORD
from tests.metadata.records import RECORD
from tests.paths import ROOT, SAMPLES, SCHEMAS

A_FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
SHIPPED = ROOT / "metadata" / "validation" / "xsd" / "shipped"
# Prefix of a writer -> the name of its schema among those of `xsd_roots`.
BY_SCHEMA = {"oai_dc": "oai_dc", "marcxml": "marcxml", "mods": "mods"} | {
    "jpcoar": "jpcoar 2.1",
    "jpcoar_1.0": "jpcoar 1.0",
    "jpcoar_2.0": "jpcoar 2.0",
    "junii2": "junii2",
}
CHECKED = [name for name in (*BY_SCHEMA, *RULES) if name in WRITERS]
ADDRESS = "https://books.example.jp/books/M"  # every redistributed record has an address


@cache
def schema(prefix: str) -> etree.XMLSchema:
    tag = xsd_roots()[BY_SCHEMA[prefix]]
    for folder in (SHIPPED, SCHEMAS):
        found = SchemaFolder(folder)
        file = found.schema_for(tag) if folder.is_dir() else None
        if file:
            return found.compile_schema(file, tag[1:].partition("}")[0])
    pytest.skip(f"no schema of {prefix}")


def errors(prefix: str, record: BibliographicRecord) -> list[str]:
    """Return what is wrong with the record as it is written in a format."""
    root = etree.fromstring(WRITERS[prefix].write(record))
    if prefix in RULES:
        return list(RULES[prefix](root))
    official = schema(prefix)
    return [] if official.validate(root) else [str(error.message) for error in official.error_log]


pytestmark = pytest.mark.xdist_group("written samples")  # one process reads them
EVERY_FIFTH = pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])


@cache
def records_of_samples() -> tuple[tuple[str, BibliographicRecord], ...]:
    return tuple(_records_of_samples())


def _records_of_samples() -> Iterator[tuple[str, BibliographicRecord]]:
    for path in sorted(entry for entry in SAMPLES.rglob("*") if entry.is_file()):
        try:
            elements = list(parse(path.read_bytes()).iter(etree.Element))
        except XmlError:
            continue
        for element in filter(_is_record, elements):
            crosswalk = crosswalk_of(element.tag)
            record = read_element(element, crosswalk.prefix).record if crosswalk else None
            if record is not None:
                yield path.relative_to(SAMPLES).as_posix(), record


def _is_record(element: etree._Element) -> bool:
    is_rdf = element.tag.endswith("}RDF")
    return crosswalk_of(element.tag) is not None and (not is_rdf or any(DCNDL in child.tag for child in element))


@pytest.mark.slow
@pytest.mark.sample
@pytest.mark.parametrize("prefix", CHECKED)
def test_every_sample_record_is_written_valid(samples, prefix):
    wrong = []
    for number, (path, record) in enumerate(records_of_samples()):
        given_on = record if record.uri else msgspec.structs.replace(record, uri=f"{ADDRESS}{number}")
        wrong += [(path, error) for error in errors(prefix, given_on)]
    assert len(records_of_samples()) > 1000
    assert wrong == []


@EVERY_FIFTH
@pytest.mark.parametrize("prefix", [name for name, writer in WRITERS.items() if writer.media_type.endswith("xml")])
def test_every_sample_record_is_written_as_lxml_writes_it(samples, prefix, step):
    """So every prefix is declared, every text is escaped, and no element has one form here and another there."""
    records = records_of_samples()[::step]
    assert len(records) > 200
    for _path, record in records:
        written = WRITERS[prefix].write(record)
        assert etree.tostring(parse(written), encoding="UTF-8", xml_declaration=True) == written


@EVERY_FIFTH
def test_isbns_of_samples_go_out_with_thirteen_digits_in_every_format(samples, step):
    """A printed ISBN-10 may only be where the record itself has it as text, in a note."""
    checked, wrong = 0, []
    for path, record in records_of_samples()[::step]:
        texts = msgspec.json.encode(msgspec.structs.replace(record, identifiers=(), uri="", see_also=())).decode()
        printed = {
            number.printed
            for number in record.identifiers
            if number.scheme == "ISBN" and number.printed and "(" not in number.printed
        }
        for text in printed - {text for text in printed if text in texts or text in record.uri}:
            alone = re.compile(rf"(?<![0-9-]){re.escape(text)}")
            checked += 1
            own = msgspec.structs.replace(record, uri=f"{ADDRESS}1", see_also=())
            wrong += [
                (path, name, text) for name, writer in WRITERS.items() if alone.search(writer.write(own).decode())
            ]
    assert checked > 100 / step
    assert wrong == []


@EVERY_FIFTH
def test_a_text_without_a_language_in_jpcoar_shows_none(samples, step):
    """Where a language may occur once, the first text may have taken it."""
    wrong, texts = [], 0
    for path, record in records_of_samples()[::step]:
        for issue in read(WRITERS["jpcoar"].write(record), "jpcoar").issues:
            if issue.code == "jpcoar.W005":
                name = issue.field.rpartition(":")[2]
                texts += 1
                wrong += [(path, issue.value)] if name not in ONCE and guess_language(issue.value, record) else []
    assert wrong == []
    assert texts < 500 / step + 50


@EVERY_FIFTH
@pytest.mark.parametrize("prefix", [name for name in CHECKED if name.startswith("jpcoar")])
def test_sample_records_without_an_address_are_written_valid_as_jpcoar(samples, prefix, step):
    wrong = [(path, error) for path, record in records_of_samples()[::step] for error in errors(prefix, record)]
    assert wrong == []


# A blank that can be escaped, and texts that are no URI even then.
NO_URIS = [
    "http://a.example/ b",
    "http://a.example/%zz",
    "http://[bad/",
    "http://a.example/a#b#c",
    "a b",
    "\u3000",
    "\x01",
]


def records_with(no_uri: str) -> Iterator[BibliographicRecord]:
    """Records that have this as their only address, in each place where addresses are."""
    titles = (Title(value="題"),)
    yield BibliographicRecord(titles=titles, uri=no_uri)
    yield BibliographicRecord(titles=titles, see_also=(no_uri,), thumbnails=(no_uri,))
    yield BibliographicRecord(titles=titles, items=(Item(see_also=(no_uri,)),))
    for kind in ("fulltext", ""):
        yield BibliographicRecord(titles=titles, files=(File(uri=no_uri, type=kind),))
    for scheme in ("DOI", "HDL", "URI", "PMID"):
        wrong = (Identifier(scheme=scheme, value=no_uri),)
        yield BibliographicRecord(titles=titles, invalid_identifiers=wrong)
    yield BibliographicRecord(titles=titles, identifiers=(Identifier(scheme="DOI", value=no_uri),))


@pytest.mark.parametrize("no_uri", [*NO_URIS, "123"])
@pytest.mark.parametrize("prefix", CHECKED)
def test_a_record_whose_only_address_is_no_uri_is_written_valid(prefix, no_uri):
    addressed = [msgspec.structs.replace(record, uri=f"{ADDRESS}1") for record in records_with(no_uri)]
    unaddressed = records_with(no_uri) if prefix in BY_SCHEMA else ()  # DC-NDL and RSS need an address
    assert [error for record in (*addressed, *unaddressed) for error in errors(prefix, record)] == []


@pytest.mark.parametrize("prefix", BY_SCHEMA)
def test_a_record_without_a_title_is_written_valid(prefix):
    """Staff may have decided to register such records of a provider."""
    numbered = BibliographicRecord(identifiers=(Identifier(scheme="ISBN", value="9784003101018"),))
    assert errors(prefix, numbered) == []


@A_FEW
@given(record=FULL_RECORD | RECORD)
def test_any_record_is_written_valid(record):
    addressed = msgspec.structs.replace(record, uri=f"{ADDRESS}1")
    assert [error for prefix in CHECKED for error in errors(prefix, addressed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("prefix", CHECKED)
@MANY
@given(record=FULL_RECORD | RECORD)
def test_many_records_are_written_valid(prefix, record):
    assert errors(prefix, msgspec.structs.replace(record, uri=f"{ADDRESS}1")) == []
