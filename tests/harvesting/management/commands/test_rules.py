"""`manage.py rules`: every rule as text and as JSON Lines."""

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


def rules_as_text(*arguments: str) -> str:
    output = io.StringIO()
    call_command("rules", *arguments, stdout=output)
    return output.getvalue()


def test_every_rule_is_listed_with_all_its_facts():
    by_code = {row["code"]: row for row in rules()}
    assert by_code.keys() == RULES.keys()
    title = by_code["oai_dc.E003"]
    assert title["severity"] == {profile: Policy(profile=profile).severity("oai_dc.E003") for profile in Profile}
    assert (title["switchable"], by_code["xml.E001"]["switchable"]) == (True, False)
    assert title["text_ja"].startswith("dc:title がない")
    assert title["text_en"].startswith("dc:title is missing")
    assert title["remedy_ja"]
    assert title["remedy_en"]
    assert title["source"] == RULES["oai_dc.E003"].source
    assert title["example"] == RULES["oai_dc.E003"].example


@pytest.mark.parametrize(("locale", "language"), [("ja_JP.UTF-8", "ja"), ("C.UTF-8", "en")])
def test_the_text_is_in_the_language_of_the_locale(monkeypatch, locale, language):
    monkeypatch.setenv("LC_ALL", locale)
    [title] = [row for row in rules("--prefix", "oai_dc") if row["code"] == "oai_dc.E003"]
    assert title["text"] == title[f"text_{language}"]
    assert title["remedy"] == title[f"remedy_{language}"]


@pytest.mark.parametrize(
    ("prefix", "family"),
    [("dcndl", "dcndl"), ("dcndl_simple", "dcndl_simple"), ("jpcoar_2.0", "jpcoar"), ("xml", "xml")],
)
def test_the_rules_of_one_format_are_listed(prefix, family):
    assert {row["code"].partition(".")[0] for row in rules("--prefix", prefix)} == {family}


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(CommandError, match=r"dcndl, dcndl_simple") as caught:
        rules_as_text("--prefix", "unheard_of")
    assert caught.value.returncode == 2


@pytest.mark.parametrize("profile", list(Profile))
def test_a_profile_lists_the_rules_it_checks_with_their_severities(profile):
    policy = Policy(profile=profile)
    listed = {row["code"]: row["counts_as"] for row in rules("--profile", profile)}
    assert listed == {code: policy.severity(code) for code in RULES if policy.severity(code) is not None}


def test_the_text_shows_code_severity_sentence_and_remedy(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    text = rules_as_text("--prefix", "json", "--profile", "ndl")
    assert "json.E005  record error\n    The record has no title." in text
    assert "    Enter a title." in text


def test_severities_are_listed_by_profile_where_they_differ(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    differing = [code for code, rule in RULES.items() if set(rule.profiles.values()) - {rule.severity}]
    if not differing:
        pytest.skip("no rule differs by profile")
    code = differing[0]
    assert f"{code}  ndl: " in rules_as_text("--prefix", code.partition(".")[0])
    assert isinstance(RULES[code].severity, Severity)
