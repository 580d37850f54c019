"""CSL-JSON: types, names, dates."""

import json
from typing import Any

import pytest
from hypothesis import given

from metadata.citations.csl import write
from metadata.record import Agent, BibliographicRecord
from tests.metadata.citations.examples import ARTICLE, BOTCHAN, CHAPTER, DATASET, JOURNAL, PAGE, THESIS, kind
from tests.metadata.records import RECORD

# The types of CSL 1.0.2 (specification, appendix III).
TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter classic collection dataset "
    "document entry entry-dictionary entry-encyclopedia event figure graphic hearing interview legal_case legislation "
    "manuscript map motion_picture musical_score pamphlet paper-conference patent performance periodical "
    "personal_communication post post-weblog regulation report review review-book software song speech standard thesis "
    "treaty webpage".split()
)


def item(record: BibliographicRecord) -> dict[str, Any]:
    [csl_item] = json.loads(write(record))
    return csl_item


def test_a_book():
    csl_item = item(BOTCHAN)
    assert csl_item.pop("citation-key").startswith("natsume1950-")
    assert csl_item == {
        "id": PAGE,
        "type": "book",
        "title": "坊っちゃん",
        "collection-title": "見本文庫",
        "collection-number": "12",
        "author": [{"family": "夏目", "given": "漱石"}],
        "editor": [{"family": "見本", "given": "花子"}],
        "translator": [{"family": "McClellan", "given": "Edwin"}],
        "issued": {"date-parts": [[1950, 1]]},
        "volume": "上",
        "number-of-pages": "198",
        "edition": "改版",
        "publisher": "岩波書店",
        "publisher-place": "東京",
        "ISBN": "978-4-00-310103-2",
        "URL": PAGE,
        "language": "ja",
        "keyword": "日本文学",
        "note": "解説あり",
    }


def test_an_article():
    csl_item = item(ARTICLE)
    assert csl_item["issued"] == {"date-parts": [[2019, 3, 15]]}
    assert (csl_item["type"], csl_item["container-title"], csl_item["page"]) == (
        "article-journal",
        "見本大学紀要",
        "45-67",
    )
    assert (csl_item["volume"], csl_item["issue"], csl_item["ISSN"], csl_item["DOI"]) == (
        "12",
        "3",
        "1880-6971",
        "10.1234/abc_1",
    )


def test_a_thesis():
    csl_item = item(THESIS)
    assert (csl_item["type"], csl_item["genre"], csl_item["publisher"]) == ("thesis", "博士（理学）", "見本大学")
    assert csl_item["contributor"] == [{"family": "田中", "given": "指導"}]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (CHAPTER, "chapter"),
        (JOURNAL, "periodical"),
        (DATASET, "dataset"),
        (BibliographicRecord(material_types=(kind("Map"),)), "map"),
        (BibliographicRecord(material_types=(kind("MusicScore"),)), "musical_score"),
        (BibliographicRecord(), "document"),
    ],
)
def test_other_kinds(record, expected):
    assert item(record)["type"] == expected


def test_a_name_without_parts_is_literal():
    assert item(BibliographicRecord(creators=(Agent(name="国土地理院"),)))["author"] == [{"literal": "国土地理院"}]


@given(RECORD)
def test_any_record_has_an_id_and_a_csl_type(record):
    csl_item = item(record)
    assert csl_item["id"]
    assert csl_item["type"] in TYPES
    assert all(isinstance(part, int) for part in csl_item.get("issued", {"date-parts": [[]]})["date-parts"][0])
