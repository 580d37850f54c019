"""What earlier versions stored under the rules that `doi.*` replaces is kept under the new codes."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from harvesting.models import IgnoredIssue, IssueCount, RecordIssue, ResolvedIssue, RuleSwitch
from metadata.catalogue import RULES
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
MIGRATION = import_module("harvesting.migrations.0030_rules_for_dois")
JALC = "jpcoar:identifierRegistration[@JaLC]"


@pytest.fixture
def source():
    return Shelf().put("provider", "a1", record("a1"))


def replace():
    MIGRATION.replace(apps, None)


def test_an_issue_of_the_old_rule_becomes_one_for_every_element(source):
    for code, field, value in (
        ("jpcoar.W012", JALC, "jpcoar:volume, publisher, jpcoar:file/jpcoar:URI"),
        ("junii2.W018", "selfDOI/@ra", "x"),
        ("jpcoar.W023", "x", "y"),
    ):
        about = {"code": code, "severity": "warning", "field": field, "value": value}
        RecordIssue.objects.create(source_record=source, repository=source.repository, **about)
    IssueCount.objects.create(repository=source.repository, counts=[["jpcoar.W012", "warning", 1, 1, 0]])
    replace()
    rows = RecordIssue.objects.order_by("code").values_list("code", "severity", "field", "value", "result")
    assert list(rows) == [
        ("doi.E001", "warning", "selfDOI/@ra", "x", ""),
        ("doi.E005", "warning", "jpcoar:file/jpcoar:URI", "JaLC", ""),
        ("doi.E006", "warning", "jpcoar:volume", "JaLC", ""),
        ("doi.I010", "information", "publisher", "JaLC", "出版社不明"),
        ("jpcoar.W023", "warning", "x", "y", ""),
    ]
    counts = IssueCount.objects.get().counts
    assert sorted(row[0] for row in counts) == ["doi.E001", "doi.E005", "doi.E006", "doi.I010"]
    assert [row[2:] for row in counts] == [[1, 1, 0]] * 4


def test_resolved_issues_are_split_too(source):
    ResolvedIssue.objects.create(
        source_record=source,
        repository=source.repository,
        code="jpcoar.W012",
        severity="warning",
        field=JALC,
        value="spage, volume",
        how="mended",
        resolved_at=timezone.now(),
    )
    replace()
    assert set(ResolvedIssue.objects.values_list("code", "value")) == {("doi.E006", "JaLC"), ("doi.I010", "JaLC")}


def test_what_was_decided_about_a_rule_counts_for_those_that_replace_it(source):
    about = {"repository": source.repository, "reason": "いまは直せません", "decided_by": "staff"}
    RuleSwitch.objects.create(code="jpcoar.W012", outcome="off", **about)
    RuleSwitch.objects.create(code="doi.E006", outcome="warning", **about)
    RuleSwitch.objects.create(code="jpcoar.E211", outcome="information", **about)
    IgnoredIssue.objects.create(code="jpcoar.W012", **about)
    IgnoredIssue.objects.create(code="jpcoar.W112", record=source, field="x", **about)
    replace()
    switched = dict(RuleSwitch.objects.values_list("code", "outcome"))
    assert switched["doi.E005"] == "off"
    assert switched["doi.E006"] == "warning"
    assert switched["doi.E001"] == "information"
    assert set(IgnoredIssue.objects.filter(record=None).values_list("code", flat=True)) >= {"doi.E005", "doi.E015"}
    assert IgnoredIssue.objects.exclude(record=None).get().code == "doi.E002"
    codes = {*switched, *IgnoredIssue.objects.values_list("code", flat=True)}
    assert codes <= RULES.keys()


def test_the_page_of_an_old_rule_leads_to_the_new_ones(client):
    page = client.get("/rules/jpcoar.W012", headers={"Accept-Language": "ja"})
    assert 'href="/rules/doi.E006"' in page.text
    assert "置き換わりました" in page.text
    assert client.get("/rules/jpcoar.E999").status_code == 404
