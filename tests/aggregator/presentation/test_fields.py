"""A record as labelled rows: every field of it is shown, rows are in groups, and links are safe."""

import pytest
from django.utils import translation

from aggregator.presentation.field_cells import Link, agents
from aggregator.presentation.fields import TABLE, rows
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    License,
    Relation,
    Title,
)

THESIS = BibliographicRecord(
    titles=(Title(value="猫の生態"),),
    creators=(
        Agent(
            name="例, 太郎",
            other_names=(Title(value="Rei, Taro", language="en"),),
            identifiers=(Identifier(scheme="ORCID", value="0000-0002-1825-0097"),),
            affiliations=(Agent(name="例大学", identifiers=(Identifier(scheme="ROR", value="057zh3y96"),)),),
        ),
    ),
    degree_names=("博士（理学）",),
    degree_grantors=(Agent(name="例大学"),),
    dissertation_numbers=("甲第1号",),
    other_dates=(Date(type="dateGranted", value="2017-03-25"),),
    version_type="VoR",
    files=(
        File(uri="https://repo.example.jp/7.pdf", type="fulltext", label="7.pdf", extents=("3MB",)),
        File(uri="https://repo.example.jp/7a.pdf", type="abstract"),
    ),
    licenses=(License(uri="https://creativecommons.org/licenses/by/4.0/", label="CC BY 4.0"),),
    rights=("CC BY 4.0",),
    fundings=(
        Funding(
            funder=Agent(name="例財団"),
            award=Identifier(scheme="JGN", value="JP15H02781", uri="https://kaken.example.jp/1"),
            titles=(Title(value="猫の研究"),),
        ),
    ),
    conferences=(Conference(names=(Title(value="例会議"),), sequence="7", start="2016-02-29", end="2016-03-04"),),
    host=Host(title="例学会誌", volume="12", issn=("18806970",), identifiers=(Identifier(scheme="NCID", value="AA1"),)),
    relations=(Relation(type="relation", term="isCitedBy", scheme="NAID", number="123"),),
    see_also=("https://repo.example.jp/7", "https://repo.example.jp/7.pdf"),
)


@pytest.fixture
def shown():
    with translation.override("en"):
        yield {str(row.label): row.cells for row in rows(THESIS, "/search")}


def test_a_full_text_is_a_link_with_its_label_version_and_licence(shown):
    [cell] = shown["Full text"]
    assert (cell.text, cell.href, cell.note) == ("7.pdf", "https://repo.example.jp/7.pdf", "Published version; 3MB")
    assert cell.links == (Link("Licence: CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),)
    assert [cell.text for cell in shown["Other files"]] == ["7a.pdf"]


def test_a_person_is_shown_with_other_names_affiliation_and_identifier(shown):
    [cell] = shown["Creator"]
    assert cell.details == ("Rei, Taro", "例大学")
    assert cell.links == (
        Link("ORCID", "https://orcid.org/0000-0002-1825-0097"),
        Link("ROR (例大学)", "https://ror.org/057zh3y96"),
    )
    assert cell.works == (Link("Works with this ORCID", "/people/ORCID/0000-0002-1825-0097"),)


def test_a_number_with_a_wrong_check_digit_is_no_link():
    wrong = Identifier(scheme="ORCID", value="0000-0002-1825-0098", uri="https://orcid.org/0000-0002-1825-0098")
    [cell] = agents(lambda record: record.creators)(
        BibliographicRecord(creators=(Agent(name="例, 太郎", identifiers=(wrong,)),))
    )
    assert (cell.links, cell.works) == ((), ())


def test_degree_conference_and_funding_are_shown(shown):
    assert [shown[label][0].text for label in ("Dissertation number", "Degree", "Degree grantor")] == [
        "甲第1号",
        "博士（理学）",
        "例大学",
    ]
    assert shown["Other dates"][0].note == "Degree granted"
    assert (shown["Conference"][0].text, shown["Conference"][0].details) == ("例会議", ("2016-02-29 – 2016-03-04",))
    [funding] = shown["Funding"]
    assert (funding.text, funding.note, funding.details) == ("猫の研究", "JP15H02781", ("例財団",))
    assert funding.href == "https://kaken.nii.ac.jp/grant/KAKENHI-PROJECT-15H02781/"


def test_host_and_relations_are_shown_with_their_numbers(shown):
    assert shown["Published in"][0].text == "例学会誌, 12, ISSN 1880-6970, NCID AA1"
    assert (shown["Related resources"][0].text, shown["Related resources"][0].note) == (
        "CiNii article ID 123",
        "Cited by",
    )


def test_a_file_is_not_shown_again_among_the_pages(shown):
    assert [cell.text for cell in shown["See also"]] == ["https://repo.example.jp/7"]


@pytest.mark.parametrize(("language", "country"), [("ja", "日本"), ("en", "Japan")])
def test_a_country_code_is_shown_as_its_name(language, country):
    record = BibliographicRecord(publication_places=("JP", "XX", "東京"))
    with translation.override(language):
        (row,) = rows(record, "/search")
    assert [cell.text for cell in row.cells] == [country, "東京"]


def test_a_licence_is_shown_once_and_links_to_its_text(shown):
    assert [(cell.text, cell.href) for cell in shown["Rights"]] == [
        ("CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/")
    ]


def test_an_address_that_could_run_a_script_is_no_link():
    hostile = File(uri="javascript:alert(1)", type="fulltext", label="7.pdf")
    record = BibliographicRecord(files=(hostile,), licenses=(License(uri="javascript:alert(1)", label="CC"),))
    values = [cell for row in rows(record, "/search") for cell in row.cells]
    assert [(cell.href, cell.links) for cell in values] == [("", ()), ("", ())]


def test_each_group_has_a_name_of_its_own():
    assert len({str(name) for name, _ in TABLE}) == len(TABLE)


def test_an_issn_is_shown_with_its_hyphen():
    record = BibliographicRecord(identifiers=(Identifier(scheme="ISSN", value="03854000"),))
    assert [cell.text for row in rows(record, "") for cell in row.cells] == ["0385-4000"]
