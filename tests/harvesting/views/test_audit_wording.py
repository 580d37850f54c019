"""The audit trail shows codes, fields and rows in the language of the reader."""

import json

import pytest
from django.urls import reverse
from django.utils import translation

from aggregator.models import MatchRuling
from harvesting.audit.trail import note
from harvesting.harvest.start import start
from harvesting.models import AuditEntry, Feed, Repository
from harvesting.registry.registration import register
from harvesting.views.audit_wording import word_entries

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository():
    return register(Repository(name="見本図書館"), [Feed(base_url="https://a.example.jp/oai")])


def worded(language: str) -> list[tuple[str, dict[str, str]]]:
    with translation.override(language):
        return [(wording.about, dict(wording.details)) for wording in word_entries(AuditEntry.objects.all())]


def test_a_started_harvest_is_worded(admin_user, repository):
    start(repository.feeds.get(), admin_user, full=True)
    ((about, details),) = worded("ja")
    assert about.startswith("#")
    assert details == {"種類": "全件"}
    assert worded("en")[0][1] == {"kind": "full"}


@pytest.mark.parametrize("name", ["institution", "house"])
def test_the_identity_provider_of_a_login_is_named_in_new_and_in_older_entries(admin_user, name):
    note(admin_user, "login.bound", "hanako", details={name: "https://login.example.ac.jp"})
    assert worded("ja")[0][1] == {"認証元": "https://login.example.ac.jp"}


def test_changed_fields_are_named_by_their_labels(admin_user, repository):
    note(admin_user, "provider.changed", repository, details={"approved": "False → True", "contact": " → a@b.example"})
    ((_about, details),) = worded("ja")
    assert details == {"職員の承認": "いいえ → はい", "連絡先": "– → a@b.example"}


def test_a_ruling_is_named_in_the_language_of_the_reader(admin_user):
    row = MatchRuling.objects.create(verdict="same", first="R900000001-I1", second="R900000002-I1", reason="同じ本")
    with translation.override("ja"):
        note(admin_user, "match.ruled", row, row.reason)
    assert "the same" in worded("en")[0][0]
    assert "同" in worded("ja")[0][0]
    row.delete()
    assert "同" in worded("en")[0][0]  # the name at the time of the action


def test_a_change_on_the_administration_pages_is_worded(admin_user, repository):
    change = json.dumps([{"changed": {"fields": ["Name"]}}])
    note(admin_user, "admin.changed", repository, details={"table": repository._meta.label, "change": change})
    assert worded("en")[0][1] == {"table": "repository", "change": "Changed Name."}
    assert worded("ja")[0][1]["表"] == "リポジトリ"


def test_words_of_earlier_versions_stay(admin_user, repository):
    note(admin_user, "admin.changed", repository, details={"table": "提供元", "odd": 3, "full": True})
    assert worded("en")[0][1] == {"table": "提供元", "odd": "3", "everything": "yes"}


def test_the_page_and_the_file_show_the_words(admin_client, admin_user, repository):
    start(repository.feeds.get(), admin_user, full=True)
    page = admin_client.get(reverse("trace"), headers={"accept-language": "ja"}).text
    assert "<dt>種類</dt><dd>全件</dd>" in page
    table = b"".join(admin_client.get(reverse("trace_file"), headers={"accept-language": "ja"})).decode()
    assert "種類: 全件" in table
