"""Commands on a full disk or a read-only folder: a sentence, an exit code and JSON, no traceback."""

import errno
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from aggregator.management.commands import reindex as reindexing
from core.commands import FAILED, AggregatorCommand
from tests.paths import ROOT


class Failing(AggregatorCommand):
    needs_database = False

    def handle(self, **_options):
        raise OSError(errno.ENOSPC, "No space left on device", "/srv/index")


def test_a_full_disk_ends_a_command_with_a_sentence_and_json(capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    with pytest.raises(SystemExit) as ended:
        Failing().run_from_argv(["manage.py", "failing", "--json"])
    out, err = capsys.readouterr()
    assert ended.value.code == FAILED
    assert "No space left on device (/srv/index)" in json.loads(out)["error"]
    assert "No space left on device" in err and "Traceback" not in err


@pytest.mark.django_db
def test_an_index_that_the_disk_has_no_room_for_ends_reindex_with_a_sentence(capsys, monkeypatch):
    """The message is that of Tantivy on a full file system."""

    def full():
        raise ValueError("An IO error occurred: 'No space left on device (os error 28)'")
        yield

    monkeypatch.setattr(reindexing, "reindex", full)
    with pytest.raises(SystemExit) as ended:
        reindexing.Command().run_from_argv(["manage.py", "reindex", "--json"])
    out, err = capsys.readouterr()
    assert ended.value.code == FAILED
    assert "No space left on device" in json.loads(out)["error"]
    assert "Traceback" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_on_a_full_disk_ends_a_command_without_traceback():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "manage.py", "rules", "--json"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == FAILED
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    assert done.stderr.strip()


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_json_stays_on_one_line_whatever_ends_lines_in_the_data(separator):
    out = io.StringIO()
    AggregatorCommand(stdout=out).print_json({"title": f"こころ{separator}漱石"})
    (line,) = out.getvalue().splitlines()
    assert json.loads(line) == {"title": f"こころ{separator}漱石"}
