"""Upgrades: a site of every release can be migrated to the current version without loss of data."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from aggregator import __version__
from tests.aggregator.upgrades.releases import EMPTIED, HEAD, MARKED, RELEASES
from tests.paths import ROOT

SERVER = os.environ.get("DATABASE_URL", "")
LATEST = list(RELEASES)[-1:]

type Rows = list[dict[str, Any]]


def run_upgrades(folder: Path, url: str, releases: list[str]) -> dict[str, dict[str, list[str]]]:
    command = [sys.executable, "-m", "tests.aggregator.upgrades.upgrade", str(folder), *releases]
    environment = {**os.environ, "DATABASE_URL": url}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((folder / "columns.json").read_text())


def read_tables(path: Path) -> dict[str, Rows]:
    with ZipFile(path) as file:
        names = [name for name in file.namelist() if name.startswith("tables/")]
        lines = {name[7:-6]: file.read(name).splitlines() for name in names}
    return {name: [json.loads(line) for line in table_lines] for name, table_lines in lines.items()}


def restrict(rows: Rows, columns: set[str]) -> Rows:
    return [{name: value for name, value in row.items() if name in columns} for row in rows]


def check(folder: Path, url: str, releases: list[str]) -> None:
    columns_of = run_upgrades(folder, url, releases)
    current = read_tables(folder / f"{HEAD}.zip")
    for release in releases:
        old = read_tables(folder / f"{release}.zip")
        tables = columns_of[release].keys()
        assert {"harvesting.repository", "harvesting.sourcerecord", "harvesting.harvest", "auth.user"} <= tables
        for table in tables - EMPTIED:
            columns = set(columns_of[release][table]) - MARKED.get(release, {}).get(table, set())
            assert restrict(old[table], columns) == restrict(current[table], columns), (release, table)


@pytest.mark.slow
@pytest.mark.sample
def test_the_data_of_the_latest_release_survives_the_upgrade(tmp_path):
    check(tmp_path, "", LATEST)


@pytest.mark.slow
def test_the_data_of_every_release_survives_the_upgrade(tmp_path):
    check(tmp_path, "", list(RELEASES))


@pytest.mark.services
@pytest.mark.skipif(not SERVER.startswith("postgres"), reason="DATABASE_URL names no PostgreSQL")
@pytest.mark.parametrize(
    "releases", [LATEST, pytest.param(list(RELEASES), marks=pytest.mark.slow)], ids=["latest", "all"]
)
def test_the_same_on_postgresql(tmp_path, releases):
    check(tmp_path, SERVER, releases)


def test_the_version_is_the_same_everywhere_and_listed_as_a_release():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
    assert __version__ in RELEASES
