"""JSON-LD: types, identity, people with their authorities, what it stands in, who lends it."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec import structs

from metadata.formats.schema_org.write import write
from metadata.record import Agent, BibliographicRecord, File, Identifier, Title
from tests.metadata.citations.examples import ARTICLE, BOTCHAN, CHAPTER, DATASET, JOURNAL, PAGE, THESIS, kind
from tests.metadata.records import RECORD


def node(record: BibliographicRecord) -> dict[str, Any]:
    return json.loads(write(record))


def test_a_book():
    found = node(BOTCHAN)
    assert (found["@context"], found["@type"]) == ("https://schema.org", "Book")
    assert (found["@id"], found["name"], found["position"]) == (PAGE, "坊っちゃん 上", "上")
    assert found["alternateName"] == ["Botchan", "ボッチャン"]
    assert (found["isbn"], found["inLanguage"], found["datePublished"]) == ("9784003101032", "ja", "1950-01")
    assert (found["bookEdition"], found["numberOfPages"]) == ("改版", 198)
    assert found["isPartOf"] == {
        "@type": "PublicationVolume",
        "volumeNumber": "12",
        "isPartOf": {"@type": "BookSeries", "name": "見本文庫"},
    }
    assert "http://id.ndl.go.jp/jpno/50000001" in found["sameAs"]


def test_people_have_their_names_readings_and_authorities():
    found = node(BOTCHAN)
    assert found["author"] == {
        "@type": "Person",
        "name": "夏目漱石",
        "familyName": "夏目",
        "givenName": "漱石",
        "alternateName": "ナツメ, ソウセキ, 1867-1916",
        "sameAs": "http://id.ndl.go.jp/auth/entity/00054222",
    }
    assert (found["editor"]["name"], found["translator"]["name"]) == ("見本花子", "Edwin McClellan")
    assert found["publisher"]["location"] == {"@type": "Place", "name": "東京"}


def test_a_researcher_is_known_by_identifiers_that_have_a_valid_form():
    numbers = (Identifier(scheme="ORCID", value="0000-0001-2345-6789"), Identifier(scheme="ORCID", value="x/../y"))
    found = node(BibliographicRecord(creators=(Agent(name="見本, 太郎", identifiers=numbers),)))
    assert found["author"]["sameAs"] == "https://orcid.org/0000-0001-2345-6789"


def test_nobody_is_called_a_person_or_a_body_without_a_reason():
    assert node(BibliographicRecord(creators=(Agent(name="John Doe"),)))["author"] == {"name": "John Doe"}
    assert node(JOURNAL)["author"]["@type"] == "Organization"


def test_an_article_stands_in_an_issue_of_a_volume_of_a_periodical():
    found = node(ARTICLE)
    issue = found["isPartOf"]
    assert (found["@type"], issue["@type"], issue["issueNumber"]) == ("ScholarlyArticle", "PublicationIssue", "3")
    volume = issue["isPartOf"]
    assert (volume["@type"], volume["volumeNumber"]) == ("PublicationVolume", "12")
    assert volume["isPartOf"] == {"@type": "Periodical", "name": "見本大学紀要", "issn": "1880-6971"}
    assert (found["pageStart"], found["pageEnd"], found["inLanguage"]) == ("45", "67", ["ja", "en"])
    assert found["sameAs"] == "https://doi.org/10.1234/abc_1"
    assert found["identifier"]["propertyID"] == "DOI"


def test_a_chapter_stands_in_a_book():
    assert node(CHAPTER)["isPartOf"] == {"@type": "Book", "name": "見本論集", "isbn": "9784003101018"}


def test_a_thesis_says_its_degree_and_who_gave_it():
    found = node(THESIS)
    assert (found["@type"], found["inSupportOf"]) == ("Thesis", "博士（理学）")
    assert found["sourceOrganization"] == {"@type": "Organization", "name": "見本大学"}


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
def test_other_kinds(record, expected):
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


def test_libraries_lend_their_copies():
    assert node(BOTCHAN)["offers"] == {
        "@type": "Offer",
        "businessFunction": "http://purl.org/goodrelations/v1#LeaseOut",
        "offeredBy": {"@type": "Library", "name": "見本図書館"},
        "sku": "913.6-N58",
        "url": "https://library.example.jp/1",
    }


def test_files_are_encodings_and_make_a_book_electronic():
    found = node(structs.replace(BOTCHAN, files=(File(uri="https://a.example.jp/1.pdf", type="fulltext"),)))
    assert found["encoding"] == {"@type": "MediaObject", "contentUrl": "https://a.example.jp/1.pdf"}
    assert found["bookFormat"] == "https://schema.org/EBook"


def test_dangerous_addresses_are_left_out():
    record = BibliographicRecord(
        uri="javascript:alert(1)", titles=(Title(value="x"),), creators=(Agent(name="x", uri="data:text/html,x"),)
    )
    assert "javascript:" not in write(record).decode()
    assert "data:text" not in write(record).decode()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RECORD)
def test_any_record_is_one_node_without_empty_values(record):
    found = node(record)
    assert found["@type"]
    assert all(value not in ("", [], {}, None) for value in found.values())
