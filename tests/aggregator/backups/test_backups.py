"""Backups as files: complete or refused; a restore that fails leaves everything as it was."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from aggregator.backups import last_backup, restoring, sqlite
from aggregator.backups.making import ENGINES, make_backup
from aggregator.backups.manifest import BackupError, Manifest, decoded, unknown_migrations
from aggregator.backups.restoring import restore, verify_backup
from aggregator.models import Backup
from core.database.dialects import dialect
from core.files import shared
from harvesting.models import Repository, SourceRecord
from harvesting.registry import uploads

pytestmark = pytest.mark.django_db
UPLOAD = f"uploads/{'0a' * 16}/books.csv"


def silent(_bytes: int) -> None:
    pass


def rows(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT name FROM book").fetchall()


@pytest.fixture
def site(tmp_path, settings, monkeypatch) -> Path:
    """The path of a small database on disk, used instead of the test database; the site has one upload."""
    settings.DATA_DIR = tmp_path / "data"
    shared.put_bytes(b"title\n", UPLOAD)
    path = settings.DATA_DIR / "site.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE book (name TEXT); INSERT INTO book VALUES ('猫'); CREATE TABLE django_session (k);"
        )
    monkeypatch.setattr(sqlite, "_path", lambda: path)
    monkeypatch.setattr(sqlite, "manage", lambda *_arguments, **_named: None)
    monkeypatch.setattr(sqlite.connections, "close_all", lambda: None)
    monkeypatch.setitem(ENGINES, connection.vendor, sqlite)
    monkeypatch.setattr(restoring, "NUMBER_GAP", 10)  # PostgreSQL's sequences are not reset after a test
    return path


@pytest.fixture
def backup(site, tmp_path) -> Path:
    make_backup(tmp_path / "site.backup", silent)
    with closing(sqlite3.connect(site)) as database, database:
        database.execute("UPDATE book SET name = '犬'")
    return tmp_path / "site.backup"


def test_a_backup_is_complete_and_listed(backup):
    manifest = verify_backup(backup, silent)
    assert manifest.counts["book"] == 1
    assert [part.name for part in manifest.parts] == ["database", UPLOAD]
    assert last_backup().file == str(backup)
    assert 0 <= last_backup().age < 600
    assert [path.name for path in backup.parent.iterdir() if path.name.startswith(".")] == []


def test_the_age_of_the_last_backup_is_shown(site, tmp_path, client):
    assert "backup_age_seconds" not in client.get("/metrics").text
    make_backup(tmp_path / "site.backup", silent)
    assert "backup_age_seconds" in client.get("/metrics").text
    admin = administrator()
    assert "backup/" not in admin.get("/manage/").text
    Backup.objects.update(began=timezone.now() - timedelta(days=3))
    assert "/admin/aggregator/backup/" in admin.get("/manage/").text
    assert str(tmp_path / "site.backup") in admin.get("/admin/aggregator/backup/").text


def administrator() -> Client:
    user = get_user_model().objects.create_superuser("root", password="x")
    client = Client()
    client.force_login(user)
    return client


def test_an_existing_file_is_only_replaced_with_force(site, tmp_path):
    target = tmp_path / "site.backup"
    target.write_text("precious")
    with pytest.raises(BackupError, match="force"):
        make_backup(target, silent)
    assert target.read_text() == "precious"
    make_backup(target, silent, force=True)
    verify_backup(target, silent)


def test_a_full_disk_is_reported_before_anything_is_written(site, tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "size", lambda: 10**18)
    with pytest.raises(BackupError, match="MB"):
        make_backup(tmp_path / "site.backup", silent)
    assert not (tmp_path / "site.backup").exists()


def test_a_restored_site_has_its_data_and_its_files_also_on_another_machine(backup, site, settings):
    settings.DATA_DIR = settings.DATA_DIR.parent / "elsewhere"
    later = UPLOAD.replace("0a", "0b")
    shared.put_bytes(b"uploaded after the backup", later)
    restore(backup, silent, force=True)
    assert rows(site) == [("猫",)]
    assert shared.read(UPLOAD) == b"title\n"
    assert uploads.stored_uploads() == [UPLOAD]


def test_keys_assigned_after_the_backup_are_not_assigned_again(backup):
    before = dialect().last_number(SourceRecord)
    restore(backup, silent, force=True)
    repository = Repository.objects.create(number="R900000001", name="見本")
    row = SourceRecord.objects.create(repository=repository, identifier="a", changed_at=timezone.now())
    assert row.pk > before + restoring.NUMBER_GAP


def assert_refused(backup: Path, site: Path) -> None:
    with pytest.raises(BackupError):
        verify_backup(backup, silent)
    with pytest.raises(BackupError):
        restore(backup, silent, force=True)
    assert rows(site) == [("犬",)]


def test_a_backup_with_a_changed_byte_is_refused_and_nothing_is_changed(backup, site):
    data = bytearray(backup.read_bytes())
    data[600] ^= 1
    backup.write_bytes(data)
    assert_refused(backup, site)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_truncated_backup_is_refused_and_nothing_is_changed(backup, site, part):
    data = backup.read_bytes()
    backup.write_bytes(data[: int(len(data.rstrip(b"\0")) * part)])
    assert_refused(backup, site)


def test_a_text_file_or_a_missing_file_is_no_backup(tmp_path):
    (tmp_path / "text").write_text("title\n")
    for name in ("text", "nothing"):
        with pytest.raises(BackupError):
            verify_backup(tmp_path / name, silent)


def test_a_site_with_data_is_only_replaced_with_force(backup, site):
    Repository.objects.create(number="R900000001", name="見本")
    with pytest.raises(BackupError, match="force"):
        restore(backup, silent)
    assert rows(site) == [("犬",)]


def test_a_backup_of_a_newer_version_is_refused(backup, site, monkeypatch):
    monkeypatch.setattr("aggregator.backups.restoring.unknown_migrations", lambda _applied: ["aggregator.9999_later"])
    with pytest.raises(BackupError, match=r"newer|新しい"):
        restore(backup, silent)
    assert rows(site) == [("犬",)]


def test_manifests_of_earlier_versions_are_read():
    written = Manifest(
        format=1, program="1", database="sqlite", made="2026-11-22T05:00:00Z", migrations={}, counts={}, parts=()
    )
    earlier = written.encoded().replace(b'"format"', b'"folder": "/srv/aggregator", "format"')
    assert b"folder" in earlier
    assert decoded(earlier) == written


def test_unknown_migrations_are_found():
    assert unknown_migrations({"aggregator": ["0001_initial", "9999_later"]}) == ["aggregator.9999_later"]


def test_a_failing_restore_leaves_database_and_files_as_they_were(backup, site, monkeypatch):
    def failing() -> None:
        raise RuntimeError("no power")

    monkeypatch.setattr("aggregator.backups.restoring._adapt_to_machine", failing)
    uploads.discard(UPLOAD)
    now = uploads.store(SimpleUploadedFile("now.csv", b"of now"))
    with pytest.raises(RuntimeError):
        restore(backup, silent, force=True)
    assert rows(site) == [("犬",)]
    assert uploads.stored_uploads() == [now]
    assert sorted(path.name for path in site.parent.iterdir()) == ["site.sqlite3", "uploads"]


def test_a_database_in_use_is_not_replaced(backup, site):
    with closing(sqlite3.connect(site)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("SELECT * FROM book").fetchall()
        with pytest.raises(BackupError, match=r"in use|使"):
            restore(backup, silent, force=True)
    assert rows(site) == [("犬",)]
