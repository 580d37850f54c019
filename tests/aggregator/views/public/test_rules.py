"""The public pages about the validation rules."""

import re

import pytest

from metadata.catalogue import RULES
from metadata.issue import Severity
from metadata.policy import Policy, Profile
from tests.aggregator.views import shelf as shelves

pytestmark = pytest.mark.django_db
EN = {"accept-language": "en"}
LINK = re.compile(r'href="/rules/([a-z][a-z0-9_]*\.[A-Z]\d{3})"')


def listed(client, query: str = "") -> list[str]:
    answer = client.get(f"/rules/{query}", headers=EN)
    assert answer.status_code == 200
    return LINK.findall(answer.text)


def test_the_list_has_every_rule_once(client):
    assert sorted(listed(client)) == sorted(RULES)


def test_the_list_is_narrowed_by_format_severity_and_words(client):
    assert set(listed(client, "?format=oai_dc")) == {code for code in RULES if code.startswith("oai_dc.")}
    errors = listed(client, "?format=oai_dc&severity=record_error&profile=ndl")
    assert errors == [code for code in errors if RULES[code].severity is Severity.RECORD_ERROR]
    assert "oai_dc.E003" in errors
    assert "xml.E002" in listed(client, "?q=doctype")
    assert "chars.E005" in listed(client, "?q=外字")
    assert listed(client, "?q=chars.e005") == ["chars.E005"]


@pytest.mark.parametrize("profile", list(Profile))
def test_a_profile_lists_the_rules_that_it_checks(client, profile):
    policy = Policy(profile=profile)
    checked = {code for code in RULES if policy.severity(code) is not None}
    assert set(listed(client, f"?profile={profile}")) == checked


def test_an_empty_list_links_back_to_all_rules(client):
    page = client.get("/rules/?q=nonsenseword", headers=EN).text
    assert "No rules match." in page
    assert 'href="/rules/"' in page


@pytest.mark.parametrize("query", ["?format=none", "?severity=bad", "?profile=x", "?colour=blue", "?q=" + "a" * 500])
def test_a_bad_parameter_is_refused_with_the_reason(client, query):
    answer = client.get(f"/rules/{query}", headers=EN)
    assert answer.status_code == 400
    assert query[1:].partition("=")[0] in answer.text


def test_a_rule_shows_its_text_its_source_and_its_providers(client):
    page = client.get("/rules/oai_dc.E003", headers=EN).text
    for text in ("oai_dc.E003", "dc:title is missing", "The record is not registered.", RULES["oai_dc.E003"].source):
        assert text in page
    assert "None at the providers listed on this site." in page
    japanese = client.get("/rules/oai_dc.E003", headers={"accept-language": "ja"}).text
    assert "dc:title がない" in japanese
    assert "国立国会図書館サーチ連携ガイドライン 2.3、表2-2；本システムの規則" in japanese


def test_a_rule_that_cannot_be_switched_off_says_so(client):
    assert "severity cannot be lowered" in client.get("/rules/xml.E001", headers=EN).text
    assert "severity cannot be lowered" not in client.get("/rules/oai_dc.E003", headers=EN).text


def test_a_silent_rule_says_that_it_is_only_counted(client):
    assert "recorded for each harvest" in client.get("/rules/chars.N012", headers=EN).text


def test_an_unknown_rule_is_not_found(client):
    assert client.get("/rules/oai_dc.E999").status_code == 404
    assert client.get("/rules/nonsense").status_code == 404


def test_a_rule_counts_the_current_records_of_listed_providers(client, shelf, library, archive):
    for _number in range(3):
        source = shelf.record(library)
        for _twice in range(2):
            shelf.issue(source, "dcndl.W012", "warning")
    shelf.issue(shelf.record(archive), "dcndl.W012", "warning")
    shelf.issue(shelf.record(archive, deleted=True), "dcndl.W012", "warning")
    stopped = shelves.repository("R900000009", state="stopped", name_en="Closed Library")
    shelf.issue(shelf.record(stopped), "dcndl.W012", "warning")
    page = client.get("/rules/dcndl.W012", headers=EN).text
    assert "<dd>4</dd>" in page
    assert "3 records" in page
    assert 'href="/repositories/R900000001#findings"' in page
    assert "Closed Library" not in page


def test_queries_do_not_grow_with_the_records_and_providers(client, shelf, django_assert_max_num_queries):
    for number in range(8):
        owner = shelves.repository(f"R9000001{number:02}")
        for _number in range(3):
            shelf.issue(shelf.record(owner), "dcndl.W012", "warning")
    with django_assert_max_num_queries(4):
        client.get("/rules/dcndl.W012")
    with django_assert_max_num_queries(0):
        client.get("/rules/")


def test_the_pages_of_providers_and_records_link_to_the_rule(client, shelf, library):
    source = shelf.record(library)
    shelf.issue(source, "dcndl.W012", "warning", field="identifier", value="x", result="what stands there now")
    shelf.issue(source, "dcndl.X999", "warning")
    for address in ("/repositories/R900000001", f"/books/{source.public_id}?source=1"):
        page = client.get(address, headers=EN).text
        assert 'href="/rules/dcndl.W012"' in page
        assert "value registered: " in page
        assert "what stands there now" in page
        assert "/rules/dcndl.X999" not in page
    assert 'href="/rules/"' in page  # in the footer


def test_issues_of_one_rule_are_listed_by_severity(client, shelf, library):
    for severity in ("warning", "warning", "record_error"):
        shelf.issue(shelf.record(library), "dcndl.E003", severity)
    page = client.get("/repositories/R900000001", headers=EN).text
    assert "2 times" in page
    assert "1 time<" in page


def test_a_providers_page_links_to_its_profile(client, library):
    assert '<a href="/rules/?profile=ndl">' in client.get("/repositories/R900000001").text


def test_a_slash_after_the_code_redirects_to_the_page(client):
    answer = client.get("/rules/oai_dc.E003/")
    assert (answer.status_code, answer["location"]) == (302, "/rules/oai_dc.E003")
