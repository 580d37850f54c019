"""Reading MODS: scripts of one group, roles, dates by their attributes, authorities, related items, locations."""

import pytest
from hypothesis import HealthCheck, given, settings

from metadata.formats import CROSSWALKS
from metadata.issue import Reading
from metadata.reading import read, read_element
from metadata.record import Agent, BibliographicRecord, Date, Host, Identifier, Item, Relation, Subject, Title
from metadata.xml.envelopes import unpack
from metadata.xml.parsing import parse
from tests.metadata.documents import codes
from tests.metadata.formats.normal_numbers import with_normal_numbers
from tests.metadata.records import RECORD

WRITE = CROSSWALKS["mods"].write
RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))
TITLE = "<titleInfo><title>坊っちゃん</title></titleInfo>"
ORIGIN = '<originInfo><dateIssued encoding="w3cdtf" keyDate="yes">1906</dateIssued></originInfo>'
PAGE = '<location><url usage="primary display">https://opac.example.jp/1</url></location>'
_MODS = '<mods xmlns="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink">{}</mods>'


def read_mods(*parts: str, title: str = TITLE, origin: str = ORIGIN, page: str = PAGE) -> Reading:
    return read(_MODS.format("".join((title, *parts, origin, page))).encode(), "mods")


def test_a_correct_record_has_no_issues():
    reading = read_mods()
    assert reading.issues == ()
    assert (reading.record.title, reading.record.issued) == ("坊っちゃん", "1906")
    assert reading.record.see_also == ("https://opac.example.jp/1",)


@pytest.mark.parametrize(
    ("sent", "kind"),
    [("translated", "translation"), ("uniform", "uniform"), ("abbreviated", "abbreviated"), ("alternative", "")],
)
def test_alternative_titles_keep_their_kind(sent, kind):
    record = read_mods(f'<titleInfo type="{sent}"><title>Botchan</title></titleInfo>').record
    assert record.alternatives == (Title(value="Botchan", kind=kind),)
    assert read(WRITE(record), "mods").record == record


@pytest.mark.parametrize(
    ("kind", "written"), [("Personal", "personal"), ("Organizational", "corporate"), ("会議", None), ("", None)]
)
def test_a_name_is_written_with_the_type_that_the_record_says(kind, written):
    record = BibliographicRecord(creators=(Agent(name="夏目, 漱石", kind=kind),))
    assert parse(WRITE(record)).find("{*}name").get("type") == written


def test_the_record_identifier_and_an_unspecific_type_are_read():
    record = read_mods(
        "<typeOfResource>text</typeOfResource>", "<recordInfo><recordIdentifier>12345</recordIdentifier></recordInfo>"
    ).record
    assert record.source_identifiers == (Identifier(value="12345"),)
    assert [material_type.label for material_type in record.material_types] == ["text"]
    assert read(WRITE(record), "mods").record == record


def test_titles_are_joined_with_their_article_subtitle_and_parts():
    record = read_mods(
        '<titleInfo type="alternative"><title>Botchan</title><partNumber>1</partNumber></titleInfo>',
        title="<titleInfo><nonSort>The </nonSort><title>Rails View</title><subTitle>A Guide</subTitle>"
        "<partNumber>Volume 2</partNumber><partName>Forms</partName></titleInfo>",
    ).record
    assert record.title == "The Rails View : A Guide"
    assert (record.volume, record.volume_titles) == ("Volume 2", (Title(value="Forms"),))
    assert record.alternatives == (Title(value="Botchan. 1"),)


def test_the_reading_and_romanised_form_of_a_title_are_found_by_their_group():
    group = (
        '<titleInfo altRepGroup="01" script="Latn" transliteration="ala-lc"><title>Botchan</title></titleInfo>'
        '<titleInfo altRepGroup="01"><title>坊っちゃん</title></titleInfo>'
        '<titleInfo altRepGroup="01"><title>ボッチャン</title></titleInfo>'
    )
    record = read_mods(title=group).record
    assert record.titles == (Title(value="坊っちゃん", transcription="ボッチャン"),)
    assert record.alternatives == (Title(value="Botchan"),)


def test_names_have_their_dates_roles_readings_and_authority():
    record = read_mods(
        '<name type="personal" altRepGroup="2" valueURI="http://id.ndl.go.jp/auth/entity/00054222">'
        '<namePart type="family">夏目</namePart><namePart type="given">漱石</namePart>'
        '<namePart type="date">1867-1916</namePart><role><roleTerm type="code">aut</roleTerm></role></name>'
        '<name type="personal" altRepGroup="2" script="Kana"><namePart>ナツメ, ソウセキ</namePart></name>'
        '<name><namePart>Turney, Alan</namePart><role><roleTerm type="text">translator.</roleTerm></role></name>'
    ).record
    uri = "http://id.ndl.go.jp/auth/entity/00054222"
    assert record.creators == (
        Agent(name="夏目, 漱石, 1867-1916", transcription="ナツメ, ソウセキ", uri=uri, role="aut"),
    )
    assert record.contributors == (Agent(name="Turney, Alan", role="translator"),)


def test_all_names_are_creators_if_none_is_marked():
    name = '<name><namePart>{}</namePart><role><roleTerm type="text">editor</roleTerm></role></name>'
    record = read_mods(name.format("A") + name.format("B")).record
    assert [creator.name for creator in record.creators] == ["A", "B"]


def test_publishers_have_their_place_and_countries_their_code():
    origin = (
        '<originInfo eventType="publication"><place><placeTerm type="code" authority="marccountry">ja</placeTerm>'
        '</place><place><placeTerm type="text">東京 :</placeTerm></place><publisher>例書房,</publisher>'
        "<dateIssued>[2005?]</dateIssued><edition>改版</edition></originInfo>"
    )
    record = read_mods(origin=origin).record
    assert record.publishers == (Agent(name="例書房", location="東京"),)
    assert (record.publication_places, record.issued, record.dates) == (("JP",), "2005", ("[2005?]",))
    assert record.editions == ("改版",)


def test_the_key_date_is_the_date_of_publication_and_the_end_is_kept():
    origin = (
        '<originInfo><dateIssued encoding="marc">1800</dateIssued>'
        '<dateIssued encoding="w3cdtf" keyDate="yes" point="start" qualifier="questionable">1900</dateIssued>'
        '<dateIssued encoding="w3cdtf" point="end">1909</dateIssued></originInfo>'
    )
    record = read_mods(origin=origin).record
    assert (record.issued, record.dates) == ("1900", ("1900?",))
    assert record.other_dates == (Date(type="issued", value="1909"),)


def test_subjects_have_their_authority_and_classes_their_scheme():
    record = read_mods(
        '<subject authority="lcsh"><topic>Cats</topic><genre>Fiction</genre></subject>'
        "<subject><geographic>Tokyo</geographic></subject><subject><temporal>Meiji</temporal></subject>"
        '<classification authority="ndc" edition="9">913.6</classification>'
        '<classification authority="lcc">NC1115|b.G63 1885eb</classification>'
    ).record
    assert record.subjects == (
        Subject(value="913.6", scheme="NDC9", uri="http://id.ndl.go.jp/class/ndc9/913.6"),
        Subject(value="NC1115 .G63 1885eb", scheme="LCC"),
        Subject(value="Cats--Fiction", scheme="LCSH"),
    )
    assert (record.spatial, record.temporal) == (("Tokyo",), ("Meiji",))


def test_identifiers_are_read_by_type_and_wrong_ones_are_stored_separately():
    reading = read_mods(
        '<identifier type="isbn">9784101010014 (pbk.)</identifier><identifier type="oclc">907933150</identifier>'
        '<identifier type="isbn" invalid="yes">9784101010010</identifier><identifier type="issn">1234</identifier>'
    )
    assert reading.record.values("ISBN") == ("9784101010014",)
    assert reading.record.values("OCLCNO") == ("907933150",)
    assert [identifier.scheme for identifier in reading.record.invalid_identifiers] == ["ISBN", "ISSN"]
    assert codes(reading) == ["mods.E009"]


def test_the_host_of_an_article_and_the_series_of_a_book_are_read():
    record = read_mods(
        '<relatedItem type="host"><titleInfo><title>例学会誌</title></titleInfo><identifier type="issn">0488-7484'
        '</identifier><part><detail type="volume"><number>12</number></detail><detail type="issue"><number>3</number>'
        '</detail><extent unit="pages"><start>45</start><end>67</end></extent></part></relatedItem>'
        '<relatedItem type="series"><titleInfo><title>選書</title><partNumber>7</partNumber></titleInfo></relatedItem>'
    ).record
    assert record.host == Host(title="例学会誌", volume="12", number="3", pages="45-67", issn=("04887484",))
    assert record.series == (Title(value="選書 ; 7"),)


def test_a_collection_is_not_the_host_of_an_article():
    record = read_mods('<relatedItem type="host"><titleInfo><title>Rare Books</title></titleInfo></relatedItem>').record
    assert record.host == Host()
    assert record.relations == (Relation(type="isPartOf", label="Rare Books"),)


def test_numbers_of_the_original_are_not_those_of_the_copy():
    original = '<relatedItem type="original"><identifier type="oclc">2098733</identifier></relatedItem>'
    record = read_mods(original).record
    assert record.identifiers == ()
    assert record.source_identifiers == (Identifier(scheme="OCLCNO", value="2098733"),)


def test_copies_have_their_library_and_shelf():
    place = "<location><physicalLocation>例図書館</physicalLocation><shelfLocator>913.6||N</shelfLocator></location>"
    assert read_mods(place).record.items == (Item(holding_agent="例図書館", call_number="913.6||N"),)


def test_the_codes_of_a_library_are_kept_beside_its_name():
    place = (
        '<location><physicalLocation authority="isil">JP-1000001</physicalLocation>'
        "<physicalLocation>例図書館</physicalLocation>"
        '<physicalLocation authority="NDLLibCode">2127</physicalLocation></location>'
    )
    record = read_mods(place).record
    isil = Identifier(scheme="ISIL", value="JP-1000001")
    assert record.items == (Item(holding_agent="例図書館", library_code="2127", holding_agent_identifiers=(isil,)),)
    assert read(WRITE(record), "mods").record.items == record.items


def test_a_library_known_by_its_code_only_comes_back_from_what_is_written():
    place = '<location><physicalLocation authority="marcorg">DLC</physicalLocation></location>'
    record = read_mods(place).record
    code = Identifier(scheme="MARC", value="DLC")
    assert record.items == (Item(holding_agent="DLC", holding_agent_identifiers=(code,)),)
    assert read(WRITE(record), "mods").record.items == record.items


def test_a_name_with_an_authority_is_a_name():
    place = '<location><physicalLocation authority="local">例 図書館</physicalLocation></location>'
    assert read_mods(place).record.items == (Item(holding_agent="例 図書館"),)


def test_previews_are_thumbnails_and_access_conditions_are_sorted_by_type():
    record = read_mods(
        '<location><url access="preview">https://opac.example.jp/1.jpg</url></location>'
        '<accessCondition type="restriction on access">館内限定</accessCondition>'
        '<accessCondition type="use and reproduction">Public domain</accessCondition>'
    ).record
    assert record.thumbnails == ("https://opac.example.jp/1.jpg",)
    assert (record.access_rights, record.rights) == (("館内限定",), ("Public domain",))


@pytest.mark.parametrize(
    ("replaced", "code"),
    [
        ({"title": "<titleInfo><title/></titleInfo>"}, "mods.E003"),
        ({"origin": ""}, "mods.W007"),
        ({"page": ""}, "mods.W008"),
        ({"page": "<location><url>x</url></location>"}, "mods.E011"),
    ],
)
def test_missing_elements_are_reported(replaced, code):
    assert code in codes(read_mods(**replaced))


def test_languages_become_codes_and_the_original_language_is_separate():
    reading = read_mods(
        '<language><languageTerm type="code" authority="rfc3066">ja</languageTerm></language>'
        '<language objectPart="original"><languageTerm type="code">eng</languageTerm></language>'
    )
    assert (reading.record.languages, reading.record.original_languages) == (("jpn",), ("eng",))
    assert codes(reading) == ["mods.N010"]


def test_unread_elements_are_listed_as_unmapped():
    root = parse(_MODS.format("<extension/><originInfo><dateOther>1</dateOther></originInfo>").encode())
    assert CROSSWALKS["mods"].unmapped(root) == ["mods:mods/mods:extension", "mods:originInfo/mods:dateOther"]


@RELAXED
@given(RECORD)
def test_any_record_is_stable_after_two_round_trips(record):
    once = read(WRITE(record), "mods").record
    again = read(WRITE(once), "mods").record
    assert read(WRITE(again), "mods").record == again


def test_every_sample_is_rejected_for_its_title_or_survives_a_round_trip(samples):
    read_records = rejected = 0
    for path in sorted((samples / "mods").glob("*.xml")):
        for enclosed in unpack(parse(path.read_bytes())):
            reading = read_element(enclosed.element, "mods")
            if reading.record is None:
                assert "mods.E003" in codes(reading)
                rejected += 1
                continue
            read_records += 1
            assert read(WRITE(reading.record), "mods").record == with_normal_numbers(reading.record), (
                enclosed.identifier
            )
    assert (read_records, rejected) == (258, 18)
