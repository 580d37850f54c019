"""The system checks: each misuse is named once, a sound installation is not."""

import pytest

from aggregator.checks import check_harvesting, check_site


@pytest.fixture(autouse=True)
def sound(settings, monkeypatch):
    settings.ALLOWED_HOSTS = ["books.example.jp"]
    settings.PUBLIC_URL = "https://books.example.jp"
    settings.HARVEST_CONTACT = "harvest@library.example.jp"
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    monkeypatch.setenv("SECRET_KEY", "only this installation knows")


def ids() -> list[str]:
    return [message.id for message in [*check_site(None), *check_harvesting(None)]]


def test_a_sound_installation_has_no_finding():
    assert ids() == []


def test_a_missing_secret_is_refused_for_a_public_host(monkeypatch):
    monkeypatch.delenv("SECRET_KEY")
    assert ids() == ["aggregator.E002"]


def test_a_missing_secret_is_fine_on_this_machine_alone(settings, monkeypatch):
    monkeypatch.delenv("SECRET_KEY")
    settings.ALLOWED_HOSTS, settings.PUBLIC_URL = ["127.0.0.1", "localhost"], "http://127.0.0.1:8000"
    assert ids() == []


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("DEBUG", True, "aggregator.E001"),
        ("HARVEST_ALLOWED_NETWORKS", ["10.0.0.0/8", "10.0.0.0/99"], "aggregator.E003"),
        ("HARVEST_ALLOWED_NETWORKS", ["127.0.0.0/8:port"], "aggregator.E003"),
        ("CREDENTIALS_KEYS", ["no key"], "aggregator.E007"),
        ("PUBLIC_URL", "books.example.jp", "aggregator.E004"),
        ("PUBLIC_URL", "https://other.example.jp", "aggregator.W002"),
        ("HARVEST_MIN_PAUSE", -1.0, "aggregator.E005"),
        ("HARVEST_DEADLINE", float("nan"), "aggregator.E005"),
        ("HARVEST_CONTACT", "", "aggregator.W001"),
        ("TRUSTED_PROXIES", ["127.0.0.1", "nginx"], "aggregator.E009"),
        ("TRUSTED_PROXIES", [], "aggregator.W005"),
        ("SEARCH_SLOTS", 0.0, "aggregator.E010"),
        ("SEARCH_RATE", float("nan"), "aggregator.E010"),
        ("HARVEST_CONTACT", "the library", "aggregator.E006"),
    ],
)
def test_a_misused_setting_is_named(settings, name, value, found):
    setattr(settings, name, value)
    assert ids() == [found]


@pytest.mark.parametrize("hosts", [[".example.jp"], ["*"], ["books.example.jp"]])
def test_the_published_host_may_be_allowed_in_any_of_djangos_ways(settings, hosts):
    settings.ALLOWED_HOSTS = hosts
    assert ids() == []


def test_a_schema_folder_that_does_not_exist_is_named(settings, tmp_path):
    settings.AGGREGATOR_SCHEMAS = str(tmp_path / "nowhere")
    assert ids() == ["aggregator.E008"]


def test_a_schema_folder_without_schemas_is_named(settings, tmp_path):
    settings.AGGREGATOR_SCHEMAS = str(tmp_path)
    assert ids() == ["aggregator.W003"]


def test_a_schema_that_cannot_be_used_is_named(settings, tmp_path):
    settings.AGGREGATOR_SCHEMAS = str(tmp_path)
    (tmp_path / "oai_dc.xsd").write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        'targetNamespace="http://www.openarchives.org/OAI/2.0/oai_dc/">'
        '<xs:element name="dc" type="absent"/></xs:schema>'
    )
    assert ids() == ["aggregator.W004"]
