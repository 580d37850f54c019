"""The installation of the production guide, run word for word in temporary folders, with stubs for root and systemd."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aggregator.deployment import embedded_valkey
from tests.paths import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "run-in-production.md").read_text(encoding="utf-8")
OWN = ("AGGREGATOR_DATA", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PUBLIC_URL", "SECRET_KEY")
# Commands that need root, a distribution or systemd, replaced by shell scripts: runuser and install work without root,
# systemctl only starts the web server, the others do nothing.
STUBS = {
    "runuser": 'shift 3\nexec "$@"',
    "install": 'kept=""\nwhile [ $# -gt 0 ]; do case $1 in -o|-g) shift 2;; *) kept="$kept $1"; shift;; esac; done\n'
    "exec /usr/bin/install $kept",
    "systemctl": '[ "$1" = enable ] || exit 0\nset -a\n. "$ETC/aggregator.env"\nset +a\ncd "$CODE"\n'
    "nohup .venv/bin/python manage.py web --port $PORT > $ETC/web.log 2>&1 &\necho $! > $ETC/web.pid",
    **dict.fromkeys(("apt-get", "useradd", "createuser", "createdb", "chgrp"), "exit 0"),
}  # fmt: skip


def installation_commands() -> list[str]:
    """The lines of the first code block of the guide; each is a command."""
    match = re.search(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
    assert match
    return match[1].splitlines()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """An empty folder in place of a machine, with a queue server. Returns (environment, path in the guide -> path in
    the folder).
    """
    data, port = tmp_path / "data", str(free_port())
    replacements = {
        "/opt/aggregator/app": str(tmp_path / "app"),
        "/var/lib/aggregator": str(data),
        "/etc/aggregator": str(tmp_path / "etc"),
        "/usr/local/bin/aggregator": str(tmp_path / "bin" / "aggregator"),
        "/etc/systemd/system/": str(tmp_path / "systemd"),
        "/etc/nginx/conf.d/aggregator.conf": str(tmp_path / "nginx.conf"),
        "/etc/redis/redis.conf": str(tmp_path / "redis.conf"),
        "127.0.0.1:8000": f"127.0.0.1:{port}",
        "$(git remote get-url origin)": str(ROOT),
    }
    for name, lines in STUBS.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "systemd").mkdir()
    inherited = {name: value for name, value in os.environ.items() if name not in OWN}
    environment = {
        **inherited,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "AGGREGATOR_SETTINGS": str(tmp_path / "etc" / "aggregator.env"),
        "AGGREGATOR_CODE": str(tmp_path / "app"),
        "AGGREGATOR_USER": subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip(),
        "ETC": str(tmp_path / "etc"),
        "CODE": str(tmp_path / "app"),
        "PORT": port,
    }
    queue = subprocess.Popen([sys.executable, "-m", "aggregator.deployment.embedded_valkey", str(data)], cwd=ROOT)
    yield environment, replacements
    queue.terminate()
    queue.wait(60)


def substituted(line: str, replacements: dict[str, str]) -> str:
    for original, replacement in replacements.items():
        line = line.replace(original, replacement)
    return line


@pytest.mark.slow
@pytest.mark.long
def test_the_installation_of_the_readme_works_word_for_word(machine, tmp_path: Path):
    environment, replacements = machine
    script = ["set -eu"]
    for line in installation_commands():
        script.append(substituted(line, replacements))
        if "new_settings.py" in line:  # use a database and a queue of this test
            settings, queue = tmp_path / "etc" / "aggregator.env", embedded_valkey.url(tmp_path / "data")
            script.append(f"sed -i -e '/^DATABASE_URL/d' -e 's#^REDIS_URL=.*#REDIS_URL={queue}#' {settings}")
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    process = int((tmp_path / "etc" / "web.pid").read_text()) if (tmp_path / "etc" / "web.pid").exists() else 0
    try:
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        assert "System check identified no issues" in done.stdout + done.stderr
        assert '"status": "ok"' in done.stdout
    finally:
        if process:
            os.kill(process, signal.SIGTERM)
            time.sleep(1)
    assert (tmp_path / "etc" / "aggregator.env").stat().st_mode & 0o007 == 0


def test_the_section_of_the_readme_names_every_step():
    commands = "\n".join(installation_commands())
    for step in (
        "new_settings.py",
        "aggregator prepare",
        "aggregator check --deploy",
        "aggregator.target",
        "nginx.conf",
    ):
        assert step in commands
