"""Only the guarded fetch talks to the network: everything else would bypass its checks."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("metadata", "harvesting", "aggregator")
NETWORK = (
    "requests",
    "urllib.request",
    "urllib3",
    "http.client",
    "socket",
    "httpx",
    "aiohttp",
    "ftplib",
    "smtplib",
    "http.server",
    "socketserver",
)
GUARDED = {"harvesting/fetch.py", "harvesting/addresses.py", "harvesting/connections.py"}
SERVER, SERVES = "harvesting/sampleprovider/", {"http.server", "socketserver"}  # it answers, it never asks
# These speak to their own machine only, at addresses that nobody can set from outside.
OWN_MACHINE = {
    "aggregator/embedded.py": {"socket"},  # is the queue server's Unix socket open?
    "aggregator/launch.py": {"socket", "http.client"},  # is the port free, does our own web server answer?
    "harvesting/sampleprovider/server.py": {"socket"} | SERVES,  # names the address family it listens on
}


def imported(source: str) -> Iterator[str]:
    """Every module that the source names, also by `from urllib import request` and importlib."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant))


def network_imports(source: str) -> set[str]:
    return {each for each in NETWORK for name in imported(source) if name == each or name.startswith(f"{each}.")}


def forbidden(path: str, source: str) -> set[str]:
    if path in GUARDED:
        return set()
    allowed = OWN_MACHINE.get(path) or (SERVES if path.startswith(SERVER) else set())
    return network_imports(source) - allowed


def test_only_the_guarded_fetch_opens_connections() -> None:
    found = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if modules := forbidden(name, path.read_text(encoding="utf-8")):
            found[name] = sorted(modules)
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import requests",
        "import requests.adapters as a",
        "from requests import get",
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import http.client",
        "from http import client",
        "import socket",
        "def f():\n    import httpx",
        "importlib.import_module('socket')",
        "__import__('smtplib')",
    ],
)
def test_any_way_of_importing_is_seen(source: str) -> None:
    assert forbidden("aggregator/views.py", source)


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.parse",
        "from urllib.parse import urlsplit",
        "from http import HTTPStatus",
        "from harvesting.fetch import Fetcher",
        "from django.http import HttpRequest",
    ],
)
def test_harmless_imports_are_allowed(source: str) -> None:
    assert not forbidden("aggregator/views.py", source)


def test_the_sample_provider_only_serves() -> None:
    assert not forbidden("harvesting/sampleprovider/oai.py", "from http.server import ThreadingHTTPServer")
    assert forbidden("harvesting/sampleprovider/oai.py", "import socket")
    assert forbidden("harvesting/sampleprovider/server.py", "import requests")
    assert forbidden("harvesting/store.py", "import http.server")
