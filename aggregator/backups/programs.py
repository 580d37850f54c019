"""External programs for backups: the tools of PostgreSQL, and manage.py on another database."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from aggregator.backups.manifest import BackupError

MAX_REASON = 500  # characters of a program's error output in our message
_MAJOR = re.compile(r"\(PostgreSQL\) (\d+)")


def tool(name: str, least: int = 0) -> str:
    """Return the path of a tool of PostgreSQL. least: the server's major version, which the tool must have at least.

    Raises BackupError.
    """
    path = shutil.which(name)
    if path is None:
        text = _("The program %(name)s is not on PATH. Install the client tools of PostgreSQL %(least)s or newer.")
        raise BackupError(text % {"name": name, "least": least or ""})
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 fixed arguments
    major = _MAJOR.search(version.stdout)
    if least and major and int(major[1]) < least:
        text = _("%(name)s is version %(found)s, but the server is version %(least)s. Install newer client tools.")
        raise BackupError(text % {"name": name, "found": major[1], "least": least})
    return path


def start(command: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start a program in the background; `finish` reads its error output."""
    return subprocess.Popen(  # noqa: S603 fixed arguments
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def finish(process: "subprocess.Popen[str]", name: str) -> None:
    """Wait for the end of a program. Raises BackupError with its error output if it failed."""
    errors = process.communicate()[1]
    if process.returncode:
        lines = [line for line in (errors or "").splitlines() if line.strip()]
        text = _("%(name)s failed: %(reason)s")
        raise BackupError(text % {"name": name, "reason": " / ".join(lines)[:MAX_REASON] or process.returncode})


def manage(*arguments: str, database: str) -> None:
    """Run a manage.py command on another database. Raises BackupError with its error output if it failed."""
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *arguments]
    finish(start(command, {"DATABASE_URL": database}), arguments[0])
