"""Profiles and switches: what a finding counts as, what may be switched, and what a record loses by it: nothing."""

from typing import Any

import pytest

from metadata.catalogue import RULES, sentence
from metadata.issue import Issue, Reading, Severity
from metadata.policy import DEFAULT, Policy, Profile, is_switchable, may_count_as
from metadata.reading import checked_number, read
from tests.metadata.documents import dcndl, oai_dc

NO_TITLE = oai_dc(title="")
GAIJI = oai_dc(title="<dc:title>外字\ue000の本</dc:title>")


def codes(reading: Reading) -> set[str]:
    return {issue.code for issue in reading.issues}


def switched(code: str, outcome: Severity | None) -> Policy:
    return Policy(switches={code: outcome})


def texts(value: Any) -> set[str]:
    """All texts in a record, with the character that stands for an unreadable one in its place."""
    if isinstance(value, str):
        return {value.replace("\ue000", "〓")}
    inner = value if isinstance(value, tuple) else [getattr(value, name) for name in value.__struct_fields__]
    return {text for each in inner for text in texts(each)}


def test_a_record_error_that_is_switched_to_a_warning_refuses_no_longer():
    assert read(NO_TITLE, "oai_dc").record is None
    reading = read(NO_TITLE, "oai_dc", switched("oai_dc.E003", Severity.WARNING))
    assert reading.record is not None
    assert "oai_dc.E003" in codes(reading)


def test_a_rule_that_is_off_is_not_told():
    reading = read(NO_TITLE, "oai_dc", switched("oai_dc.E003", None))
    assert reading.record is not None
    assert "oai_dc.E003" not in codes(reading)


def test_a_warning_can_be_made_to_refuse():
    undated = oai_dc(date="")
    assert read(undated, "oai_dc").record is not None
    assert read(undated, "oai_dc", switched("oai_dc.W007", Severity.RECORD_ERROR)).record is None


@pytest.mark.parametrize("outcome", [Severity.WARNING, Severity.INFORMATION, None])
def test_lowering_a_rule_about_characters_keeps_them(outcome):
    assert read(GAIJI, "oai_dc").record is None
    reading = read(GAIJI, "oai_dc", switched("chars.E015", outcome))
    assert reading.record.title == "外字\ue000の本"


@pytest.mark.parametrize("document", [NO_TITLE, GAIJI, dcndl("<dcterms:issued>昭和の頃</dcterms:issued>")])
@pytest.mark.parametrize("outcome", [Severity.WARNING, Severity.INFORMATION, None])
def test_lowering_never_loses_a_value(document, outcome):
    """Whatever is lowered, each text of the record as it was read before is in it still."""
    switchable = list(filter(is_switchable, RULES))
    strict = read(document, "", Policy(switches=dict.fromkeys(switchable, Severity.ITEM_ERROR)))
    mild = read(document, "", Policy(switches=dict.fromkeys(switchable, outcome)))
    assert texts(strict.record) <= texts(mild.record)


@pytest.mark.parametrize("payload", [b"<broken", b"", b"<other/>", b'{"titles": 3}', b"{"])
def test_what_cannot_be_read_is_refused_whatever_is_switched(payload):
    for outcome in (Severity.INFORMATION, None):
        reading = read(payload, "dcndl", Policy(switches=dict.fromkeys(RULES, outcome)))
        assert reading.record is None
        assert reading.issues


def test_findings_without_a_record_can_count_as_worse_and_never_as_less():
    for code in ("xml.W001", "oai.W004", "harvest.W003", "file.W004", "rs.W001"):
        assert not is_switchable(code)
        assert may_count_as(code, Severity.RECORD_ERROR)
        assert not may_count_as(code, Severity.INFORMATION)
        assert not may_count_as(code, None)
        assert switched(code, None).severity(code) is Severity.WARNING
        assert switched(code, Severity.RECORD_ERROR).severity(code) is Severity.RECORD_ERROR


def test_no_profile_makes_a_finding_without_a_record_harmless():
    for code in RULES:
        for profile in Profile:
            if not is_switchable(code):
                counted = Policy(profile=profile).severity(code)
                assert counted is RULES[code].severity or may_count_as(code, counted), code


def test_a_code_of_an_earlier_version_counts_as_information_and_cannot_be_switched():
    assert DEFAULT.severity("dcndl.X999") is Severity.INFORMATION
    assert not may_count_as("dcndl.X999", Severity.WARNING)


def test_another_repository_number_can_be_told_louder_or_not_at_all():
    document = dcndl()
    reading = read(document, "dcndl")
    assert "dcndl.W110" in codes(checked_number(reading, "R900000009"))
    assert "dcndl.W110" not in codes(checked_number(reading, "R900000009", switched("dcndl.W110", None)))
    strict = checked_number(reading, "R900000009", switched("dcndl.W110", Severity.RECORD_ERROR))
    assert strict.record is None


def test_the_sentence_is_corrected_where_the_rule_counts_otherwise():
    issue = Issue(code="oai_dc.E003", field="dc:title")
    assert "usual treatment" not in sentence(issue, "en", Severity.RECORD_ERROR)
    assert sentence(issue, "en", Severity.WARNING).endswith(
        "it counts as “warning”: in fact the record was registered."
    )
    assert sentence(issue, "ja", Severity.WARNING).endswith(
        "このリポジトリの設定では「ワーニング」に当たるため、実際にはレコードを登録しました。"
    )
    late = Issue(code="oai_dc.W007", field="dc:date")
    assert sentence(late, "en", Severity.RECORD_ERROR).endswith("the record was not registered.")
    assert "characters were kept" in sentence(Issue(code="chars.E005"), "en", Severity.WARNING)
