"""JSON-LD: types, identity, people with their authorities, hosts, and lending libraries."""

import json
from typing import Any

import pytest
from hypothesis import given
from msgspec import structs

from metadata.formats.schema_org.write import write
from metadata.record import Agent, BibliographicRecord, File, Identifier, Title
from tests.metadata.citations.examples import ARTICLE, BOTCHAN, CHAPTER, DATASET, JOURNAL, PAGE, THESIS, kind
from tests.metadata.records import RECORD


def node(record: BibliographicRecord) -> dict[str, Any]:
    return json.loads(write(record))


def test_a_book_has_its_properties():
    json_ld = node(BOTCHAN)
    assert (json_ld["@context"], json_ld["@type"]) == ("https://schema.org", "Book")
    assert (json_ld["@id"], json_ld["name"], json_ld["position"]) == (PAGE, "坊っちゃん. 上", "上")
    assert json_ld["alternateName"] == ["Botchan", "ボッチャン"]
    assert (json_ld["isbn"], json_ld["inLanguage"], json_ld["datePublished"]) == ("9784003101032", "ja", "1950-01")
    assert (json_ld["bookEdition"], json_ld["numberOfPages"]) == ("改版", 198)
    assert json_ld["isPartOf"] == {
        "@type": "PublicationVolume",
        "volumeNumber": "12",
        "isPartOf": {"@type": "BookSeries", "name": "見本文庫"},
    }
    assert "http://id.ndl.go.jp/jpno/50000001" in json_ld["sameAs"]


def test_people_have_names_readings_and_authorities():
    json_ld = node(BOTCHAN)
    assert json_ld["author"] == {
        "@type": "Person",
        "name": "夏目漱石",
        "familyName": "夏目",
        "givenName": "漱石",
        "alternateName": "ナツメ, ソウセキ, 1867-1916",
        "sameAs": "http://id.ndl.go.jp/auth/entity/00054222",
    }
    assert (json_ld["editor"]["name"], json_ld["translator"]["name"]) == ("見本花子", "Edwin McClellan")
    assert json_ld["publisher"]["location"] == {"@type": "Place", "name": "東京"}


def test_identifiers_of_people_are_written_only_in_a_valid_form():
    numbers = (Identifier(scheme="ORCID", value="0000-0001-2345-6789"), Identifier(scheme="ORCID", value="x/../y"))
    json_ld = node(BibliographicRecord(creators=(Agent(name="見本, 太郎", identifiers=numbers),)))
    assert json_ld["author"]["sameAs"] == "https://orcid.org/0000-0001-2345-6789"


def test_the_type_of_an_agent_is_written_only_if_it_is_known():
    assert node(BibliographicRecord(creators=(Agent(name="John Doe"),)))["author"] == {"name": "John Doe"}
    assert node(JOURNAL)["author"]["@type"] == "Organization"


def test_an_article_is_part_of_an_issue_of_a_volume_of_a_periodical():
    json_ld = node(ARTICLE)
    issue = json_ld["isPartOf"]
    assert (json_ld["@type"], issue["@type"], issue["issueNumber"]) == ("ScholarlyArticle", "PublicationIssue", "3")
    volume = issue["isPartOf"]
    assert (volume["@type"], volume["volumeNumber"]) == ("PublicationVolume", "12")
    assert volume["isPartOf"] == {"@type": "Periodical", "name": "見本大学紀要", "issn": "1880-6971"}
    assert (json_ld["pageStart"], json_ld["pageEnd"], json_ld["inLanguage"]) == ("45", "67", ["ja", "en"])
    assert json_ld["sameAs"] == "https://doi.org/10.1234/abc_1"
    assert json_ld["identifier"]["propertyID"] == "DOI"


def test_a_chapter_is_part_of_a_book():
    assert node(CHAPTER)["isPartOf"] == {"@type": "Book", "name": "見本論集", "isbn": "9784003101018"}


def test_a_thesis_has_its_degree_and_grantor():
    json_ld = node(THESIS)
    assert (json_ld["@type"], json_ld["inSupportOf"]) == ("Thesis", "博士（理学）")
    assert json_ld["sourceOrganization"] == {"@type": "Organization", "name": "見本大学"}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (JOURNAL, "Periodical"),
        (DATASET, "Dataset"),
        (BibliographicRecord(material_types=(kind("Map"),)), "Map"),
        (BibliographicRecord(material_types=(kind("MusicScore"),)), "SheetMusic"),
        (BibliographicRecord(material_types=(kind("Newspaper"),)), "Newspaper"),
        (BibliographicRecord(), "CreativeWork"),
    ],
)
def test_other_kinds_have_their_type(record, expected):
    assert node(record)["@type"] == expected


def test_subjects_are_terms_with_their_uris():
    assert node(BOTCHAN)["about"] == [
        {
            "@type": "DefinedTerm",
            "@id": "http://id.ndl.go.jp/auth/ndlsh/00568351",
            "name": "日本文学",
            "inDefinedTermSet": "NDLSH",
        },
        {
            "@type": "DefinedTerm",
            "@id": "http://id.ndl.go.jp/class/ndc10/913.6",
            "name": "913.6",
            "inDefinedTermSet": "NDC10",
        },
    ]


def test_copies_are_offers_of_their_libraries():
    assert node(BOTCHAN)["offers"] == {
        "@type": "Offer",
        "businessFunction": "http://purl.org/goodrelations/v1#LeaseOut",
        "offeredBy": {"@type": "Library", "name": "見本図書館"},
        "sku": "913.6-N58",
        "url": "https://library.example.jp/1",
    }


def test_files_are_encodings_and_make_a_book_electronic():
    json_ld = node(structs.replace(BOTCHAN, files=(File(uri="https://a.example.jp/1.pdf", type="fulltext"),)))
    assert json_ld["encoding"] == {"@type": "MediaObject", "contentUrl": "https://a.example.jp/1.pdf"}
    assert json_ld["bookFormat"] == "https://schema.org/EBook"


def test_dangerous_urls_are_left_out():
    record = BibliographicRecord(
        uri="javascript:alert(1)", titles=(Title(value="x"),), creators=(Agent(name="x", uri="data:text/html,x"),)
    )
    assert "javascript:" not in write(record).decode()
    assert "data:text" not in write(record).decode()


@given(RECORD)
def test_any_record_is_one_node_without_empty_values(record):
    json_ld = node(record)
    assert json_ld["@type"]
    assert all(value not in ("", [], {}, None) for value in json_ld.values())
