"""Regular backups: verified, thinned out, copied to a second place; and what happens when one of these fails."""

import sys
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from aggregator.backups import regular, restoring
from aggregator.backups.manifest import BackupError
from aggregator.backups.regular import RETRY, back_up, copy, repeat, seconds_until_due
from aggregator.backups.retention import Retention, file_name
from aggregator.management.commands.backup import retention
from aggregator.models import Backup
from tests.aggregator.backups.test_backups import silent, site

pytestmark = pytest.mark.django_db
__all__ = ["site"]  # a fixture
COPY = f"{sys.executable} -c 'import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])' {{file}}"


@pytest.fixture
def folder(site, tmp_path):
    for path in ("backups", "elsewhere"):
        (tmp_path / path).mkdir()
    return tmp_path / "backups"


def test_a_regular_backup_is_verified_copied_and_older_ones_are_thinned_out(folder, settings):
    settings.BACKUP_COPY = f"{COPY} '{folder.parent}/elsewhere/{{name}}'"
    old = [timezone.now() - timedelta(days=day) for day in range(1, 4)]
    for moment in old:
        (folder / file_name(moment)).write_text("an earlier backup")
    done = back_up(folder, Retention(2, 1, 1), silent)
    row = Backup.objects.get()
    assert row.verified
    assert row.copied
    assert file_name(old[-1]) in done.removed
    (copied,) = (folder.parent / "elsewhere").iterdir()
    assert copied.read_bytes() == (folder / copied.name).read_bytes()
    restoring.verify_backup(copied, silent)


def test_a_damaged_backup_removes_no_older_one(folder, monkeypatch):
    older = folder / file_name(timezone.now() - timedelta(days=400))
    newer = folder / file_name(timezone.now() - timedelta(days=399))
    older.write_text("x")
    newer.write_text("x")

    def damaged(_file, _progress):
        raise BackupError("damaged")

    monkeypatch.setattr(regular, "verify_backup", damaged)
    with pytest.raises(BackupError):
        back_up(folder, Retention(1, 1, 1), silent)
    assert older.exists()
    assert newer.exists()
    assert seconds_until_due() == 0


def test_a_second_place_that_cannot_be_reached_is_an_error_and_the_backup_stays(folder, settings):
    settings.BACKUP_COPY = f"{sys.executable} -c 'import sys; sys.exit(\"no route to host\")' {{file}}"
    with pytest.raises(BackupError, match="no route to host"):
        back_up(folder, Retention(), silent)
    assert Backup.objects.get().copied is None
    assert len(list(folder.iterdir())) == 1


def test_the_command_of_the_second_place_is_started_without_a_shell(tmp_path):
    file = tmp_path / "a; touch stolen $(id) {name}.backup"
    file.write_text("x")
    copy(file, f"{COPY} {tmp_path}/copied")
    assert (tmp_path / "copied").read_text() == "x"
    with pytest.raises(BackupError, match="no-such-program"):
        copy(file, "no-such-program {file}")
    assert not (tmp_path / "stolen").exists()


def test_backups_are_made_every_day_and_sooner_after_a_failure(folder):
    waits: list[float] = []
    results = iter([False, True])

    def make() -> bool:
        succeeded = next(results)
        if succeeded:
            Backup.objects.create(file="x", began=timezone.now(), bytes=1, seconds=1, verified=timezone.now())
        return succeeded

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 3

    repeat(make, wait)
    assert waits[:2] == [0, RETRY.total_seconds()]
    assert waits[2] == pytest.approx(24 * 60 * 60, abs=60)


def test_a_failed_backup_does_not_end_the_process_that_repeats_it(folder, monkeypatch, caplog):
    monkeypatch.setattr("aggregator.management.commands.backup.back_up", _no_space)
    monkeypatch.setattr("aggregator.management.commands.backup.repeat", lambda make, wait: make())
    call_command("backup", folder=folder, repeat=True)
    assert "disk is full" in caplog.text


def _no_space(*_arguments):
    raise BackupError("the disk is full")


def test_the_command_makes_a_regular_backup(folder, capsys):
    call_command("backup", "--folder", str(folder), "--keep", "7,4,12", "--json")
    assert '"copied": false' in capsys.readouterr().out
    assert Backup.objects.get().verified


@pytest.mark.parametrize("arguments", [[], ["FILE", "--folder", "/x"], ["FILE", "--repeat"]])
def test_a_command_without_a_clear_target_is_refused(arguments):
    with pytest.raises(CommandError, match="FILE"):
        call_command("backup", *arguments)


def test_the_retention_is_given_in_days_weeks_and_months():
    assert retention("30,0,6") == Retention(30, 0, 6)
    with pytest.raises(Exception, match="7,4,12"):
        retention("7")
