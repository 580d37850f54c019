"""The files in deploy/ fit the program: commands, names of settings, metrics; and a site that is run as they say
works.
"""

import configparser
import http.client
import os
import re
import runpy
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
import redis
import yaml
from django.conf import settings

from aggregator.access.permissions import addresses
from aggregator.deployment import embedded_valkey
from core.http.rate_limit import Counts, RateLimit
from tests.database import fill
from tests.paths import ROOT
from tests.test_docs import command_names, environment_names

pytestmark = pytest.mark.xdist_group("launch")
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
CODE, PYTHON = "/opt/aggregator/app", "/opt/aggregator/app/.venv/bin/python"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
OURS = {name: service for name, service in COMPOSE.items() if service["image"] == "aggregator"}
HARDENED = {"NoNewPrivileges": "true", "ProtectSystem": "strict", "PrivateTmp": "true", "User": "aggregator"}
SECONDS = 300.0  # for a slow machine


def settings_of(capsys, *header: str) -> dict[str, str]:
    module = runpy.run_path(str(DEPLOY / "new_settings.py"))
    assert module["main"](["books.example.jp", "harvest@library.example.jp", *header]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def unit(path: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(path)
    return parser


def arguments_of(path: Path) -> list[str]:
    """The arguments of the Python that a systemd unit starts."""
    python, *rest = shlex.split(unit(path)["Service"]["ExecStart"])
    assert python == PYTHON
    return rest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_one_of_our_commands_and_is_restricted(path):
    program, command, *_arguments = arguments_of(path)
    service = unit(path)["Service"]
    assert program == "manage.py"
    assert command in command_names()
    assert HARDENED.items() <= dict(service).items()
    assert service["WorkingDirectory"] == CODE
    assert float(service["TimeoutStopSec"]) <= 30


def test_the_target_wants_every_unit():
    text = (DEPLOY / "systemd" / "aggregator.target").read_text()
    wanted = {re.sub(r"@\d+", "@", name) for name in re.findall(r"aggregator-\S+\.(?:service|timer)", text)}
    timers = {path.name for path in (DEPLOY / "systemd").glob("*.timer")}
    started_by_timers = {name.replace(".timer", ".service") for name in timers}
    assert wanted == {path.name for path in UNITS} - started_by_timers | timers


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_understands_the_units(tmp_path):
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text().replace(PYTHON, sys.executable).replace(CODE, str(ROOT))
        (tmp_path / path.name).write_text(text.replace("@.service", "@1.service"))
    names = [str(tmp_path / path.name) for path in (DEPLOY / "systemd").iterdir()]
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if "aggregator" in line]
    assert complaints == []


def test_the_containers_run_our_commands_with_our_settings():
    for service in OURS.values():
        python, program, command, *_arguments = service["command"]
        assert (python, program) == ("python", "manage.py")
        assert command in command_names()
        assert service["environment"].keys() <= environment_names()
    started = {" ".join(service["command"][2:4]) for service in OURS.values()}
    assert started >= {" ".join(arguments_of(path)[1:3]) for path in UNITS if "web" not in path.name}


def test_units_and_containers_have_a_worker_for_every_queue():
    of_units = [arguments_of(path)[1:] for path in UNITS]
    of_containers = [service["command"][2:] for service in OURS.values()]
    for commands in (of_units, of_containers):
        listening = {queue for command, *queues in commands if command == "worker" for queue in queues}
        assert listening == set(settings.RQ_QUEUES)


def test_the_queue_of_the_containers_drops_nothing():
    command = COMPOSE["queue"]["command"]
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_the_queue_of_the_containers_has_no_port_and_a_socket_that_only_they_have():
    queue = COMPOSE["queue"]
    options = dict(pairwise(queue["command"]))
    assert options["--port"] == "0"
    assert "ports" not in queue
    assert queue["volumes"] == ["queue:/queue"]
    for service in OURS.values():
        assert service["environment"]["REDIS_URL"] == f"unix://{options['--unixsocket']}?db=0"
        assert "queue:/queue" in service["volumes"]


@pytest.mark.skipif(not shutil.which("redis-server"), reason="no Redis here")
def test_the_queue_of_an_installation_is_closed_to_other_users(capsys, tmp_path):
    """Redis with a configuration like Debian's and our lines: no port, and a socket for its user and group only."""
    lines = (DEPLOY / "redis.conf").read_text()
    url = settings_of(capsys)["REDIS_URL"]
    path = re.search(r"^unixsocket (.+)$", lines, re.MULTILINE)[1]
    assert url == f"unix://{path}?db=0"
    port, own = free_port(), tmp_path / "socket"
    configuration = tmp_path / "redis.conf"
    configuration.write_text(f"bind 127.0.0.1\nport {port}\nsave ''\ndir {tmp_path}\n{lines.replace(path, str(own))}")
    server = subprocess.Popen(["redis-server", str(configuration)], stdout=subprocess.DEVNULL)
    try:
        wait_for(own.exists)
        here = f"unix://{own}?db=0"
        wait_for(lambda: answers(here))
        assert own.stat().st_mode & 0o777 == 0o770
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 1)
        assert redis.Redis.from_url(here).config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert RateLimit(Counts(here), "a", 1, 60).take("a").is_counted
    finally:
        server.terminate()
        server.wait(60)


def answers(url: str) -> bool:
    try:
        return bool(redis.Redis.from_url(url).ping())
    except redis.RedisError:
        return False


def test_every_process_has_a_limit_of_memory():
    assert [path.name for path in UNITS if "MemoryMax" not in unit(path)["Service"]] == []
    assert [name for name, service in OURS.items() if not service.get("mem_limit")] == []


def test_the_workers_that_nobody_waits_for_have_half_of_a_share_of_the_processors():
    """The priority of a process counts only within its own unit or container."""
    units = [path.name for path in UNITS if unit(path)["Service"].get("CPUWeight") == "50"]  # of 100
    assert sorted(units) == ["aggregator-aggregation.service", "aggregator-worker@.service"]
    containers = [name for name, service in OURS.items() if service.get("cpu_shares") == 512]  # of 1,024
    assert sorted(containers) == ["aggregation", "worker"]


def test_the_image_is_made_of_the_lock():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    assert any("--require-hashes -r requirements.txt" in line for line in lines)
    (command,) = [yaml.safe_load(line.removeprefix("CMD ")) for line in lines if line.startswith("CMD ")]
    assert command[1:3] == ["manage.py", "web"]
    assert any(line == "USER aggregator" for line in lines)


def test_new_settings_are_settings_and_each_time_others(capsys):
    first, second = settings_of(capsys), settings_of(capsys)
    assert first.keys() <= environment_names()
    secret = {"SECRET_KEY", "CREDENTIALS_KEYS", "METRICS_TOKEN"}
    assert {name for name in first if first[name] != second[name]} == secret


def test_settings_for_single_sign_on_have_a_secret_for_the_web_server(capsys):
    first, second = settings_of(capsys, "X-Remote-User"), settings_of(capsys, "X-Remote-User")
    assert first["REMOTE_USER_HEADER"] == "X-Remote-User"
    assert first["REMOTE_USER_SECRET"] != second["REMOTE_USER_SECRET"]
    assert first.keys() <= environment_names()


def nginx_for(tmp_path, capsys, *lines: str) -> str:
    path = tmp_path / "aggregator.env"
    path.write_text("\n".join(("# a comment", "PUBLIC_URL=https://catalogue.example.org", *lines)))
    assert runpy.run_path(str(DEPLOY / "new_settings.py"))["main"](["--nginx", str(path)]) == 0
    return capsys.readouterr().out


def test_the_configuration_of_nginx_has_the_name_of_the_site_and_removes_names_of_people(tmp_path, capsys):
    text = nginx_for(tmp_path, capsys)
    assert text.count("server_name catalogue.example.org;") == 2
    assert "books.example.jp" not in text
    assert text.count('proxy_set_header X-Remote-User "";') == 1


def test_the_configuration_of_nginx_clears_the_configured_header_and_sends_the_secret_at_the_login(tmp_path, capsys):
    text = nginx_for(tmp_path, capsys, "REMOTE_USER_HEADER=X-Shib-User", "REMOTE_USER_SECRET=s3cret")
    assert text.count("proxy_set_header X-Shib-User $aggregator_user;") == 1
    assert '~^(/ja|/en)?/login$ "s3cret ";' in text
    assert 'default "";' in text


def test_the_log_of_nginx_hides_every_link_with_a_token():
    text = (DEPLOY / "nginx.conf").read_text()
    hidden = re.compile(re.search(r"~(\^\(\?<link_start>.*?\)/\)) ", text)[1].replace("?<", "?P<"))
    routes = [f"/{route}" for _name, route, _parts in addresses() if route.endswith("<str:token>")]
    assert len(routes) >= 5
    assert [route for route in routes if not hidden.match(route)] == []


def test_nginx_passes_the_client_address_and_hides_the_metrics():
    text = (DEPLOY / "nginx.conf").read_text()
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in text
    assert re.search(r"location = /metrics \{\s+return 404;", text)
    assert text.count("{") == text.count("}")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[dict[str, str]]:
    """The environment of an installation with the settings of deploy/, on a data folder and a queue of its own."""
    folder = tmp_path_factory.mktemp("site")
    folder.chmod(0o700)
    command = [sys.executable, str(DEPLOY / "new_settings.py"), "books.example.jp", "harvest@library.example.jp"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    new_settings = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    overrides = {
        "AGGREGATOR_DATA": str(folder),
        "DATABASE_URL": "",
        "REDIS_URL": embedded_valkey.url(folder),
        "LC_ALL": "C.UTF-8",
    }
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    queue = subprocess.Popen([sys.executable, "-m", "aggregator.deployment.embedded_valkey", str(folder)], cwd=ROOT)
    environment = {**inherited, **new_settings, **overrides}
    del environment["DATABASE_URL"]
    fill(folder / "aggregator.sqlite3")
    manage(environment, "prepare").check_returncode()
    yield environment
    queue.terminate()
    queue.wait(60)


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
@pytest.mark.sample
def test_the_settings_of_an_installation_have_no_finding(site):
    done = manage(site, "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"SECRET_KEY": "short"}, "E015"),
        ({"REDIS_URL": "redis://queue.example.jp/0"}, "E020"),
    ],
)
@pytest.mark.slow
@pytest.mark.sample
def test_an_installation_with_an_unsafe_queue_or_secret_does_not_start(site, changed, code):
    done = manage({**site, **changed}, "web", "--port", "1")
    assert done.returncode != 0
    assert f"aggregator.{code}" in done.stderr


WORKERS = [path for path in UNITS if arguments_of(path)[1] == "worker"]


@pytest.mark.slow
@pytest.mark.sample
@pytest.mark.parametrize("path", WORKERS)
def test_the_workers_of_the_units_do_what_is_in_the_queue(site, path):
    done = manage(site, *arguments_of(path)[1:], "--burst")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.sample
def test_the_dispatcher_of_the_units_looks(site):
    assert manage(site, "dispatch", "--once").returncode == 0


@pytest.mark.slow
@pytest.mark.sample
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does not tell which signals are awaited")
def test_the_dispatcher_ends_in_order(site):
    process = subprocess.Popen([sys.executable, "manage.py", "dispatch"], cwd=ROOT, env=site)
    caught = re.compile(r"^SigCgt:\s+([0-9a-f]+)", re.MULTILINE)
    status = Path(f"/proc/{process.pid}/status")
    wait_for(lambda: int(caught.search(status.read_text())[1], 16) & 1 << signal.SIGTERM - 1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(SECONDS) == 0


def answer(port: int, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def wait_for(condition) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)


@pytest.fixture
def web(site) -> Iterator[tuple[subprocess.Popen, int]]:
    """The web server as the unit starts it, and its port."""
    port = free_port()
    command = [sys.executable, *arguments_of(DEPLOY / "systemd" / "aggregator-web.service"), "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, env=site, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: server.poll() is not None or answer(port, "/healthz?live") == 200)
    yield server, port
    server.terminate()  # killed, it would leave its processes behind
    server.wait(SECONDS)


@pytest.mark.slow
@pytest.mark.sample
def test_the_web_server_answers_those_who_run_it_and_ends_in_order(site, web):
    server, port = web
    assert answer(port, "/healthz") == 200
    assert answer(port, "/metrics") == 403
    assert answer(port, "/metrics", Authorization=f"Bearer {site['METRICS_TOKEN']}") == 200
    server.send_signal(signal.SIGTERM)
    assert server.wait(SECONDS) == 0


@pytest.mark.slow
def test_the_web_server_takes_up_new_code_without_a_refused_request(web):
    server, port = web
    before = set(psutil.Process(server.pid).children())
    server.send_signal(signal.SIGHUP)
    answers: list[int] = []
    wait_for(lambda: answers.append(answer(port, "/about")) or is_renewed(server, before))
    assert set(answers) == {200}
    assert answer(port, "/about") == 200


def is_renewed(server: subprocess.Popen, before: set[psutil.Process]) -> bool:
    current = set(psutil.Process(server.pid).children())
    return not before & current and len(current) == len(before)
