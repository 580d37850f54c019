"""The watched folders: what is taken and when, where it goes, and that nothing leads out of a folder."""

import json
import os
import shutil
from pathlib import Path

import pytest

from harvesting.dispatcher import take_pushes
from harvesting.models import Harvest, Push, Repository
from harvesting.pushes import folders, receiving
from harvesting.pushes.folders import FolderState
from tests.harvesting.pushes.pushed import line, lines, live, pushing_feed, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def base(tmp_path, settings, monkeypatch) -> Path:
    folder = tmp_path / "pushed"
    folder.mkdir()
    settings.PUSH_FOLDER = str(folder)
    monkeypatch.setattr(folders, "STABLE", 0)
    monkeypatch.setattr(folders, "_said", set())
    return folder


@pytest.fixture
def feed():
    return pushing_feed()


@pytest.fixture
def folder(base, feed) -> Path:
    own = base / feed.repository.number
    own.mkdir()
    return own


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def work() -> list[Harvest]:
    runs = work_off()
    take_pushes()  # the round after the end of a run moves its file
    return runs


def test_a_file_is_taken_and_put_away_with_its_report(folder, feed):
    (folder / "本の一覧.jsonl").write_bytes(lines(3))
    work()
    assert live(feed) == {"0", "1", "2"}
    push = Push.objects.get()
    assert names(folder) == {f"done/{push.pk}-本の一覧.jsonl", f"done/{push.pk}-本の一覧.jsonl.report.json"}
    report = json.loads((folder / f"done/{push.pk}-本の一覧.jsonl.report.json").read_text())
    assert (report["state"], report["accepted"]) == ("succeeded", 3)
    assert not work()


def test_files_are_taken_in_the_order_of_their_age(folder, feed):
    for age, name in enumerate(("b", "a", "c")):
        (folder / f"{name}.jsonl").write_text(line("1", f"第{age}版"))
        os.utime(folder / f"{name}.jsonl", (1_700_000_000 + age, 1_700_000_000 + age))
    runs = work()
    assert [push.name for push in Push.objects.order_by("pk")] == ["b.jsonl", "a.jsonl", "c.jsonl"]
    assert [run.updated for run in runs] == [0, 1, 1]


def test_a_list_of_identifiers_deletes(folder, feed):
    (folder / "1.jsonl").write_bytes(lines(20))
    work()
    (folder / "old.DELETIONS.txt").write_text("oai:x:3\n")
    work()
    assert "3" not in live(feed)


def test_what_cannot_be_read_goes_to_failed(folder, feed):
    (folder / "page.xml").write_text("<!doctype html><html></html>")
    (folder / "empty.xml").write_bytes(b"")
    (folder / "bills.xml").write_text("<invoices/>")
    work()
    reports = [json.loads(path.read_text()) for path in sorted((folder / "failed").glob("*.json"))]
    assert len(reports) == 3
    assert all(report["message"]["ja"] and report["message"]["en"] for report in reports)
    assert len(names(folder)) == 6


@pytest.mark.parametrize("name", ["a.part", "a.filepart", ".hidden", "a.tmp"])
def test_files_in_transfer_are_left_alone(folder, name):
    (folder / name).write_bytes(lines(1))
    work()
    assert not Push.objects.exists()


def test_a_file_must_have_been_still_for_some_time(folder, monkeypatch):
    monkeypatch.setattr(folders, "STABLE", 30)
    file = folder / "a.jsonl"
    file.write_bytes(lines(1))
    os.utime(file, (1_000_000_000, 1_000_000_000))  # the sender keeps the time of the original
    work()
    assert not Push.objects.exists()


def test_a_file_that_changes_while_it_is_read_is_read_later(folder, feed, monkeypatch):
    file = folder / "a.jsonl"
    file.write_bytes(lines(1))
    spooled = receiving.spooled

    def writing_on(*arguments):
        with file.open("ab") as open_file:
            open_file.write(line("more").encode())
        return spooled(*arguments)

    monkeypatch.setattr(receiving, "spooled", writing_on)
    take_pushes()
    assert not Push.objects.exists()
    monkeypatch.setattr(receiving, "spooled", spooled)
    work()
    assert live(feed) == {"0", "more"}


def test_a_file_that_was_replaced_while_it_was_read_is_another_push(folder, feed):
    file = folder / "a.jsonl"
    file.write_bytes(lines(1))
    take_pushes()
    file.write_bytes(lines(2))
    work()
    assert Push.objects.count() == 2
    assert live(feed) == {"0", "1"}
    assert len(names(folder)) == 2


def test_nothing_leads_out_of_a_folder(folder, feed, base, tmp_path):
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(lines(1))
    (folder / "link.jsonl").symlink_to(secret)
    os.link(secret, folder / "second.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "sub").mkdir()
    (folder / "sub" / "a.jsonl").write_bytes(lines(1))
    other = pushing_feed()
    (base / other.repository.number).symlink_to(folder)
    work()
    assert not Push.objects.exists()
    assert secret.read_bytes() == lines(1)


@pytest.mark.parametrize("target", ["done", "failed"])
def test_a_link_as_target_is_not_followed(folder, feed, tmp_path, target):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / target).symlink_to(elsewhere)
    (folder / "a.xml").write_bytes(lines(1) if target == "done" else b"<invoices/>")
    work()
    work()
    assert not list(elsewhere.iterdir())
    assert (folder / "a.xml").exists()
    assert Push.objects.count() == 1


def test_a_dispatcher_that_is_killed_takes_no_file_twice(folder, feed, monkeypatch):
    (folder / "a.jsonl").write_bytes(lines(2))
    monkeypatch.setattr(folders, "_put_away", lambda *_arguments: (_ for _ in ()).throw(KeyboardInterrupt))
    work_off_until_killed()
    monkeypatch.undo()
    monkeypatch.setattr(folders, "STABLE", 0)
    assert Push.objects.count() == 1


def work_off_until_killed() -> None:
    with pytest.raises(KeyboardInterrupt):
        work()


def test_a_vanished_base_folder_is_said_and_deletes_nothing(base, folder, feed, caplog):
    (folder / "a.jsonl").write_bytes(lines(5))
    work()
    shutil.rmtree(base)
    work()
    work()
    assert caplog.text.count("PUSH_FOLDER cannot be read") == 1
    assert len(live(feed)) == 5
    assert folders.state_of(feed.repository.number) is FolderState.LOST


def test_the_state_of_a_folder_is_told(base, feed, settings):
    number = feed.repository.number
    assert folders.state_of(number) is FolderState.NONE
    (base / number).mkdir()
    assert folders.state_of(number) is FolderState.WATCHED
    settings.PUSH_FOLDER = ""
    assert folders.state_of(number) is FolderState.OFF


def test_folders_of_paused_providers_are_left_alone(folder, feed):
    (folder / "a.jsonl").write_bytes(lines(1))
    Repository.objects.update(state="paused")
    work()
    assert names(folder) == {"a.jsonl"}


def test_a_folder_that_cannot_be_read_stops_no_other(base, folder, feed, monkeypatch, caplog):
    broken = pushing_feed()
    (base / broken.repository.number).write_text("a file, not a folder")
    (folder / "a.jsonl").write_bytes(lines(1))
    work()
    assert live(feed) == {"0"}
    assert caplog.text.count("cannot be used") == 1


def test_long_names_and_strange_bytes_are_taken(folder, feed):
    (folder / ("あ" * 80 + ".jsonl")).write_bytes(lines(1))
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.jsonl")).write_bytes(lines(2))
    work()
    assert live(feed) == {"0", "1"}
    assert len(names(folder / "done")) == 4
