"""The system checks: every misused setting is reported once, and a sound installation has no messages."""

import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
from django.db.migrations.recorder import MigrationRecorder
from redis.exceptions import ConnectionError as RedisConnectionError

from aggregator.checks.machine import check_machine, check_services
from aggregator.checks.public import check_public
from aggregator.checks.settings import check_harvesting, check_site
from core.database.dialects.postgresql import PostgreSQL
from core.database.dialects.sqlite import SQLite
from tests.paths import ROOT

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def sound(settings, monkeypatch, tmp_path):
    settings.ALLOWED_HOSTS = ["books.example.jp"]
    settings.PUBLIC_URL = "https://books.example.jp"
    settings.HARVEST_CONTACT = "harvest@library.example.jp"
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    settings.SECRET_KEY = "a text that only this installation knows, and that is long"
    settings.CREDENTIALS_KEYS = ["GFhyVBEqzYqHf9kF5LQdF0bTeV1lbDLOdRb8eS2aR4g="]
    settings.DATA_DIR = tmp_path
    settings.REDIS_URL = ""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("SECRET_KEY", settings.SECRET_KEY)


def ids() -> list[str]:
    checks = (check_site, check_harvesting, check_public, check_machine)
    return [message.id for check in checks for message in check(None)]


def test_a_sound_installation_has_no_messages():
    assert ids() == []


def test_a_missing_secret_is_refused_for_a_public_host(monkeypatch):
    monkeypatch.delenv("SECRET_KEY")
    assert ids() == ["aggregator.E002"]


def test_a_missing_secret_is_accepted_if_only_this_machine_is_served(settings, monkeypatch):
    monkeypatch.delenv("SECRET_KEY")
    settings.ALLOWED_HOSTS, settings.PUBLIC_URL = ["127.0.0.1", "localhost"], "http://127.0.0.1:8000"
    assert ids() == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
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
        ("SECRET_KEY", "short", "aggregator.E015"),
        ("SECRET_KEY", "a" * 60, "aggregator.E015"),
        ("PUBLIC_URL", "http://books.example.jp", "aggregator.E016"),
        ("ALLOWED_HOSTS", ["*", "books.example.jp"], "aggregator.E017"),
        ("CREDENTIALS_KEYS", [], "aggregator.E018"),
        ("TRUSTED_PROXIES", ["0.0.0.0/0"], "aggregator.E019"),
        ("TRUSTED_PROXIES", ["::/0"], "aggregator.E019"),
        ("LOG_FORMAT", "xml", "aggregator.E021"),
        ("METRICS_TOKEN", "short", "aggregator.E022"),
        ("METRICS_NETWORKS", ["our house"], "aggregator.E028"),
        ("DATA_DIR", "/nowhere", "aggregator.E024"),
    ],
)
def test_a_misused_setting_is_reported(settings, name, value, expected):
    setattr(settings, name, value)
    assert ids() == [expected]


@pytest.mark.parametrize("hosts", [[".example.jp"], ["books.example.jp"]])
def test_the_public_host_may_be_listed_in_any_form_that_django_accepts(settings, hosts):
    settings.ALLOWED_HOSTS = hosts
    assert ids() == []


def test_a_schema_folder_that_does_not_exist_is_reported(settings, tmp_path):
    settings.AGGREGATOR_SCHEMAS = str(tmp_path / "nowhere")
    assert ids() == ["aggregator.E008"]


def test_a_schema_folder_without_schemas_is_reported(settings, tmp_path):
    settings.AGGREGATOR_SCHEMAS = str(tmp_path)
    assert ids() == ["aggregator.W003"]


def test_a_schema_that_cannot_be_used_is_reported(settings, tmp_path):
    settings.AGGREGATOR_SCHEMAS = str(tmp_path)
    (tmp_path / "oai_dc.xsd").write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        'targetNamespace="http://www.openarchives.org/OAI/2.0/oai_dc/">'
        '<xs:element name="dc" type="absent"/></xs:schema>'
    )
    assert ids() == ["aggregator.W004"]


@pytest.mark.parametrize("hosts", [["127.0.0.1"], ["10.1.2.3"], ["catalogue.local"], ["catalogue"]])
def test_local_networks_may_do_without_encryption(settings, hosts):
    settings.ALLOWED_HOSTS, settings.PUBLIC_URL = hosts, f"http://{hosts[0]}"
    assert ids() == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://queue.example.jp/0", ["aggregator.E020"]),
        ("redis://8.8.8.8/0", ["aggregator.E020"]),
        ("rediss://:long%20password@queue.example.jp/0", []),
        ("redis://10.0.0.5/0", []),
        ("redis://queue:6379/0", []),
        ("unix:///srv/data/valkey/socket?db=0", []),
    ],
)
def test_a_queue_server_on_a_public_address_needs_a_password(settings, url, expected):
    settings.REDIS_URL = url
    assert [code for code in ids() if code == "aggregator.E020"] == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://127.0.0.1:6379/0", ["aggregator.W011"]),
        ("redis://localhost/0", ["aggregator.W011"]),
        ("redis://:password@127.0.0.1:6379/0", []),
        ("unix:///run/redis/redis-server.sock?db=0", []),
        ("", []),
    ],
)
def test_a_queue_server_that_every_user_of_the_machine_can_reach_is_reported(settings, url, expected):
    settings.REDIS_URL = url
    assert [code for code in ids() if code == "aggregator.W011"] == expected


@pytest.mark.parametrize(("database", "expected"), [(SQLite(), ["aggregator.W006"]), (PostgreSQL(), [])])
def test_sqlite_with_a_queue_on_another_machine_is_reported(settings, monkeypatch, database, expected):
    monkeypatch.setattr("aggregator.checks.public.dialect", lambda: database)
    settings.REDIS_URL = "redis://10.0.0.5/0"
    assert ids() == expected


def test_a_data_folder_open_to_everybody_is_refused(tmp_path):
    tmp_path.chmod(0o755)
    assert ids() == ["aggregator.E025"]


def test_a_disk_that_is_nearly_full_is_reported(monkeypatch):
    monkeypatch.setattr("aggregator.checks.machine.shutil.disk_usage", lambda _folder: Usage(1000, 990, 10))
    assert ids() == ["aggregator.W007"]


def test_sentry_without_its_package_is_reported(settings, monkeypatch):
    settings.SENTRY_DSN = "https://key@sentry.example.jp/1"
    monkeypatch.setattr("aggregator.checks.public.find_spec", lambda _name: None)
    assert ids() == ["aggregator.E023"]


def test_shared_files_without_the_packages_are_reported(settings, monkeypatch):
    settings.FILES_URL = "s3://books/site"
    assert ids() == []
    monkeypatch.setattr("aggregator.checks.settings.find_spec", lambda _name: None)
    assert ids() == ["aggregator.E034"]


@pytest.mark.parametrize(
    "url", ["books", "https://s3.example.jp/books", "s3://", "s3://key:secret@books", "s3://b?x=1"]
)
def test_an_unusable_place_of_shared_files_is_reported_without_the_secrets_in_it(settings, url):
    settings.FILES_URL = url
    assert ids() == ["aggregator.E035"]


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        ("/dev/vda / ext4 rw 0 0\n", []),
        ("/dev/vda / ext4 rw 0 0\nnas:/x {place} nfs4 rw 0 0\n", ["aggregator.E033"]),
        ("nas:/x {above} nfs rw 0 0\n/dev/vdb {place} xfs rw 0 0\n", []),
        ("/dev/vdb {place} xfs rw 0 0\nme@nas: {place} fuse.sshfs rw 0 0\n", ["aggregator.E033"]),
        ("/dev/vda / ext4 rw 0 0\nnas:/x {place}-other nfs4 rw 0 0\n", []),
    ],
)
def test_a_data_folder_on_another_machine_is_refused(settings, tmp_path, monkeypatch, mounts, expected):
    settings.DATA_DIR = tmp_path / "the data"
    settings.DATA_DIR.mkdir(mode=0o700)
    (tmp_path / "mounts").write_text(
        mounts.format(place=str(settings.DATA_DIR).replace(" ", "\\040"), above=str(tmp_path))
    )
    monkeypatch.setattr("aggregator.checks.machine.MOUNTS", tmp_path / "mounts")
    assert ids() == expected


class Queue:
    """A queue server with this eviction policy; without one, a server that does not answer."""

    def __init__(self, policy: str = "") -> None:
        self.policy = policy

    def info(self, _section: str) -> dict[str, str]:
        if not self.policy:
            raise RedisConnectionError("nobody there")
        return {"maxmemory_policy": self.policy}


@pytest.mark.parametrize(
    ("policy", "expected"), [("noeviction", []), ("allkeys-lru", ["aggregator.E026"]), ("", ["aggregator.W008"])]
)
def test_a_queue_that_evicts_jobs_is_an_error_and_an_unreachable_one_a_warning(db, monkeypatch, policy, expected):
    monkeypatch.setattr("aggregator.checks.machine.django_rq.get_connection", lambda _name: Queue(policy))
    assert [message.id for message in check_services(None)] == expected


def test_tables_of_an_older_version_are_refused(db, monkeypatch):
    monkeypatch.setattr("aggregator.checks.machine.django_rq.get_connection", lambda _name: Queue("noeviction"))
    MigrationRecorder.Migration.objects.filter(app="aggregator").order_by("-id").first().delete()
    assert [message.id for message in check_services(None)] == ["aggregator.E027"]


@pytest.mark.parametrize(("locale", "words"), [("ja_JP.UTF-8", "SECRET_KEY"), ("en_GB.UTF-8", "can be guessed")])
def test_messages_are_in_the_language_of_the_locale(settings, monkeypatch, locale, words):
    monkeypatch.setenv("LC_ALL", locale)
    settings.SECRET_KEY = "short"
    (message,) = check_public(None)
    assert words in message.msg
    assert message.hint


def test_a_fresh_site_uses_the_schemas_that_are_shipped():
    command = [sys.executable, "-c", "from aggregator import settings; print(settings.AGGREGATOR_SCHEMAS)"]
    environment = {name: value for name, value in os.environ.items() if name != "AGGREGATOR_SCHEMAS"}
    out = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    assert Path(out.strip(), "NOTICE").is_file()
