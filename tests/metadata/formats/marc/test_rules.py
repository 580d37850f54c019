"""The rules of MARC 21 one by one: control fields, title, numbers, and other scripts."""

import pytest

from metadata.catalogue import RULES
from metadata.policy import Policy, Profile
from metadata.reading import read
from tests.metadata.documents import codes

LEADER = "00000nam a2200000 i 4500"
FIXED = "190201s2019    ja            000 0 jpn  "
TITLE = '<datafield tag="245" ind1="0" ind2="0"><subfield code="a">見本研究</subfield></datafield>'
NAMESPACE = ' xmlns="http://www.loc.gov/MARC21/slim"'


def read_marc(
    *fields: str, leader: str = LEADER, number: str = "1", fixed: str = FIXED, title: str = TITLE, ns=NAMESPACE
):
    control = f'<controlfield tag="001">{number}</controlfield><controlfield tag="008">{fixed}</controlfield>'
    document = f"<record{ns}><leader>{leader}</leader>{control}{title}{''.join(fields)}</record>"
    return read(document.encode(), "marcxml")


def field(tag: str, *subfields: str) -> str:
    inner = "".join(f'<subfield code="{text[0]}">{text[1:]}</subfield>' for text in subfields)
    return f'<datafield tag="{tag}" ind1=" " ind2=" ">{inner}</datafield>'


BOOK, SET = "a9784101010014", "a9784101010014 (set)"
PIECES = [
    ("N001", {"ns": ""}, ()),
    ("W002", {"leader": "nam a22 4500"}, ()),
    ("W102", {"number": ""}, ()),
    ("W202", {"fixed": "190201s2019"}, ()),
    ("E003", {"title": field("245", "c見本太郎著")}, ()),
    ("E103", {}, (field("245", "aSample studies"),)),
    ("E004", {"title": field("200", "a見本研究")}, ()),
    ("W005", {}, (field("020", BOOK), field("020", "a9784000000017"))),
    ("E105", {}, (field("020", SET), field("020", BOOK))),
    ("W006", {}, (field("880", "6245-03/$1", "aミホン ケンキュウ"),)),
    (
        "W006",
        {"title": TITLE.replace('<subfield code="a">', '<subfield code="6">880-01</subfield><subfield code="a">')},
        (),
    ),
    ("W106", {}, (field("880", "6500-00/jp", "aミホン"),)),
    ("I007", {"leader": LEADER.replace("nam", "dam")}, ()),
    ("W007", {"fixed": FIXED.replace("2019", "    ")}, ()),
    ("E009", {}, (field("020", "a9784101010015"),)),
    ("N010", {}, (field("041", "aja"),)),
    ("W010", {}, (field("041", "axxq"),)),
    ("W302", {"leader": LEADER.replace("nam", "nzm")}, ()),
]


@pytest.mark.parametrize(("code", "replaced", "added"), PIECES)
def test_a_record_that_breaks_a_rule_is_reported(code, replaced, added):
    assert f"marcxml.{code}" in codes(read_marc(*added, **replaced))


def test_every_rule_code_is_tested():
    assert {f"marcxml.{code}" for code, _, _ in PIECES} == {code for code in RULES if code.startswith("marcxml.")}


def test_a_correct_record_has_no_issues():
    linked = field("880", "6245-01/$1", "aミホン ケンキュウ"), field("880", "6245-01/(B", "aMihon kenkyu")
    title = TITLE.replace('<subfield code="a">', '<subfield code="6">880-01</subfield><subfield code="a">')
    reading = read_marc(*linked, field("020", BOOK), field("020", "a9784000000017 (set)"), title=title)
    assert codes(reading) == []
    assert reading.record.titles[0].transcription == "ミホン ケンキュウ"


def test_records_without_a_readable_title_are_not_registered():
    assert read_marc(title=field("245", "c見本太郎著")).record is None
    assert read_marc(title=field("200", "a見本研究")).record is None


def test_the_isbn_of_a_set_is_not_that_of_its_volume():
    record = read_marc(field("020", SET), field("020", BOOK)).record
    assert (record.values("ISBN"), record.values("SetISBN")) == ((), ("9784101010014",))


def test_a_wrong_fixed_field_is_only_information_in_the_lax_profile():
    lax, ndl = (Policy(profile=profile).severity("marcxml.W202") for profile in (Profile.LAX, Profile.NDL))
    assert (lax, ndl) == ("information", "warning")
