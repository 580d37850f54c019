"""Writing JPCOAR: where a value goes for which the schema has no place, or not in this form."""

import pytest
from lxml import etree

from metadata.formats import WRITERS
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    MaterialType,
    Relation,
    Subject,
    Title,
)
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import parse

PAGE = "https://a.example.jp/1"
ARTICLE = MaterialType(uri="http://purl.org/coar/resource_type/c_6501", label="journal article")


def written(**fields: object) -> etree._Element:
    fields = {"titles": (Title(value="尺八の音響学"),), "material_types": (ARTICLE,), **fields}
    return parse(WRITERS["jpcoar"].write(BibliographicRecord(**fields)))


def test_no_title_is_lost_where_the_schema_has_room_for_one():
    titles = tuple(Title(value=value, language="ja") for value in ("尺八", "尺八の本", "尺八の音"))
    root = written(titles=titles)
    assert elements(root, "title") == [("尺八", {})]
    assert elements(root, "alternative") == [("尺八の本", {}), ("尺八の音", {})]


@pytest.mark.parametrize(
    ("scheme", "number"), [("ROR", "https://ror.org/057zh3y96"), ("ISNI", "057zh3y96"), ("kakenhi", "057zh3y96")]
)
def test_only_a_number_of_ror_is_written_as_its_address(scheme, number):
    body = Agent(name="例大学", identifiers=(Identifier(scheme=scheme, value="057zh3y96"),))
    holder = Item(holding_agent="例大学", holding_agent_identifiers=body.identifiers)
    root = written(creators=(body,), items=(holder,))
    for name in ("nameIdentifier", "holdingAgentNameIdentifier"):
        assert [text for text, _attributes in elements(root, name)] == [number]


def test_only_the_first_library_is_named_for_which_the_schema_has_room():
    root = written(items=(Item(holding_agent="甲図書館"), Item(holding_agent="乙図書館")))
    assert [text for text, _attributes in elements(root, "holdingAgentName")] == ["甲図書館"]


@pytest.mark.parametrize(
    ("values", "address"),
    [
        ({"files": (File(uri="http://[bad/", type="fulltext"), File(uri=PAGE, type="fulltext"))}, PAGE),
        ({"see_also": ("http://a.example/ b",)}, "http://a.example/%20b"),
        ({"invalid_identifiers": (Identifier(scheme="PMID", value="12"),)}, "urn:uuid:"),
    ],
)
def test_a_record_without_a_valid_address_has_the_next_best(values, address):
    found = [(text[: len(address)], kinds) for text, kinds in elements(written(**values), "identifier")]
    assert found == [(address, {"identifierType": "URI"})]


def test_a_book_without_a_page_has_one_of_its_numbers_as_its_address():
    numbers = tuple(Identifier(scheme="JPNO", value=value) for value in ("20134567", "20134568"))
    addresses = [text for text, _attributes in elements(written(identifiers=numbers), "identifier")]
    assert len(addresses) == 1 and addresses[0].endswith("/20134567")


@pytest.mark.parametrize(
    ("sequence", "numbers"), [("第12回", ["12"]), ("7th", ["7"]), ("第7回 2024", []), ("春季", [])]
)
def test_the_number_of_a_conference_is_its_only_one(sequence, numbers):
    root = written(conferences=(Conference(names=(Title(value="例会議"),), sequence=sequence),))
    assert [element.text for element in root.iter("{*}conferenceSequence")] == numbers


def elements(root: etree._Element, name: str) -> list[tuple[str, dict[str, str]]]:
    """The text and the attributes of all elements with this local name; the language is left out."""
    return [
        (element.text or "", {key: value for key, value in element.attrib.items() if "}" not in key})
        for element in root.iter("{*}" + name)
    ]


def notes(**fields: object) -> list[str]:
    return [text for text, _attributes in elements(written(**fields), "description")]


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"material_types": (ARTICLE, MaterialType(label="巻物"))}, "資料種別 : 巻物"),
        ({"material_types": (MaterialType(label="巻物"),)}, "資料種別 : 巻物"),
        ({"material_types": (MaterialType(label="kit"),)}, "資料種別 : kit"),
        ({"languages": ("jpn", "古文")}, "言語 : 古文"),
        ({"version_type": "清書"}, "出版タイプ : 清書"),
        ({"host": Host(title="図書", pages="巻末")}, "ページ : 巻末"),
        ({"relations": (Relation(type="relation", term="模写", label="原本"),)}, "模写 : 原本"),
        ({"relations": (Relation(type="relation", term="模写", uri="http://x.example/"),)}, "模写 : http://x.example/"),
        ({"dissertation_numbers": ("甲第1号", "甲第2号")}, "学位授与番号 : 甲第2号"),
        (
            {"registrations": (Identifier(scheme="JaLC", value="10.1/a"), Identifier(scheme="PMID", value="7"))},
            "DOI(PMID) : 7",
        ),
        (
            {
                "fundings": (
                    Funding(
                        funder=Agent(
                            name="例財団",
                            identifiers=(
                                Identifier(scheme="ROR", value="https://ror.org/1"),
                                Identifier(scheme="GRID", value="grid.1"),
                            ),
                        )
                    ),
                )
            },
            "助成機関の識別子(GRID) : grid.1",
        ),
    ],
)
def test_what_has_no_element_is_a_description_with_a_label(fields, note):
    assert notes(**fields) == [note]


def test_a_second_date_of_granting_is_a_description():
    dates = tuple(Date(type="dateGranted", value=value) for value in ("2020-03-25", "2021-03-25"))
    assert notes(other_dates=dates) == ["学位授与年月日 : 2021-03-25"]
    assert elements(written(other_dates=dates), "dateGranted") == [("2020-03-25", {})]


def test_what_has_an_element_is_no_description():
    assert notes(languages=("jpn", "und", "ENG"), version_type="VoR", host=Host(title="図書", pages="1-3")) == []
    assert notes(dissertation_numbers=("甲第1号",), relations=(Relation(type="references", label="本"),)) == []


def test_an_invalid_date_and_an_unknown_identifier_of_a_person_become_descriptions():
    creator = Agent(name="例太郎", identifiers=(Identifier(scheme="会員番号", value="12"),))
    root = written(creators=(creator,), other_dates=(Date(type="created", value="昭和の頃"),))
    assert elements(root, "nameIdentifier") == []
    texts = [text for text, _attributes in elements(root, "description")]
    assert "例太郎 : 識別子(会員番号) : 12" in texts
    assert any("昭和の頃" in text for text in texts)
    assert [text for text, _attributes in elements(root, "creatorName")] == ["例太郎"]


def test_a_description_that_the_record_has_already_is_not_repeated():
    fields = {"languages": ("古文", "古文"), "notes": ("言語 : 古文",)}
    assert notes(**fields) == ["言語 : 古文"]


def test_descriptions_stand_where_the_schema_has_them():
    root = written(languages=("jpn", "古文"), publishers=(Agent(name="岩波書店"),), creators=(Agent(name="例"),))
    names = [etree.QName(child).localname for child in root]
    assert names.index("creator") < names.index("description") < names.index("publisher") < names.index("type")


@pytest.mark.parametrize(
    ("relation", "identifier", "title"),
    [
        (
            Relation(type="references", scheme="ISSN", number="0028-0836"),
            [("0028-0836", {"identifierType": "ISSN"})],
            [],
        ),
        (Relation(type="references", scheme="OCLC", number="12"), [("OCLC:12", {"identifierType": "Local"})], []),
        (
            Relation(type="references", scheme="OCLC", number="https://x.example/12"),
            [("https://x.example/12", {"identifierType": "URI"})],
            [],
        ),
        (Relation(type="references", scheme="DOI", number="十番 の一%"), [], [("十番 の一%", {})]),
    ],
)
def test_the_number_of_a_related_resource_is_a_uri_or_else_its_title(relation, identifier, title):
    root = written(relations=(relation,))
    found, names = elements(root, "relatedIdentifier"), elements(root, "relatedTitle")
    assert [kinds for _text, kinds in found] == [kinds for _text, kinds in identifier]
    assert (found, names) == (identifier, title)


def test_a_funder_whose_identifier_is_of_an_unknown_kind_keeps_it_as_another():
    funder = Agent(name="例財団", identifiers=(Identifier(scheme="番号", value="12"),))
    assert elements(written(fundings=(Funding(funder=funder),)), "funderIdentifier") == [
        ("12", {"funderIdentifierType": "Other"})
    ]


def test_the_address_of_a_file_is_escaped_and_an_unknown_kind_is_another():
    files = (File(uri="https://x.example/本 1.pdf", type="本文"), File(uri="https://x.example/2.pdf", type="fulltext"))
    found = elements(written(files=files), "URI")
    assert found == [
        ("https://x.example/本%201.pdf", {"objectType": "other"}),
        ("https://x.example/2.pdf", {"objectType": "fulltext"}),
    ]


def test_the_date_of_a_conference_is_in_parts_and_as_printed():
    whole = Conference(
        names=(Title(value="例会議"),), start="2016-05-03", end="2016-06", country="JPN", sequence="第12回"
    )
    root = written(conferences=(whole,))
    parts = {"startYear": "2016", "startMonth": "05", "startDay": "03", "endYear": "2016", "endMonth": "06"}
    assert elements(root, "conferenceDate") == [("", parts)]
    assert elements(root, "conferenceSequence") == [("12", {})]
    assert elements(root, "conferenceCountry") == [("JPN", {})]
    printed = Conference(names=(Title(value="例会議"),), date=Title(value="平成28年5月"))
    assert elements(written(conferences=(printed,)), "conferenceDate") == [("平成28年5月", {})]
    unknown = Conference(names=(Title(value="例会議"),), start="春", end="秋")
    assert elements(written(conferences=(unknown,)), "conferenceDate") == [("春/秋", {})]
    assert elements(written(conferences=(Conference(names=(Title(value="例会議"),)),)), "conferenceDate") == []


def test_an_older_version_has_the_edition_and_the_volume_in_the_title():
    record = BibliographicRecord(
        titles=(Title(value="図書館学"), Title(value="Library science")),
        editions=("第2版",),
        volumes=(Title(value="上"),),
    )
    titles = [title.text for title in parse(WRITERS["jpcoar_1.0"].write(record)).iter("{*}title")]
    assert titles[0].startswith("図書館学") and "第2版" in titles[0]


def test_the_name_of_a_holding_library_has_the_language_of_its_letters():
    for name, language in (("例図書館", "ja"), ("Example Library", "en")):
        (element,) = written(items=(Item(holding_agent=name),)).iter("{*}holdingAgentName")
        assert element.get(XML_LANG) == language


@pytest.mark.parametrize(
    ("uri", "expected"), [("https://a.example/利用 条件", "https://a.example/利用%20条件"), ("利用 条件", None)]
)
def test_the_address_in_an_attribute_is_escaped_or_left_out(uri, expected):
    (element,) = written(subjects=(Subject(value="猫", uri=uri),)).iter("{*}subject")
    assert element.get("subjectURI") == expected
