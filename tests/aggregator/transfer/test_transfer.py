"""Export and import: the same tables, byte for byte, on and between both kinds of database, and no secrets."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import connection

from aggregator.transfer.manifest import Manifest, TransferError, read_manifest
from aggregator.transfer.reading import read_everything
from aggregator.transfer.tables import HIDDEN, LEFT_OUT, columns, exported_columns, refers_to_left_out_table, tables
from aggregator.transfer.writing import write_everything
from core.database.dialects import dialect
from core.files import shared
from harvesting.models import Feed, OutgoingMessage, Recipient, Repository
from harvesting.registry import uploads
from harvesting.registry.credentials import seal
from tests import database
from tests.aggregator.backups.drill import has_planner_statistics
from tests.aggregator.transfer.filled import fill
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
UPLOAD = f"uploads/{'0a' * 16}/books.csv"


def silent(_rows: int) -> None:
    pass


def empty() -> None:
    for table in (Group.permissions.through, *reversed(tables())):
        table._base_manager.all()._raw_delete("default")


@pytest.fixture
def full(settings, tmp_path) -> None:
    """A site with two rows in every table and one upload."""
    settings.DATA_DIR = tmp_path / "data"
    shared.put_bytes(b"title\n", UPLOAD)
    empty()
    fill(tables())
    Feed.objects.filter(pk=1).update(base_url=UPLOAD)
    for number, table in enumerate(tables()):
        if dialect().last_number(table):
            dialect().set_last_number(table, 100 + number)


def write_and_read(path: Path) -> tuple[Manifest, dict[str, bytes]]:
    write_everything(path, silent)
    return parts(path)


def parts(path: Path) -> tuple[Manifest, dict[str, bytes]]:
    with ZipFile(path) as file:
        return read_manifest(file), {name: file.read(name) for name in file.namelist() if name != "manifest.json"}


def run_on_other_database(url: str, folder: Path, *arguments: str | Path) -> None:
    environment = {**os.environ, "DATABASE_URL": url, "AGGREGATOR_DATA": str(folder)}
    environment["DJANGO_SETTINGS_MODULE"] = "aggregator.settings"
    command = [sys.executable, "manage.py", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_an_imported_site_exports_the_same_tables(full, tmp_path, settings):
    before = write_and_read(tmp_path / "one.zip")
    assert {table.rows for table in before[0].tables} == {2}
    empty()
    settings.DATA_DIR = tmp_path / "other"
    read_everything(tmp_path / "one.zip", silent)
    assert shared.read(Feed.objects.get(pk=1).base_url) == b"title\n"
    after = write_and_read(tmp_path / "two.zip")
    assert after[0].tables == before[0].tables
    assert after[1] == before[1]


@pytest.mark.slow
@pytest.mark.sample
def test_an_export_survives_sqlite_and_back(full, tmp_path):
    """Starts from the database of the tests, which is PostgreSQL if DATABASE_URL names one."""
    before = write_and_read(tmp_path / "one.zip")
    folder, url = tmp_path / "there", f"sqlite:///{tmp_path / 'there.sqlite3'}"
    database.fill(tmp_path / "there.sqlite3")
    run_on_other_database(url, folder, "import", tmp_path / "one.zip")
    run_on_other_database(url, folder, "export", "--everything", tmp_path / "two.zip")
    assert parts(tmp_path / "two.zip")[1] == before[1]
    assert parts(tmp_path / "two.zip")[0].tables == before[0].tables
    empty()
    read_everything(tmp_path / "two.zip", silent)
    assert write_and_read(tmp_path / "three.zip")[1] == before[1]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans without statistics")
def test_postgresql_has_planner_statistics_after_an_import(full, tmp_path):
    write_everything(tmp_path / "all", silent)
    empty()
    read_everything(tmp_path / "all", silent)
    assert has_planner_statistics()


def test_no_secret_is_exported(full, tmp_path, settings):
    secret = "Kanarienvogel"
    Feed.objects.update(credentials=seal(secret))
    Recipient.objects.filter(pk=1).update(secret=secret.encode())
    OutgoingMessage.objects.filter(pk=1).update(secret=True, text=f"https://books.example.jp/{secret}")
    User.objects.update(password=secret)
    sealed = [bytes(value) for value in Feed.objects.values_list("credentials", flat=True)]
    _manifest, files = write_and_read(tmp_path / "one.zip")
    text = b"".join(files.values())
    assert secret.encode() not in text
    assert not [value for value in sealed if value in text]
    empty()
    read_everything(tmp_path / "one.zip", silent)
    assert not User.objects.get(pk=1).has_usable_password()
    assert set(map(bytes, Feed.objects.values_list("credentials", flat=True))) == {b""}


def test_every_table_is_exported_or_listed_as_left_out():
    exported = {table._meta.label for table in tables()}
    assert not exported & LEFT_OUT.keys()
    assert HIDDEN.keys() <= exported
    for table in tables():
        assert all(column.null for column in columns(table) if refers_to_left_out_table(column)), table
        assert not {column.name for column in exported_columns(table)} & {"credentials", "password", "nonce"}


def test_an_import_into_a_site_with_data_is_refused(full, tmp_path):
    write_everything(tmp_path / "one.zip", silent)
    with pytest.raises(TransferError, match=r"empty|空"):
        read_everything(tmp_path / "one.zip", silent)
    assert Repository.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_damaged_file_leaves_the_site_empty(full, tmp_path):
    write_everything(tmp_path / "one.zip", silent)
    empty()
    with ZipFile(tmp_path / "one.zip") as old, ZipFile(tmp_path / "two.zip", "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(b'"1 ', b'"7 ') if name.endswith("sourcerecord.jsonl") else text)
    with pytest.raises(TransferError, match="sourcerecord"):
        read_everything(tmp_path / "two.zip", silent)
    assert not [table for table in tables() if table is not Group and table._base_manager.exists()]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_missing", [False, True])
def test_an_import_with_a_damaged_upload_leaves_no_file(full, tmp_path, settings, is_missing):
    write_everything(tmp_path / "one.zip", silent)
    empty()
    settings.DATA_DIR = tmp_path / "other"
    with ZipFile(tmp_path / "one.zip") as old, ZipFile(tmp_path / "two.zip", "w") as new:
        for name in old.namelist():
            if not (is_missing and name.endswith(UPLOAD)):
                new.writestr(name, b"altered" if name.endswith(UPLOAD) else old.read(name))
    with pytest.raises(TransferError, match=r"books\.csv"):
        read_everything(tmp_path / "two.zip", silent)
    assert not Repository.objects.exists()
    assert not uploads.stored_uploads()


def test_a_failed_import_does_not_touch_an_upload_that_was_there(full, tmp_path):
    write_everything(tmp_path / "one.zip", silent)
    empty()
    with ZipFile(tmp_path / "one.zip") as old, ZipFile(tmp_path / "two.zip", "w") as new:
        for name in old.namelist():
            new.writestr(name, b"altered" if name.endswith(UPLOAD) else old.read(name))
    with pytest.raises(TransferError, match=r"books\.csv"):
        read_everything(tmp_path / "two.zip", silent)
    assert shared.read(UPLOAD) == b"title\n"


def test_an_export_of_a_newer_version_is_refused(full, tmp_path, monkeypatch):
    write_everything(tmp_path / "one.zip", silent)
    empty()
    monkeypatch.setattr("aggregator.transfer.reading.tables", lambda: tables()[1:])
    with pytest.raises(TransferError, match=r"newer|新しい"):
        read_everything(tmp_path / "one.zip", silent)


def test_the_commands_refuse_wrong_arguments(full, tmp_path):
    (tmp_path / "there").write_text("precious")
    with pytest.raises(CommandError, match="force"):
        call_command("export", everything=tmp_path / "there")
    with pytest.raises(CommandError):
        call_command("export", "R900000001", everything=tmp_path / "one.zip")
    with pytest.raises(CommandError):
        call_command("import", tmp_path / "there")
    assert (tmp_path / "there").read_text() == "precious"


def test_the_key_of_a_deleted_row_is_not_assigned_again(full, tmp_path):
    last = dialect().last_number(Repository)
    write_everything(tmp_path / "one.zip", silent)
    empty()
    read_everything(tmp_path / "one.zip", silent)
    assert Repository.objects.create(number="R900000009", name="新").pk == last + 1
    assert connection.vendor in {"sqlite", "postgresql"}
