"""Only the guarded fetch talks to the network: everything else would bypass its checks."""

import ast
from collections.abc import Iterator

import pytest

from harvesting.http.operator_hosts import GUARDED as GUARDED_SETTINGS
from harvesting.http.operator_hosts import OPERATOR_SERVICES
from tests.paths import ROOT
from tests.sources import TOGETHER, nodes, nodes_in

pytestmark = TOGETHER

PACKAGES = ("core", "metadata", "sampleprovider", "harvesting", "aggregator")
# Whatever can open a connection, or start something that can.
NETWORK = (
    "aiohttp", "asyncio", "boto3", "ftplib", "http.client", "http.server", "httpx", "imaplib", "limits",
    "multiprocessing", "nntplib", "poplib", "pycurl", "redis", "requests", "smtplib", "socket", "socketserver", "ssl",
    "subprocess",
    "telnetlib", "urllib.request", "urllib.robotparser", "urllib3", "websockets", "xmlrpc", "_socket", "_ssl",
    "authlib.integrations.requests_client", "authlib.integrations.httpx_client", "django_redis", "psycopg", "rq",
    "sentry_sdk", "boto3", "botocore", "storages", "django.core.mail", "lxml.html.parse", "pty", "paramiko",
)  # fmt: skip
# Functions that open connections or start programs; calls of these names are found on any object.
CALLS = {
    "create_connection",
    "open_connection",
    "urlopen",
    "urlretrieve",
    "getaddrinfo",
    "system",
    "popen",
    "posix_spawn",
}
OS_CALLS = ("exec", "spawn", "posix_spawn")
PROGRAMS = ("curl", "wget", "nc", "ssh", "scp", "ftp", "rsync", "openssl")
# Options, with the value that is unsafe, and functions by which a parser fetches addresses or drops its limits.
PARSER_SWITCHES = {"no_network": False, "load_dtd": True, "resolve_entities": True, "dtd_validation": True,
                   "huge_tree": True, "recover": True, "attribute_defaults": True, "collect_ids": False}  # fmt: skip
PARSER_CALLS = {"XInclude", "xinclude", "XSLT", "XMLSchema", "iterparse", "Resolver"}

GUARDED = {
    "harvesting/http/fetch.py": {"requests", "urllib3"},
    "harvesting/http/connections.py": {"requests", "urllib3", "socket", "ssl"},
    "harvesting/http/sessions.py": {"requests"},
    "harvesting/http/failures.py": {"requests", "urllib3", "ssl"},  # only to catch their exceptions
    "harvesting/doi/jalc_interface.py": {"urllib3"},  # only to encode forms
    "harvesting/http/addresses.py": {"socket"},
    "harvesting/http/dns.py": {"socket", "getaddrinfo"},
}
SERVER, SERVES = "sampleprovider/", {"http.server", "socketserver"}  # a server, which opens no connections itself
# These speak to their own machine or to the operator's own services, at addresses that no provider can set.
OWN_SERVICES = {
    "aggregator/deployment/embedded_valkey.py": {
        "socket",
        "execv",
    },  # replaces itself by the queue server, and checks whether its Unix socket is open
    "aggregator/deployment/launch.py": {"socket", "http.client"},  # checks for a free port and our own web server
    "aggregator/observability/readiness.py": {"redis"},  # only to catch the exceptions of an unreachable queue
    "aggregator/observability/figures.py": {"redis"},  # only to catch the exceptions of an unreachable queue
    "aggregator/observability/sentry.py": {"sentry_sdk"},
    "aggregator/checks/machine.py": {"redis"},  # only to catch the exceptions of an unreachable queue
    "aggregator/management/commands/dispatch.py": {"redis"},  # only to catch the exceptions of an unreachable queue
    "aggregator/backups/postgresql.py": {"psycopg"},  # the snapshot of the database
    "aggregator/search/opensearch/client.py": {"requests", "socket"},  # the server of SEARCH_URL
    "core/files/bucket.py": {"botocore", "storages"},  # the bucket of FILES_URL
    "core/database/postgresql_arrays.py": {"psycopg"},  # only arrays of the connection that Django has opened
    "core/work/jobs.py": {"redis", "rq"},  # redis: only to catch the exceptions of an unreachable queue
    "core/work/worker.py": {"rq"},
    "core/work/queues.py": {"rq"},  # the state of the queue
    "aggregator/views/pushing/interface.py": {"redis"},  # only to catch the exceptions of an unreachable queue
    "aggregator/views/manage/queue.py": {"redis"},  # only to catch the exceptions of an unreachable queue
    "aggregator/deployment/supervisor.py": {"subprocess"},  # starts our own processes
    "aggregator/backups/programs.py": {"subprocess"},  # starts the tools of PostgreSQL and our own commands
    "aggregator/deployment/web_server.py": {"execv"},  # replaces itself by the web server
    "aggregator/provision/oai/documents.py": {"XSLT"},  # our own stylesheet, without access to files and network
    "harvesting/registry/transport.py": {"redis"},  # the throttle in the Redis of REDIS_URL
    "harvesting/mail/delivery.py": {"django.core.mail"},  # the operator's own mail server
    "harvesting/trials/self_test.py": {"redis", "rq"},  # the queue
    "harvesting/runs/lifecycle.py": {"socket"},  # only reads the name of this machine
    "core/http/rate_limit.py": {"limits", "redis"},  # the counts in the Redis of REDIS_URL
    "core/work/processes.py": {"multiprocessing"},  # starts our own processes for calculations
    "harvesting/management/commands/faultmatrix.py": {"subprocess"},  # starts our own commands
    "sampleprovider/certificates.py": {"ssl"},  # only makes certificates for the server
    "sampleprovider/server.py": {"socket"} | SERVES,  # only to name the address family on which it listens
    "metadata/validation/xsd/folder.py": {"XMLSchema"},  # the operator's files; its resolver never leaves their folder
}


# Of these, the ones that open no connection to another machine; all others are in the list of the operator's services.
LOCAL = {"execv", "http.client", "multiprocessing", "socket", "ssl", "subprocess", "XMLSchema", "XSLT", *SERVES}


def imported(source: str) -> Iterator[str]:
    """Every module that the source imports, also by `from urllib import request` and importlib."""
    for node in nodes(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and owner_and_name(node)[1] in {"import_module", "__import__"}:
            yield from (str(argument.value) for argument in node.args if isinstance(argument, ast.Constant))


def owner_and_name(call: ast.Call) -> tuple[str, str]:
    """("os", "system") of os.system(…), ("", "run") of run(…)."""
    if isinstance(call.func, ast.Attribute):
        return call.func.value.id if isinstance(call.func.value, ast.Name) else "?", call.func.attr
    return "", call.func.id if isinstance(call.func, ast.Name) else ""


def network_imports(source: str) -> set[str]:
    names = set(imported(source))
    return {pattern for pattern in NETWORK for name in names if name == pattern or name.startswith(f"{pattern}.")}


def network_calls(source: str) -> set[str]:
    """Calls and programs that reach the network without an import of their own, and parsers that would."""
    found: set[str] = set()
    for node in nodes(source):
        if isinstance(node, ast.Call):
            owner, name = owner_and_name(node)
            found |= {name} & (CALLS | PARSER_CALLS)
            found |= {name} if owner == "os" and name.startswith(OS_CALLS) else set()
            found |= set(unsafe_switches(node))
            found |= {program for program in programs(node) if program in PROGRAMS}
    return found


def unsafe_switches(call: ast.Call) -> Iterator[str]:
    for keyword in call.keywords:
        unsafe_value = PARSER_SWITCHES.get(keyword.arg or "")
        if unsafe_value is not None and isinstance(keyword.value, ast.Constant) and keyword.value.value is unsafe_value:
            yield f"{keyword.arg}={unsafe_value}"


def programs(call: ast.Call) -> Iterator[str]:
    """First words of what a call may run: run("curl …"), run(["curl", …])."""
    for argument in call.args[:1]:
        first = argument.elts[0] if isinstance(argument, ast.List | ast.Tuple) and argument.elts else argument
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value:
            yield first.value.split()[0].rpartition("/")[2] if first.value.split() else ""


def forbidden(path: str, source: str) -> set[str]:
    allowed = GUARDED.get(path) or OWN_SERVICES.get(path) or (SERVES if path.startswith(SERVER) else set())
    return (network_imports(source) | network_calls(source)) - allowed


def test_only_the_guarded_fetch_opens_connections() -> None:
    found = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if modules := forbidden(name, path.read_text(encoding="utf-8")):
            found[name] = sorted(modules)
    assert found == {}


def test_every_module_with_a_client_of_its_own_is_in_the_list_of_the_operators_services() -> None:
    listed = {module for service in OPERATOR_SERVICES for module in service.modules}
    with_client = {path for path, uses in OWN_SERVICES.items() if uses - LOCAL}
    started_by_operator = {"aggregator/backups/programs.py"}  # starts the command of BACKUP_COPY
    assert listed == with_client | started_by_operator


def test_every_service_of_the_operator_is_a_documented_setting_and_stands_in_the_security_document() -> None:
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text()
    security = (ROOT / "SECURITY.md").read_text()
    for service in OPERATOR_SERVICES:
        assert f"`{service.setting}`" in settings
        assert f"`{service.setting}`" in security


def test_only_the_listed_settings_are_exceptions_of_the_guarded_fetch() -> None:
    """`operator_policy` refuses others, and nothing else in the code sets `operator_url`."""
    uses = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        for node in nodes_in(path):
            if not isinstance(node, ast.Call):
                continue
            name = path.relative_to(ROOT).as_posix()
            if owner_and_name(node)[1] == "operator_policy":
                uses[name] = node.args[0].value if isinstance(node.args[0], ast.Constant) else "?"
            if any(keyword.arg == "operator_url" for keyword in node.keywords):
                assert name == "harvesting/registry/transport.py"
    assert set(uses.values()) == set(GUARDED_SETTINGS)


@pytest.mark.parametrize("path", [*GUARDED, *OWN_SERVICES])
def test_what_is_allowed_is_needed(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    allowed = GUARDED.get(path) or OWN_SERVICES[path]
    assert allowed - network_imports(source) - network_calls(source) == set()


@pytest.mark.parametrize(
    "source",
    [
        "import requests",
        "import requests.adapters as a",
        "from requests import get",
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "from urllib import robotparser",
        "import http.client",
        "from http import client",
        "import socket",
        "import ssl",
        "import redis",
        "import asyncio",
        "from asyncio import open_connection",
        "from django.core import mail",
        "from django.core.mail import send_mail",
        "import subprocess",
        "def f():\n    import httpx",
        "importlib.import_module('socket')",
        "__import__('smtplib')",
        "os.system('curl http://a.example')",
        "os.popen('id')",
        "os.execvp(name, arguments)",
        "run(['/usr/bin/curl', url])",
        "run('wget http://a.example')",
        "loop.create_connection(x)",
        "anything.urlopen(url)",
        "etree.XMLParser(no_network=False)",
        "etree.XMLParser(recover=True)",
        "etree.XMLParser(collect_ids=False)",
        "tree.xinclude()",
        "etree.XSLT(sheet)",
        "etree.iterparse(file)",
    ],
)
def test_any_way_to_the_network_is_seen(source: str) -> None:
    assert forbidden("aggregator/views.py", source)


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.parse",
        "from urllib.parse import urlsplit",
        "from http import HTTPStatus",
        "from harvesting.http.fetch import Fetcher",
        "from django.http import HttpRequest",
        "etree.XMLParser(**PARSER_OPTIONS)",
        "etree.XMLParser(no_network=True, recover=False)",
        "print('curls')",
    ],
)
def test_harmless_code_is_allowed(source: str) -> None:
    assert not forbidden("aggregator/views.py", source)


def test_the_sample_provider_only_serves() -> None:
    assert not forbidden("sampleprovider/protocols/oai.py", "from http.server import ThreadingHTTPServer")
    assert forbidden("sampleprovider/protocols/oai.py", "import socket")
    assert forbidden("sampleprovider/server.py", "import requests")
    assert forbidden("harvesting/harvest/store.py", "import http.server")


def test_a_file_that_may_one_thing_may_no_other() -> None:
    assert forbidden("harvesting/http/addresses.py", "import requests")
    assert forbidden("aggregator/deployment/launch.py", "import urllib3")
