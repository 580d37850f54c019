"""Profiles and switches: the severity of issues, which rules may be switched, and that no value is lost."""

from typing import Any

import pytest

from metadata.catalogue import RULES, sentence
from metadata.issue import Issue, Reading, Severity
from metadata.policy import DEFAULT, Policy, Profile, is_switchable, may_count_as
from metadata.reading import check_repository_number, read
from tests.metadata.documents import dcndl, oai_dc

NO_TITLE = oai_dc(title="")
GAIJI = oai_dc(title="<dc:title>外字\ue000の本</dc:title>")


def codes(reading: Reading) -> set[str]:
    return {issue.code for issue in reading.issues}


def switched(code: str, outcome: Severity | None) -> Policy:
    return Policy(switches={code: outcome})


def texts(value: Any) -> set[str]:
    """All texts in a record, with private-use characters replaced as by the rule about them."""
    if isinstance(value, str):
        return {value.replace("\ue000", "〓")}
    inner = value if isinstance(value, tuple) else [getattr(value, name) for name in value.__struct_fields__]
    return {text for part in inner for text in texts(part)}


def test_a_record_error_switched_to_a_warning_does_not_refuse_the_record():
    assert read(NO_TITLE, "oai_dc").record is None
    reading = read(NO_TITLE, "oai_dc", switched("oai_dc.E003", Severity.WARNING))
    assert reading.record is not None
    assert "oai_dc.E003" in codes(reading)


def test_a_rule_that_is_off_is_not_reported():
    reading = read(NO_TITLE, "oai_dc", switched("oai_dc.E003", None))
    assert reading.record is not None
    assert "oai_dc.E003" not in codes(reading)


def test_a_warning_switched_to_a_record_error_refuses_the_record():
    undated = oai_dc(date="")
    assert read(undated, "oai_dc").record is not None
    assert read(undated, "oai_dc", switched("oai_dc.W007", Severity.RECORD_ERROR)).record is None


@pytest.mark.parametrize("outcome", [Severity.WARNING, Severity.INFORMATION, None])
def test_a_less_severe_rule_about_characters_keeps_them(outcome):
    assert read(GAIJI, "oai_dc").record is None
    reading = read(GAIJI, "oai_dc", switched("chars.E015", outcome))
    assert reading.record.title == "外字\ue000の本"


@pytest.mark.parametrize("document", [NO_TITLE, GAIJI, dcndl("<dcterms:issued>昭和の頃</dcterms:issued>")])
@pytest.mark.parametrize("outcome", [Severity.WARNING, Severity.INFORMATION, None])
def test_less_severe_rules_never_lose_a_value(document, outcome):
    """All texts of the record as read with strict rules are in the record as read with mild rules."""
    switchable = list(filter(is_switchable, RULES))
    strict = read(document, "", Policy(switches=dict.fromkeys(switchable, Severity.ITEM_ERROR)))
    mild = read(document, "", Policy(switches=dict.fromkeys(switchable, outcome)))
    assert texts(strict.record) <= texts(mild.record)


@pytest.mark.parametrize("payload", [b"<broken", b"", b"<other/>", b'{"titles": 3}', b"{"])
def test_an_unreadable_payload_is_refused_with_any_switches(payload):
    for outcome in (Severity.INFORMATION, None):
        reading = read(payload, "dcndl", Policy(switches=dict.fromkeys(RULES, outcome)))
        assert reading.record is None
        assert reading.issues


def test_issues_without_a_record_can_become_more_severe_but_not_less():
    for code in ("xml.W001", "oai.W004", "harvest.W003", "file.W004", "rs.W001"):
        assert not is_switchable(code)
        assert may_count_as(code, Severity.RECORD_ERROR)
        assert not may_count_as(code, Severity.INFORMATION)
        assert not may_count_as(code, None)
        assert switched(code, None).severity(code) is Severity.WARNING
        assert switched(code, Severity.RECORD_ERROR).severity(code) is Severity.RECORD_ERROR


def test_no_profile_makes_an_issue_without_a_record_less_severe():
    for code in RULES:
        for profile in Profile:
            if not is_switchable(code):
                counted = Policy(profile=profile).severity(code)
                assert counted is RULES[code].severity or may_count_as(code, counted), code


def test_an_unknown_code_counts_as_information_and_cannot_be_switched():
    assert DEFAULT.severity("dcndl.X999") is Severity.INFORMATION
    assert not may_count_as("dcndl.X999", Severity.WARNING)


def test_the_rule_about_another_repository_number_can_be_switched():
    document = dcndl()
    reading = read(document, "dcndl")
    assert "dcndl.W110" in codes(check_repository_number(reading, "R900000009"))
    assert "dcndl.W110" not in codes(check_repository_number(reading, "R900000009", switched("dcndl.W110", None)))
    strict = check_repository_number(reading, "R900000009", switched("dcndl.W110", Severity.RECORD_ERROR))
    assert strict.record is None


def test_the_message_is_corrected_if_the_severity_is_switched():
    issue = Issue(code="oai_dc.E003", field="dc:title")
    assert "usual treatment" not in sentence(issue, "en", Severity.RECORD_ERROR)
    assert sentence(issue, "en", Severity.WARNING).endswith(
        "it counts as “warning”: in fact the record was registered."
    )
    assert sentence(issue, "ja", Severity.WARNING).endswith(
        "このリポジトリの設定では「警告」に当たるため、実際にはレコードを登録しました。"
    )
    late = Issue(code="oai_dc.W007", field="dc:date")
    assert sentence(late, "en", Severity.RECORD_ERROR).endswith("the record was not registered.")
    assert "characters were kept" in sentence(Issue(code="chars.E005"), "en", Severity.WARNING)
