"""Records of every format, written as DC-NDL(RDF) and read again: nothing is lost except what NO_PLACE names."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from msgspec import structs

from metadata.formats import CROSSWALKS
from metadata.reading import read, read_element
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    License,
    Title,
)
from metadata.vocabularies.namespaces import NAMESPACES, expand
from metadata.xml.envelopes import Enclosed, unpack
from metadata.xml.parsing import XmlError, parse
from tests.metadata.formats.through_dcndl import comparable, with_uris

ARTICLE = BibliographicRecord(
    uri="https://repo.example.jp/records/7",
    titles=(Title(value="猫の生態", language="ja"),),
    display_title="猫の生態",
    creators=(
        Agent(
            name="例, 太郎",
            language="ja",
            other_names=(Title(value="Rei, Taro", language="en"),),
            identifiers=(Identifier(scheme="ORCID", value="0000-0001-0002-0003"),),
            affiliations=(Agent(name="例大学", language="ja"),),
        ),
    ),
    host=Host(title="例学会誌", language="ja", titles=(Title(value="Journal of Examples", language="en"),)),
    notes=("図あり",),
    fundings=(Funding(funder=Agent(name="例財団"), award=Identifier(scheme="JGN", value="JP15H02781")),),
    conferences=(Conference(names=(Title(value="例会議"),), start="2016-02-29"),),
    files=(File(uri="https://repo.example.jp/7.pdf", type="fulltext", label="7.pdf"),),
    licenses=(License(uri="https://creativecommons.org/licenses/by/4.0/", label="CC BY 4.0"),),
    rights=("CC BY 4.0",),
    version_type="VoR",
    resource_version="2",
)
# Folder of samples, prefix, minimum number of records, and the root element of a record in files without an envelope.
FOLDERS = [
    ("dcndl_rdf", "dcndl", 100, ""),
    ("dcndl_simple", "dcndl_simple", 60, ""),
    ("jpcoar_1.0", "jpcoar", 20, ""),
    ("jpcoar_2.0", "jpcoar", 20, ""),
    ("jpcoar_2.1", "jpcoar", 20, ""),
    ("jpcoar_validator_cases", "jpcoar", 50, ""),
    ("junii2", "junii2", 10, ""),
    ("marcxml", "marcxml", 250, "marc:record"),
    ("mods", "mods", 200, "mods:mods"),
    ("oai_dc", "oai_dc", 300, ""),
    ("rss1", "rss", 20, "rss:item"),
    ("rss2_dcndl", "rss", 20, "item"),
]


def records(folder: Path, prefix: str, element: str) -> Iterator[tuple[Path, BibliographicRecord]]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            root = parse(path.read_bytes())
        except XmlError:
            continue
        inner = list(root.iter(expand(element))) if element else []
        for item in [Enclosed("", node) for node in inner] or unpack(root):
            reading = read(item.data, prefix) if item.element is None else read_element(item.element, prefix)
            if reading.record is not None:
                yield path, reading.record


@pytest.mark.parametrize(("folder", "prefix", "least", "element"), FOLDERS, ids=[row[0] for row in FOLDERS])
def test_no_real_record_loses_anything_in_dcndl(samples, folder, prefix, least, element):
    seen = 0
    for path, record in records(samples / folder, prefix, element):
        back = read(CROSSWALKS["dcndl"].write(record), "dcndl").record
        assert back is not None, path
        assert comparable(back, record) == comparable(with_uris(record), record), path
        seen += 1
    assert seen >= least


def written(record: BibliographicRecord) -> etree._Element:
    return parse(CROSSWALKS["dcndl"].write(record))


def texts(record: BibliographicRecord, path: str) -> list[str]:
    nodes = written(record).xpath(f"dcndl:BibResource/{path}", namespaces=NAMESPACES)
    return [node if isinstance(node, str) else node.text for node in nodes]


def test_a_file_or_project_of_which_nothing_is_known_is_not_written():
    record = structs.replace(ARTICLE, files=(File(), File(label="本文")), fundings=(Funding(funder=Agent(name="")),))
    assert texts(record, "foaf:fundedBy") == []
    assert texts(record, "dcterms:hasFormat/foaf:Document/rdfs:label") == ["本文"]
    assert texts(record, "dcterms:hasFormat/foaf:Document[not(node())]") == []


def test_values_with_a_standard_element_are_written_to_it():
    assert texts(ARTICLE, "dc:title/rdf:Description/rdf:value") == ["猫の生態"]
    assert texts(ARTICLE, "dcterms:creator/foaf:Agent/foaf:name[1]") == ["例, 太郎"]
    assert texts(ARTICLE, "dcndl:publicationName[1]") == ["例学会誌"]
    assert texts(ARTICLE, "dcterms:rights") == ["CC BY 4.0"]
    assert texts(ARTICLE, "dcndl:edition") == ["2"]
    assert texts(ARTICLE, "dcterms:identifier[contains(@rdf:datatype, 'KAKENHINO')]") == ["JP15H02781"]


def test_conferences_and_funding_are_described_for_people():
    assert texts(ARTICLE, "dcterms:description") == [
        "図あり",
        "出版タイプ : VoR",
        "バージョン情報 : 2",
        "会議 : 例会議; 2016-02-29",
        "助成 : 例財団; JP15H02781",
    ]
    assert read(CROSSWALKS["dcndl"].write(ARTICLE), "dcndl").record == ARTICLE


def test_wrong_identifiers_are_marked_by_their_datatype():
    wrong = (Identifier(scheme="DOI", value="10.1234"), Identifier(scheme="PISSN", value="1234-5678"))
    titles = (Title(value="猫"),)
    record = BibliographicRecord(
        uri="https://x.example.jp/1", titles=titles, display_title="猫", invalid_identifiers=wrong
    )
    kinds = texts(record, "dcterms:identifier/@rdf:datatype")
    assert [kind.rpartition("/")[2] for kind in kinds] == ["IncorrectDOI", "IncorrectPISSN"]
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record == record


def test_two_items_without_uri_stay_two():
    items = (Item(holding_agent="中央館"), Item(holding_agent="東館"))
    record = BibliographicRecord(uri="https://x.example.jp/1", titles=(Title(value="猫"),), items=items)
    back = read(CROSSWALKS["dcndl"].write(record), "dcndl").record
    assert [item.uri for item in back.items] == ["https://x.example.jp/1#item", "https://x.example.jp/1#item2"]


def test_a_note_with_the_same_text_as_a_conference_stays():
    note = "会議 : 例会議; 2016-02-29"
    record = BibliographicRecord(
        uri="https://x.example.jp/1", titles=(Title(value="猫"),), notes=(note,), conferences=ARTICLE.conferences
    )
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record.notes == (note,)
