"""Records of every format, written as DC-NDL(RDF) and read again: nothing that they said is lost (NO_PLACE)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

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
from tests.metadata.formats.through_dcndl import comparable

ARTICLE = BibliographicRecord(
    uri="https://repo.example.jp/records/7",
    titles=(Title(value="猫の生態", language="ja"),),
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
# Folder of samples, prefix, how many records at least; the element of each record where a file is no envelope.
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
        for each in [Enclosed("", one) for one in inner] or unpack(root):
            found = read(each.data, prefix) if each.element is None else read_element(each.element, prefix)
            if found.record is not None:
                yield path, found.record


@pytest.mark.parametrize(("folder", "prefix", "least", "element"), FOLDERS, ids=[row[0] for row in FOLDERS])
def test_no_real_record_loses_anything_on_its_way_through_dcndl(samples, folder, prefix, least, element):
    seen = 0
    for path, record in records(samples / folder, prefix, element):
        back = read(CROSSWALKS["dcndl"].write(record), "dcndl").record
        assert back is not None, path
        assert comparable(back, record) == comparable(record, record), path
        seen += 1
    assert seen >= least


def written(record: BibliographicRecord) -> etree._Element:
    return parse(CROSSWALKS["dcndl"].write(record))


def texts(record: BibliographicRecord, path: str) -> list[str]:
    found = written(record).xpath(f"dcndl:BibResource/{path}", namespaces=NAMESPACES)
    return [each if isinstance(each, str) else each.text for each in found]


def test_an_outsider_finds_what_has_a_standard_element_where_it_always_stands():
    assert texts(ARTICLE, "dc:title/rdf:Description/rdf:value") == ["猫の生態"]
    assert texts(ARTICLE, "dcterms:creator/foaf:Agent/foaf:name[1]") == ["例, 太郎"]
    assert texts(ARTICLE, "dcndl:publicationName[1]") == ["例学会誌"]
    assert texts(ARTICLE, "dcterms:rights") == ["CC BY 4.0"]
    assert texts(ARTICLE, "dcndl:edition") == ["2"]
    assert texts(ARTICLE, "dcterms:identifier[contains(@rdf:datatype, 'KAKENHINO')]") == ["JP15H02781"]


def test_an_outsider_reads_of_conferences_and_funding_in_the_description():
    assert texts(ARTICLE, "dcterms:description") == [
        "図あり",
        "出版タイプ : VoR",
        "バージョン情報 : 2",
        "会議 : 例会議; 2016-02-29",
        "助成 : 例財団; JP15H02781",
    ]
    assert read(CROSSWALKS["dcndl"].write(ARTICLE), "dcndl").record == ARTICLE


def test_nobody_can_take_a_wrong_number_for_a_valid_one():
    wrong = (Identifier(scheme="DOI", value="10.1234"), Identifier(scheme="PISSN", value="1234-5678"))
    record = BibliographicRecord(uri="https://x.example.jp/1", titles=(Title(value="猫"),), invalid_identifiers=wrong)
    kinds = texts(record, "dcterms:identifier/@rdf:datatype")
    assert [each.rpartition("/")[2] for each in kinds] == ["IncorrectDOI", "IncorrectPISSN"]
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record == record


def test_two_copies_without_uri_stay_two():
    items = (Item(holding_agent="中央館"), Item(holding_agent="東館"))
    record = BibliographicRecord(uri="https://x.example.jp/1", titles=(Title(value="猫"),), items=items)
    back = read(CROSSWALKS["dcndl"].write(record), "dcndl").record
    assert [each.uri for each in back.items] == ["https://x.example.jp/1#item", "https://x.example.jp/1#item2"]


def test_a_note_that_says_the_same_as_a_conference_stays():
    note = "会議 : 例会議; 2016-02-29"
    record = BibliographicRecord(
        uri="https://x.example.jp/1", titles=(Title(value="猫"),), notes=(note,), conferences=ARTICLE.conferences
    )
    assert read(CROSSWALKS["dcndl"].write(record), "dcndl").record.notes == (note,)
