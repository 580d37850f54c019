"""Elements of JPCOAR with others inside: publishers, persons, funding, conferences, files, holding libraries."""

import pytest

from metadata.record import Agent, Conference, Date, File, Funding, Identifier, Item, Title
from tests.metadata.formats.jpcoar.elements import element, one
from tests.metadata.formats.jpcoar.test_read import read_jpcoar
from tests.metadata.formats.jpcoar.test_rules import inside


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (
            element("publisherName", "東大出版会", lang="ja")
            + element("publisherName", "トウダイ", lang="ja-Kana")
            + element("publisherDescription", "版元")
            + element("publisherDescription", "発売")
            + element("dcndl:location", "東京"),
            Agent(name="東大出版会", transcription="トウダイ", language="ja", role="版元 ; 発売", location="東京"),
        ),
        (element("publisherName", "UTP", lang="en"), Agent(name="UTP", language="en")),
    ],
)
def test_a_publisher_with_details(parts, expected):
    assert one("publishers", inside("publisher", parts)) == expected


@pytest.mark.parametrize(("sent", "read"), [("JPN", "JP"), ("jpn", "JP"), ("JP", "JP"), ("jp", "JP"), ("日本", "日本")])
def test_a_country_becomes_a_code_of_two_letters(sent, read):
    record = read_jpcoar(inside("publisher", element("dcndl:publicationPlace", sent))).record
    assert (record.publishers, record.publication_places) == ((), (read,))


def test_names_of_several_publishers_belong_together_by_their_places():
    names = [("ja", "東大"), ("ja", "京大"), ("en", "UTokyo"), ("en", "Kyoto U")]
    publishers = read_jpcoar(
        *[element("dc:publisher", name, lang=language) for language, name in names]
    ).record.publishers
    assert [(body.name, [other.value for other in body.other_names]) for body in publishers] == [
        ("東大", ["UTokyo"]),
        ("京大", ["Kyoto U"]),
    ]


def test_names_without_a_language_are_publishers_of_their_own():
    parts = [element("dc:publisher", "東大"), element("dc:publisher", "UTokyo", lang="en")]
    assert [body.name for body in read_jpcoar(*parts).record.publishers] == ["東大", "UTokyo"]


def test_a_person_without_a_whole_name_is_named_by_its_parts():
    parts = element("familyName", "寺田", lang="ja") + element("givenName", "寅彦", lang="ja")
    parts += element("familyName", "Terada", lang="en")
    creator = one("creators", inside("creator", parts))
    assert (creator.name, [other.value for other in creator.other_names]) == ("寺田, 寅彦", ["Terada"])


def test_a_person_with_only_a_number_is_named_by_it():
    number = element("nameIdentifier", "12345678", nameIdentifierScheme="e-Rad")
    creator = one("creators", inside("creator", number))
    assert (creator.name, creator.identifiers) == (
        "e-Rad_Researcher 12345678",
        (Identifier(scheme="e-Rad_Researcher", value="12345678"),),
    )
    other = element("nameIdentifier", "0000-0002-1825-0097", nameIdentifierScheme="ORCID")
    both = one("creators", inside("creator", number + other))
    assert (both.name, both.other_names, len(both.identifiers)) == (creator.name, (), 2)
    assert read_jpcoar(inside("creator", element("a"))).record.creators == ()


def test_a_person_keeps_role_kind_other_names_and_bodies():
    parts = element("creatorName", "例大学", lang="ja", nameType="Organizational")
    parts += element("creatorAlternative", "例大", lang="ja")
    parts += inside("affiliation", element("affiliationName", "例法人", lang="ja"))
    creator = one("creators", f'<jpcoar:creator creatorType="著">{parts}</jpcoar:creator>')
    assert creator == Agent(
        name="例大学",
        language="ja",
        role="著",
        kind="Organizational",
        other_names=(Title(value="例大", language="ja", kind="alternative"),),
        affiliations=(Agent(name="例法人", language="ja"),),
    )
    person = parts.replace("Organizational", "Personal")
    assert one("creators", inside("creator", person)).kind == ""


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (element("a"), None),
        (
            element("funderName", "例財団", lang="ja")
            + element("funderIdentifier", "https://ror.org/057zh3y96", funderIdentifierType="ROR")
            + element("fundingStreamIdentifier", "S1", fundingStreamIdentifierType="JGN_fundingStream")
            + element("fundingStream", "基盤", lang="ja")
            + element("awardNumber", "JP1", awardNumberType="JGN", awardURI="https://example.jp/1")
            + element("awardTitle", "研究", lang="ja"),
            Funding(
                funder=Agent(
                    name="例財団",
                    language="ja",
                    uri="https://ror.org/057zh3y96",
                    identifiers=(Identifier(scheme="ROR", value="057zh3y96"),),
                ),
                stream_identifier=Identifier(scheme="JGN_fundingStream", value="S1"),
                streams=(Title(value="基盤", language="ja"),),
                award=Identifier(scheme="JGN", value="JP1", uri="https://example.jp/1"),
                titles=(Title(value="研究", language="ja"),),
            ),
        ),
    ],
)
def test_a_funding_is_read_whole_or_not_at_all(parts, expected):
    assert read_jpcoar(inside("fundingReference", parts)).record.fundings == ((expected,) if expected else ())


def test_a_conference_is_read_whole_or_not_at_all():
    parts = element("conferenceName", "例会議", lang="ja") + element("conferenceSequence", "12")
    parts += element("conferenceSponsor", "例学会", lang="ja") + element("conferenceVenue", "例会館", lang="ja")
    parts += element("conferencePlace", "京都", lang="ja") + element("conferenceCountry", "JPN")
    parts += element("conferenceDate", "五月", lang="ja", startYear="2016", startMonth="05", endYear="2017")
    assert one("conferences", inside("conference", parts)) == Conference(
        names=(Title(value="例会議", language="ja"),),
        sequence="12",
        sponsors=(Title(value="例学会", language="ja"),),
        venues=(Title(value="例会館", language="ja"),),
        places=(Title(value="京都", language="ja"),),
        country="JPN",
        date=Title(value="五月", language="ja"),
        start="2016-05",
        end="2017",
    )
    assert read_jpcoar(inside("conference", element("a"))).record.conferences == ()


def test_a_file_is_read_whole_or_not_at_all():
    parts = element("URI", "https://repo.example.jp/a.jpg", objectType="thumbnail", label="表紙")
    parts += element("mimeType", "image/jpeg") + element("extent", "1MB") + element("extent", "2MB")
    parts += element("datacite:date", "2020-01-01", dateType="Available") + element("datacite:version", "2.0")
    record = read_jpcoar(inside("file", parts)).record
    assert record.files == (
        File(
            uri="https://repo.example.jp/a.jpg",
            type="thumbnail",
            label="表紙",
            media_type="image/jpeg",
            extents=("1MB", "2MB"),
            dates=(Date(type="available", value="2020-01-01"),),
            version="2.0",
        ),
    )
    assert (record.thumbnails, record.formats) == (("https://repo.example.jp/a.jpg",), ("image/jpeg",))
    assert "https://repo.example.jp/a.jpg" not in record.see_also
    assert read_jpcoar(inside("file", element("a"))).record.files == ()


def test_a_holding_library_may_have_a_name_or_a_number_only():
    name = element("holdingAgentName", "例図書館", lang="ja")
    reading, other = element("holdingAgentName", "レイ", lang="ja-Kana"), element("holdingAgentName", "Rei", lang="en")
    number = element(
        "holdingAgentNameIdentifier", "JP-1", nameIdentifierScheme="ISIL", nameIdentifierURI="http://a.jp/1"
    )
    code = Identifier(scheme="ISIL", value="JP-1", uri="http://a.jp/1")
    assert one("items", inside("holdingAgent", number)) == Item(holding_agent_identifiers=(code,))
    assert one("items", inside("holdingAgent", name + reading + other)) == Item(
        holding_agent="例図書館",
        holding_agent_transcription="レイ",
        holding_agent_names=(Title(value="Rei", language="en"),),
    )
    assert read_jpcoar(inside("holdingAgent", element("a"))).record.items == ()
