"""A site that an earlier commit filled is brought up to date as a whole: its books, addresses and lists stay.

Slow, about three minutes: `.venv/bin/python -m pytest -m slow tests/aggregator/upgrades/test_filled_site.py`. The
earlier commit works in a temporary folder, in this environment. Skipped where the history does not contain it.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]
OLD = "5b237ba"  # has the tables of 0.1.0: before books had numbers of their own pages, and before libraries
NUMBER = "R900000001"
# What a site says of itself, in either version: the addresses and what they answer.
LOOK = """
import json, sys
import django
django.setup()
from django.test import Client
client = Client(headers={"host": "localhost"})
for path in json.load(sys.stdin):
    answer = client.get(path, follow=True)
    print(json.dumps([path, answer.status_code, answer.content.decode("utf-8", "replace")]))
"""


def manage(checkout: Path, data: Path, *arguments: str) -> str:
    return run(checkout, data, ["manage.py", *arguments])


def run(checkout: Path, data: Path, arguments: list[str], sent: str = "") -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment |= {
        "AGGREGATOR_DATA": str(data),
        "DEBUG": "1",
        "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
        "HARVEST_MIN_PAUSE": "0",
    }
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=checkout, env=environment, input=sent, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def look(checkout: Path, data: Path, paths: list[str]) -> dict[str, tuple[int, str]]:
    lines = run(checkout, data, ["-c", LOOK], json.dumps(paths)).splitlines()
    return {path: (status, text) for path, status, text in map(json.loads, lines)}


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Path]:
    """A checkout of the earlier commit."""
    known = subprocess.run(["git", "cat-file", "-e", f"{OLD}^{{commit}}"], cwd=ROOT, capture_output=True)
    if known.returncode:
        pytest.skip("the history does not contain the earlier commit")
    folder = tmp_path / "old"
    subprocess.run(["git", "worktree", "add", "--detach", str(folder), OLD], cwd=ROOT, check=True, capture_output=True)
    yield folder
    subprocess.run(["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, check=True, capture_output=True)


def fill(old: Path, data: Path, port: int) -> None:
    manage(old, data, "prepare")
    command = [sys.executable, "manage.py", "sampleprovider", "--port", str(port), "--records", "60"]
    environment = {**os.environ, "AGGREGATOR_DATA": str(data), "DEBUG": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=old, env=environment, stdout=subprocess.PIPE, text=True) as provider:
        assert provider.stdout is not None
        url = provider.stdout.readline().split()[0]
        try:
            given = (
                "--name",
                "見本",
                "--base-url",
                url,
                "--protocol",
                "oai-pmh",
                "--prefix",
                "dcndl",
                "--number",
                NUMBER,
            )
            manage(old, data, "register", *given)
            manage(old, data, "harvest", NUMBER, "--json")
        finally:
            provider.terminate()
    manage(old, data, "aggregate", "--json")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def identifiers(answer: str) -> set[str]:
    return {part.partition("</identifier>")[0] for part in answer.split("<identifier>")[1:]}


def test_a_filled_site_of_an_earlier_commit_is_brought_up_to_date(old: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    fill(old, data, free_port())
    records = lines(manage(old, data, "records", NUMBER, "--json"))
    listing = "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc"
    before = look(old, data, [listing])[listing][1]
    manage(ROOT, data, "prepare")
    manage(ROOT, data, "aggregate", "--json")
    books = [f"/books/{one['id']}" for one in records]
    seen = look(ROOT, data, [*books, listing, "/libraries/", "/libraries.json", "/search?q=", "/loans/"])
    assert {one["id"] for one in lines(manage(ROOT, data, "records", NUMBER, "--json"))} == {
        one["id"] for one in records
    }
    assert {seen[path][0] for path in (*books, "/libraries/", "/libraries.json", "/loans/")} == {200}
    assert all('class="shelf"' in seen[path][1] for path in books)
    assert identifiers(before) and identifiers(before) <= identifiers(seen[listing][1])
    assert any(library["books"] for library in json.loads(seen["/libraries.json"][1])["libraries"])
