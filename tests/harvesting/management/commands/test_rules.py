"""`manage.py rules`: every rule for people and for programs."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from metadata.catalogue import RULES
from metadata.issue import Severity
from metadata.policy import Policy, Profile


def rules(*arguments: str) -> list[dict[str, Any]]:
    output = io.StringIO()
    call_command("rules", "--json", *arguments, stdout=output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def plain(*arguments: str) -> str:
    output = io.StringIO()
    call_command("rules", *arguments, stdout=output)
    return output.getvalue()


def test_every_rule_is_listed_with_all_that_is_known_of_it():
    found = {each["code"]: each for each in rules()}
    assert found.keys() == RULES.keys()
    title = found["oai_dc.E003"]
    assert title["severity"] == {each: Policy(profile=each).severity("oai_dc.E003") for each in Profile}
    assert (title["switchable"], found["xml.E001"]["switchable"]) == (True, False)
    assert title["text_ja"].startswith("dc:title がない")
    assert title["text_en"].startswith("dc:title is missing")
    assert title["remedy_ja"]
    assert title["remedy_en"]
    assert title["source"] == RULES["oai_dc.E003"].source
    assert title["example"] == RULES["oai_dc.E003"].example


@pytest.mark.parametrize(("locale", "language"), [("ja_JP.UTF-8", "ja"), ("C.UTF-8", "en")])
def test_the_text_is_in_the_language_of_the_locale(monkeypatch, locale, language):
    monkeypatch.setenv("LC_ALL", locale)
    [each] = [each for each in rules("--prefix", "oai_dc") if each["code"] == "oai_dc.E003"]
    assert each["text"] == each[f"text_{language}"]
    assert each["remedy"] == each[f"remedy_{language}"]


@pytest.mark.parametrize(
    ("prefix", "family"),
    [("dcndl", "dcndl"), ("dcndl_simple", "dcndl_simple"), ("jpcoar_2.0", "jpcoar"), ("xml", "xml")],
)
def test_the_rules_of_one_format(prefix, family):
    assert {each["code"].partition(".")[0] for each in rules("--prefix", prefix)} == {family}


def test_a_format_without_rules_is_refused_with_those_that_have():
    with pytest.raises(CommandError, match=r"dcndl, dcndl_simple") as caught:
        plain("--prefix", "unheard_of")
    assert caught.value.returncode == 2


@pytest.mark.parametrize("profile", list(Profile))
def test_a_profile_lists_what_it_checks_and_what_that_counts_as(profile):
    policy = Policy(profile=profile)
    found = {each["code"]: each["counts_as"] for each in rules("--profile", profile)}
    assert found == {code: policy.severity(code) for code in RULES if policy.severity(code) is not None}


def test_people_read_the_code_the_severity_the_text_and_what_to_do(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    text = plain("--prefix", "json", "--profile", "ndl")
    assert "json.E005  record error\n    There is no title." in text
    assert "    Enter a title." in text


def test_severities_are_told_apart_where_the_profiles_differ(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    differing = [code for code, rule in RULES.items() if set(rule.profiles.values()) - {rule.severity}]
    if not differing:
        pytest.skip("no rule differs by profile")
    code = differing[0]
    assert f"{code}  ndl: " in plain("--prefix", code.partition(".")[0])
    assert isinstance(RULES[code].severity, Severity)
