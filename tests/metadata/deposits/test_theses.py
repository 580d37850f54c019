"""What keeps a doctoral thesis from being handed over to the NDL; every rule has a record that breaks it alone."""

import datetime
import re

import msgspec
import pytest

from metadata.catalogue import RULES, remedy, sentence, source
from metadata.deposits.theses import UNTIL_A_DAY, is_collected, needs
from metadata.policy import is_switchable, may_count_as
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Date, File, Identifier, MaterialType, Title
from tests.metadata.deposits.payloads import payloads_of

TODAY = datetime.date(2026, 1, 10)
UNIVERSITY = Agent(name="見本大学", identifiers=(Identifier(scheme="kakenhi", value="12601"),))
DAY = datetime.timedelta(days=1)
CODES = sorted(code for code in RULES if code.startswith("thesis."))


def granted(date: str) -> dict[str, tuple[Date, ...]]:
    return {"other_dates": (Date(type="dateGranted", value=date),)}


THESIS = BibliographicRecord(
    titles=(Title(value="見本の研究", language="ja"),),
    creators=(Agent(name="見本, 花子"),),
    material_types=(MaterialType(label="doctoral thesis"),),
    issued="2017-03-25",
    languages=("jpn",),
    access_rights=("open access",),
    dissertation_numbers=("甲第5384号",),
    degree_names=("博士（文学）",),
    degree_grantors=(UNIVERSITY,),
    files=(File(uri="https://a.example.jp/1.pdf", type="fulltext"),),
    see_also=("https://a.example.jp/records/1",),
    **granted("2017-03-25"),
)


def thesis(**changes: object) -> BibliographicRecord:
    return msgspec.structs.replace(THESIS, **changes)


def embargoed(until: str) -> dict[str, object]:
    dates = (*THESIS.other_dates, *((Date(type="available", value=until),) if until else ()))
    return {"access_rights": ("embargoed access",), "other_dates": dates}


def codes(record: BibliographicRecord, today: datetime.date = TODAY) -> list[str]:
    return [issue.code for issue in needs(record, today)]


BROKEN = [
    ("thesis.E001", {"dissertation_numbers": ()}),
    ("thesis.E101", {"dissertation_numbers": ("甲5384",)}),
    ("thesis.E101", {"dissertation_numbers": ("甲第５３８４号",)}),
    ("thesis.E101", {"dissertation_numbers": ("12601甲第5384号",)}),
    ("thesis.E002", {"degree_names": (" ",)}),
    ("thesis.E003", {"other_dates": ()}),
    ("thesis.E103", granted("2017-03")),
    ("thesis.E103", granted("2017-02-30")),
    ("thesis.E103", granted("平成29年3月")),
    ("thesis.E203", granted("2026-01-11")),
    ("thesis.E004", {"degree_grantors": (Agent(name="", identifiers=UNIVERSITY.identifiers),)}),
    ("thesis.E104", {"degree_grantors": (Agent(name="見本大学"),)}),
    ("thesis.E104", {"degree_grantors": (Agent(name="見本", identifiers=(Identifier(scheme="ROR", value="12601"),)),)}),
    ("thesis.E104", {"degree_grantors": (Agent(name="見本", identifiers=(Identifier(scheme="kakenhi", value="1"),)),)}),
    ("thesis.E005", {"creators": ()}),
    ("thesis.E006", {"languages": ()}),
    ("thesis.E006", {"languages": ("und",)}),
    ("thesis.E010", {"files": (File(uri="https://a.example.jp/1.pdf", type="abstract"),)}),
    ("thesis.E010", {"files": (), "access_rights": ()}),
    ("thesis.E010", {"files": (), **embargoed("2020-04-01")}),
    ("thesis.E011", {"files": (), **embargoed("")}),
    ("thesis.E011", embargoed("2026")),
    ("thesis.I110", embargoed("2026-01-11")),
    ("thesis.I010", {"files": (), "access_rights": ("metadata only access",)}),
    ("thesis.I010", {"access_rights": ("restricted access",)}),
]


@pytest.mark.parametrize(("code", "changes"), BROKEN)
def test_one_fault_is_one_issue(code, changes):
    assert codes(thesis(**changes)) == [code]


def test_every_rule_has_such_a_record_and_texts_in_both_languages():
    assert sorted({code for code, _changes in BROKEN}) == CODES
    for code, changes in BROKEN:
        [issue] = needs(thesis(**changes), TODAY)
        for language in ("ja", "en"):
            assert sentence(issue, language)
            assert remedy(issue, language)
            assert not re.search(r"[{}]", sentence(issue, language))
        assert source(code, "ja")
        assert 0 < len(RULES[code].example) <= 200
        assert not is_switchable(code)
        assert not may_count_as(code, RULES[code].severity)


@pytest.mark.parametrize("number", ["甲第5384号", "乙第理学2345号", "甲理工第4452号", "第331号", "他第1号"])
def test_numbers_in_the_forms_of_junii2_and_jpcoar_are_right(number):
    assert codes(thesis(dissertation_numbers=(number,))) == []


def test_a_complete_thesis_is_ready_and_an_unknown_access_does_not_stop_it():
    assert codes(THESIS) == []
    assert codes(thesis(access_rights=())) == []
    assert codes(thesis(**embargoed("2026-01-10"))) == []


@pytest.mark.parametrize(("code", "changes"), [row for row in BROKEN if row[0] in UNTIL_A_DAY])
def test_what_goes_away_as_time_passes_comes_first(code, changes):
    several = thesis(**changes, degree_names=(), languages=())
    assert codes(several)[0] == code
    assert codes(several, TODAY + DAY) == ["thesis.E002", "thesis.E006"]


@pytest.mark.parametrize(
    ("changes", "collected"),
    [
        ({}, True),
        (granted("2013-04-01"), True),
        (granted("2013-03-31"), False),
        (granted("2013-04"), True),
        (granted("2013"), True),  # the day is asked for
        (granted("2012"), False),
        (granted("平成29年3月"), True),  # the year of issue decides
        ({"other_dates": ()}, True),
        ({"other_dates": (), "issued": "1999"}, False),
        ({"other_dates": (), "issued": ""}, False),
        ({"material_types": (MaterialType(label="master thesis"),)}, False),
        (
            {"material_types": (MaterialType(label="博士論文", uri="http://ndl.go.jp/ndltype/DoctoralDissertation"),)},
            False,
        ),
        ({"material_types": ()}, False),
    ],
)
def test_doctoral_theses_since_april_2013_are_collected(changes, collected):
    assert is_collected(thesis(**changes)) is collected


def test_what_is_not_registered_is_not_collected():
    assert not is_collected(None)


# What lacks in the cases of JPCOAR's validator; every other sample of a thesis is complete.
LACKING = {
    "31_dissertationNumber__dissertation_details_not_found.xml": ["thesis.E001"],
    "32_degreeName__dissertation_details_not_found.xml": ["thesis.E002"],
    "33_dateGranted__dissertation_details_not_found.xml": ["thesis.E003"],
    "34_degreeGrantor__dissertation_details_not_found.xml": ["thesis.E004", "thesis.E104"],
    "34_degreeGrantor__name_identifier_scheme_kakenhi_missing.xml": ["thesis.E104"],
}


def test_every_sample_of_a_thesis(samples):
    found = {}
    for path in sorted(samples.glob("jpcoar_*/*.xml")):
        if "constructed" not in path.name:
            record = read(path.read_bytes(), "jpcoar").record
            if record is not None and is_collected(record):
                found.setdefault(path.name, set()).add(tuple(codes(record)))
    assert len(found) > 15
    assert {name: list(*lacking) for name, lacking in found.items() if lacking != {()}} == LACKING


def test_every_thesis_in_the_lists_of_samples(samples):
    """Lists made of the samples, in JPCOAR and junii2: the theses that are registered are complete."""
    found = []
    for path in sorted([*samples.glob("jpcoar_*/constructed*.xml"), *samples.glob("junii2/constructed_list*.xml")]):
        for payload in payloads_of(path):
            record = read(payload, path.parent.name.partition("_")[0]).record
            if record is not None and is_collected(record):
                found.append((path.parent.name, *codes(record)))
    assert sorted(found) == sorted([(name,) for name in ("jpcoar_1.0", "jpcoar_2.0", "jpcoar_2.1", "junii2")] * 2)
