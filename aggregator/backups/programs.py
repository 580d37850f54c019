"""Other programs that a backup needs: the tools of PostgreSQL, and this program itself on another database."""

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

LONGEST = 500  # characters that are repeated of what a program said
_MAJOR = re.compile(r"\(PostgreSQL\) (\d+)")


def tool(name: str, least: int = 0) -> str:
    """The path of a tool of PostgreSQL. least: the server's major version. Raises BackupError."""
    path = shutil.which(name)
    if path is None:
        text = _("The program %(name)s is not on PATH. Install the client tools of PostgreSQL %(least)s or newer.")
        raise BackupError(text % {"name": name, "least": least or ""})
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 our own words
    major = _MAJOR.search(told.stdout)
    if least and major and int(major[1]) < least:
        text = _("%(name)s is of version %(found)s, and the server of version %(least)s. Install newer client tools.")
        raise BackupError(text % {"name": name, "found": major[1], "least": least})
    return path


def start(command: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[str]":
    """A program that runs beside us; its errors are kept for `finish`."""
    return subprocess.Popen(  # noqa: S603 our own words
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def finish(process: "subprocess.Popen[str]", name: str) -> None:
    """Wait for its end. Raises BackupError with what it said if it failed."""
    said = process.communicate()[1]
    if process.returncode:
        lines = [line for line in (said or "").splitlines() if line.strip()]
        text = _("%(name)s failed: %(reason)s")
        raise BackupError(text % {"name": name, "reason": " / ".join(lines)[:LONGEST] or process.returncode})


def manage(*arguments: str, database: str) -> None:
    """One of our commands on another database. Raises BackupError with what it said if it failed."""
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *arguments]
    finish(start(command, {"DATABASE_URL": database}), arguments[0])
