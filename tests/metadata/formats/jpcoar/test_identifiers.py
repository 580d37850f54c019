"""Identifiers in JPCOAR: of the record, of what contains it, of persons and of related resources."""

import pytest

from metadata.issue import Reading
from metadata.record import Host, Identifier, Relation, Title
from tests.metadata.documents import codes
from tests.metadata.formats.jpcoar.elements import element, one
from tests.metadata.formats.jpcoar.test_read import read_jpcoar
from tests.metadata.formats.jpcoar.test_rules import inside

NO_PAGE = {"page": ""}


def own(kind: str, value: str) -> Reading:
    return read_jpcoar(element("identifier", value, identifierType=kind), **NO_PAGE)


@pytest.mark.parametrize(
    ("kind", "value", "pages", "wrong", "code"),
    [
        ("HDL", "https://hdl.handle.net/2115/1", ("https://hdl.handle.net/2115/1",), (), ""),
        ("URI", "https://repo.example.jp/1", ("https://repo.example.jp/1",), (), ""),
        ("HDL", "https://repo.example.jp/1", ("https://repo.example.jp/1",), (), "jpcoar.E010"),
        ("", "https://repo.example.jp/1", ("https://repo.example.jp/1",), (), "jpcoar.E010"),
        ("URI", "2115/1", (), (Identifier(scheme="URI", value="2115/1"),), "jpcoar.E010"),
        ("Local", "2115/1", (), (Identifier(scheme="Local", value="2115/1"),), "jpcoar.E010"),
        ("PMID", "12", (), (Identifier(scheme="PMID", value="12"),), "jpcoar.E111"),
        (
            "DOI",
            "https://doi.org/nothing",
            (),
            (Identifier(scheme="DOI", value="https://doi.org/nothing"),),
            "jpcoar.E010",
        ),
    ],
)
def test_an_identifier_of_the_record_is_a_page_or_wrong(kind, value, pages, wrong, code):
    reading = own(kind, value)
    assert (reading.record.see_also, reading.record.invalid_identifiers) == (pages, wrong)
    assert reading.record.identifiers == ()
    assert [issue.code for issue in reading.issues if issue.code in {"jpcoar.E010", "jpcoar.E111"}] == (
        [code] if code else []
    )


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("DOI", "https://doi.org/10.12345/ABC", ""),
        ("URI", "https://doi.org/10.12345/ABC", ""),
        ("DOI", "10.12345/ABC", "jpcoar.N010"),
    ],
)
def test_a_doi_is_kept_as_it_is_printed(kind, value, code):
    reading = own(kind, value)
    assert reading.record.identifiers == (Identifier(scheme="DOI", value="10.12345/abc", printed="10.12345/ABC"),)
    assert [found for found in codes(reading) if found.endswith("010")] == ([code] if code else [])


def test_handles_come_before_other_pages_and_each_page_once():
    pages = ["https://repo.example.jp/1", "https://hdl.handle.net/2115/1", "https://repo.example.jp/1"]
    parts = [element("identifier", page, identifierType="URI") for page in pages]
    assert read_jpcoar(*parts, page="").record.see_also == (pages[1], pages[0])


@pytest.mark.parametrize(
    ("agency", "value", "identifiers", "registrations", "reported"),
    [
        ("JaLC", "10.12345/a", ["10.12345/a"], [("JaLC", "10.12345/a")], {"jpcoar.W011"}),
        ("Crossref", "10.12345/a", ["10.12345/a"], [("Crossref", "10.12345/a")], {"jpcoar.W011"}),
        (
            "JaLC",
            "https://doi.org/10.12345/a",
            ["10.12345/a"],
            [("JaLC", "10.12345/a")],
            {"jpcoar.E011", "jpcoar.W011"},
        ),
        ("JaLC", "12345", [], [], {"jpcoar.E011"}),
        ("PMID", "12345", [], [("PMID", "12345")], {"jpcoar.E111"}),
        ("CNKI", "10.12345/a", ["10.12345/a"], [], {"doi.E001", "jpcoar.W011"}),
    ],
)
def test_a_registration_gives_the_doi_of_a_record_that_has_no_other(
    agency, value, identifiers, registrations, reported
):
    reading = read_jpcoar(element("identifierRegistration", value, identifierType=agency))
    assert [number.value for number in reading.record.identifiers] == identifiers
    assert [(number.scheme, number.value) for number in reading.record.registrations] == registrations
    assert {code for code in codes(reading) if "11" in code or code == "doi.E001"} == reported


def test_a_registration_of_another_doi_is_none_of_the_record():
    parts = [
        element("identifier", "https://doi.org/10.12345/a", identifierType="DOI"),
        element("identifierRegistration", "10.12345/b", identifierType="JaLC"),
    ]
    reading = read_jpcoar(*parts)
    assert reading.record.values("DOI") == ("10.12345/a",)
    assert "jpcoar.W011" in codes(reading)


@pytest.mark.parametrize(
    ("kind", "value", "issn", "others", "wrong", "reported"),
    [
        ("PISSN", "0387-5911", ("03875911",), [("PISSN", "03875911")], [], set()),
        ("EISSN", "0387-5911", ("03875911",), [("EISSN", "03875911")], [], set()),
        ("ISSN", "0387-5911", ("03875911",), [], [], {"jpcoar.W034"}),
        ("PISSN", "0387-5912", (), [], ["0387-5912"], {"jpcoar.E034"}),
        ("NCID", "an00000085", (), [("NCID", "AN00000085")], [], set()),
        ("NCID", "ZZ00000085", (), [], ["ZZ00000085"], {"jpcoar.E034"}),
        ("ISBN", "4-00-310101-4", (), [("ISBN", "9784003101018")], [], set()),
        ("URI", "https://a.jp/", (), [("URI", "https://a.jp/")], [], {"jpcoar.E134"}),
    ],
)
def test_the_numbers_of_a_host(kind, value, issn, others, wrong, reported):
    reading = read_jpcoar(element("sourceIdentifier", value, identifierType=kind))
    host = reading.record.host
    assert host.issn == issn
    assert [(number.scheme, number.value) for number in host.identifiers] == others
    assert [number.value for number in reading.record.invalid_identifiers] == wrong
    assert {code for code in codes(reading) if code.endswith("34")} == reported


@pytest.mark.parametrize(
    ("sent", "read", "code"),
    [
        ("12", "12", ""),
        ("第12巻", "12", "jpcoar.N035"),
        ("Vol. 12", "12", "jpcoar.N035"),
        ("12巻3号", "12巻3号", "jpcoar.W035"),
        ("別冊", "別冊", ""),
        ("12-13", "12-13", ""),
    ],
)
def test_a_number_is_read_without_the_words_around_it(sent, read, code):
    reading = read_jpcoar(element("volume", sent), element("issue", sent))
    assert (reading.record.host.volume, reading.record.host.number) == (read, read)
    assert [found for found in codes(reading) if found.endswith("035")] == ([code] * 2 if code else [])


@pytest.mark.parametrize(("start", "end", "pages"), [("3", "", "3"), ("3", "9", "3-9"), ("", "9", "-9")])
def test_the_pages_of_a_paper(start, end, pages):
    parts = [element("pageStart", start)] * bool(start) + [element("pageEnd", end)] * bool(end)
    assert read_jpcoar(*parts).record.host.pages == pages


def test_a_reading_of_the_title_of_a_host_is_one_of_its_titles():
    titles = [("ja", "紀要"), ("ja-Kana", "キヨウ"), ("en", "Bulletin")]
    host = read_jpcoar(*[element("sourceTitle", text, lang=language) for language, text in titles]).record.host
    assert host == Host(
        title="紀要",
        language="ja",
        titles=(Title(value="キヨウ", language="ja-Kana"), Title(value="Bulletin", language="en")),
    )


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"nameIdentifierURI": "https://orcid.org/0000-0002-1825-0097"}, ""),
        ({"nameIdentifierURI": "https://example.jp/1"}, "https://example.jp/1"),
        ({}, ""),
    ],
)
def test_a_uri_that_follows_from_the_number_is_not_kept(attributes, expected):
    number = element("nameIdentifier", "0000-0002-1825-0097", nameIdentifierScheme="ORCID", **attributes)
    creator = one("creators", inside("creator", number + element("creatorName", "例, 太郎", lang="ja")))
    assert creator.identifiers == (Identifier(scheme="ORCID", value="0000-0002-1825-0097", uri=expected),)


@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("references", Relation(type="references", uri="https://a.jp/1", scheme="URI")),
        ("Cites", Relation(type="references", term="cites", uri="https://a.jp/1", scheme="URI")),
        ("isIdenticalTo", Relation(type="relation", term="isIdenticalTo", uri="https://a.jp/1", scheme="URI")),
        ("", Relation(type="relation", uri="https://a.jp/1", scheme="URI")),
    ],
)
def test_a_relation_has_the_closest_kind_and_its_own_term(kind, read):
    number = element("relatedIdentifier", "https://a.jp/1", identifierType="URI")
    assert one("relations", f'<jpcoar:relation relationType="{kind}">{number}</jpcoar:relation>') == read


def test_a_relation_has_a_number_or_a_title():
    number = element("relatedIdentifier", "0028-0836", identifierType="ISSN")
    titles = element("relatedTitle", "自然", lang="ja") + element("relatedTitle", "シゼン", lang="ja-Kana")
    assert one("relations", inside("relation", number + titles)) == Relation(
        type="relation",
        scheme="ISSN",
        number="0028-0836",
        label="自然",
        language="ja",
        titles=(Title(value="シゼン", language="ja-Kana"),),
    )
    assert read_jpcoar(inside("relation", element("a"))).record.relations == ()
