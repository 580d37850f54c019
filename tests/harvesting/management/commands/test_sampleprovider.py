"""`manage.py sampleprovider`: its output and its usage errors."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from sampleprovider.scenarios import SCENARIOS
from tests.paths import ROOT


def test_it_prints_the_addresses_as_json_and_serves_records(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "sampleprovider", "--port", "0", "--records", "30", "--json"]
    environment = os.environ | {"AGGREGATOR_DATA": str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            (provider,) = json.loads(process.stdout.readline())["providers"]
            with urllib.request.urlopen(provider["base_url"] + "?verb=Identify", timeout=10) as response:
                assert b"<Identify>" in response.read()
        finally:
            process.terminate()
    assert (provider["name"], provider["records"]) == ("generated", 30)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scenario", "flaky500"], "flaky-500.*--scenarios"),
        (["--scenario", "html@last"], "html-once@last"),
        (["--host", "0.0.0.0"], r"0\.0\.0\.0"),
        (["--records", "0"], "between 1 and"),
        (["--records", "5", "--page-size", "0"], "--page-size"),
        (["--load", "dcndl"], "PREFIX=FOLDER"),
    ],
)
def test_a_wrong_argument_is_named_in_the_error(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("sampleprovider", "--port", "0", *arguments)


def test_every_scenario_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("sampleprovider", "--scenarios", "--json")
    listed = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert listed.keys() == SCENARIOS.keys()
    assert listed["cut-gzip"]["rows"] == ["H5"]
    assert listed["cut-gzip"]["places"] == ["first", "last"]
