#!/usr/bin/env python3
"""Entry point: `python3 run.py` prepares the environment (.venv) and starts a command in it.

Uses the standard library only and runs on every Python from 3.8 on, so that an old Python can find a newer one.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

with contextlib.suppress(ImportError):  # Windows has no fcntl; `prepare` reports that it is not supported
    import fcntl

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
OLDEST = (3, 12)
COMMANDS = ("demo", "serve", "test", "bench", "manage")
USAGE = """usage: python3 run.py [demo] [--demo large] [--port 8000] [--no-serve]   set up, harvest the samples, serve
       python3 run.py serve [--port 8000]                the web server, a worker and the dispatcher
       python3 run.py test [pytest arguments]            the test suite
       python3 run.py bench NAME [arguments]             a benchmark of benchmarks/: harvest, search, load.books …
       python3 run.py manage COMMAND [arguments]         any management command"""
TEXTS = {
    "setup": ("Setting up the environment (only this time) …", "環境を準備しています(初回のみ)…"),
    "test": ("Installing what the tests need (only this time) …", "テストに必要なものを入れています(初回のみ)…"),
    "windows": (
        "Windows is not supported; run this inside WSL.",
        "Windows では動きません。WSL の中で実行してください。",
    ),
    "python": (
        "Python 3.12 or newer was not found, and could not be fetched. Install it, then run this again.",
        "Python 3.12 以上が見つからず、取得もできませんでした。インストールしてから、もう一度実行してください。",
    ),
    "venv": (
        "The environment .venv could not be created. Check the free disk space and the permissions of this folder"
        " (on Debian and Ubuntu also: apt install python3-venv), then run this again.",
        ".venv を作れませんでした。ディスクの空きとこのフォルダの権限を確かめて(Debian・Ubuntu では"
        " apt install python3-venv も)、もう一度実行してください。",
    ),
    "packages": (
        "The Python packages could not be installed. Check the network connection and the proxy settings,"
        " then run this again.",
        "Python パッケージをインストールできませんでした。ネットワークとプロキシの設定を確かめて、"
        "もう一度実行してください。",
    ),
}


class SetupError(Exception):
    """A step of the setup failed. key: of its message in TEXTS; details: the output of the failing program."""

    def __init__(self, key: str, details: str = "") -> None:
        super().__init__(key)
        self.key = key
        self.details = details


def main(arguments: list[str]) -> int:
    command, rest = split_command(arguments)
    if command == "help":
        print(USAGE)
        return 0
    if command not in COMMANDS:
        print(USAGE, file=sys.stderr)
        return 2
    if command == "bench" and "".join(rest[:1]) not in benchmarks():
        print(USAGE, f"benchmarks: {', '.join(benchmarks())}", sep="\n", file=sys.stderr)
        return 2
    try:
        prepare(*further_locks(command, rest))
    except SetupError as error:
        print(*[part for part in (error.details, say(error.key)) if part], sep="\n", file=sys.stderr)
        return 1
    return start(command, rest)


def split_command(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the command and its arguments. Without a command, or if an option comes first, the command is demo."""
    if arguments and arguments[0] in ("-h", "--help", "help"):
        return "help", []
    if not arguments or arguments[0].startswith("-"):
        return "demo", arguments
    return arguments[0], arguments[1:]


def benchmarks() -> list[str]:
    """Return the names that `bench` accepts: programs in benchmarks/, except *_ours and peer, which others start."""
    folder = os.path.join(ROOT, "benchmarks")
    names = []
    for path in glob.glob(os.path.join(folder, "**", "*.py"), recursive=True):
        with open(path, encoding="utf-8") as file:
            if '\nif __name__ == "__main__":' in file.read():
                names.append(os.path.relpath(path, folder)[:-3].replace(os.sep, ".").replace(".__main__", ""))
    return sorted(name for name in names if not name.endswith(("_ours", "peer")))


def say(key: str) -> str:
    settings = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return TEXTS[key][next(filter(None, settings), "").startswith("ja")]


def start(command: str, rest: list[str]) -> NoReturn:
    """Replace this process by the command in .venv, so that the command gets the signals and sets the exit code."""
    if os.environ.get("AGGREGATOR_DATA"):
        os.environ["AGGREGATOR_DATA"] = os.path.abspath(os.environ["AGGREGATOR_DATA"])
    if command == "manage":
        os.execv(PYTHON, [PYTHON, os.path.join(ROOT, "manage.py"), *rest])
    if command == "test":
        keep_bytecode()
    os.chdir(ROOT)
    os.execv(PYTHON, [PYTHON, "-m", *module(command, rest)])


def keep_bytecode() -> None:
    """Let the tests and the hundreds of processes that they start compile each module once, even if nothing may be
    written beside the sources: compiling at every start takes a quarter of a short command's time."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(VENV, "bytecode")


def module(command: str, rest: list[str]) -> list[str]:
    """Return what `python -m` runs for a command, with its arguments."""
    if command == "test":
        return ["pytest", *spread(rest), *rest]
    if command == "bench":
        return [f"benchmarks.{rest[0]}", *rest[1:]]
    return ["aggregator.deployment.launch", command, *rest]


def spread(rest: list[str]) -> list[str]:
    """Return pytest options that use all processors; none if the arguments name files or tests, or contain -n."""
    named = [
        argument for argument in rest if not argument.startswith("-") and os.path.exists(argument.partition("::")[0])
    ]
    return [] if named or "-n" in rest else ["-n", "auto", "--dist", "loadgroup"]


def further_locks(command: str, rest: list[str]) -> list[str]:
    """Return the lock files that a command needs besides requirements.txt. A benchmark may have one of its own."""
    names = ["requirements-test.txt"] if command in ("test", "bench") else []
    own = f"requirements-{rest[0]}.txt" if command == "bench" else ""
    return [*names, own] if own and os.path.exists(os.path.join(ROOT, own)) else names


def prepare(*further: str) -> None:
    """Create .venv with the packages of the lock files, if it is missing or the lock files have changed.

    A stamp is written after each complete installation, so an interrupted one is repeated at the next start.
    """
    if os.name == "nt":
        raise SetupError("windows")
    if not is_current("requirements.txt", ".python-version"):
        with alone():
            if not is_current("requirements.txt", ".python-version"):
                make_environment()
    for lock in further:
        if not is_current(lock):
            with alone():
                print(say("test"), file=sys.stderr, flush=True)
                install(lock)
                write_stamp(lock)


def alone() -> BinaryIO:
    """Lock this checkout until the returned file is closed.

    Without the lock, two starts at the same time would damage each other's .venv.
    """
    lock = open(os.path.abspath(__file__), "rb")  # noqa: SIM115
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def fingerprint(names: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for name in names:
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def stamp_path(name: str) -> str:
    return os.path.join(VENV, name + ".stamp")


def is_current(*names: str) -> bool:
    """Whether .venv was installed from the present contents of these files, and its Python still exists."""
    try:
        with open(stamp_path(names[0])) as file:
            return file.read() == fingerprint(names) and os.access(PYTHON, os.X_OK)
    except OSError:
        return False


def write_stamp(*names: str) -> None:
    with open(stamp_path(names[0]), "w") as file:
        file.write(fingerprint(names))


def make_environment() -> None:
    print(say("setup"), file=sys.stderr, flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    try:
        make_venv()
        install("requirements.txt")
        write_stamp("requirements.txt", ".python-version")
    except BaseException:
        shutil.rmtree(VENV, ignore_errors=True)
        raise


def make_venv() -> None:
    uv, python = find_uv(), find_python()
    if uv and python:
        call("venv", [uv, "venv", "--quiet", "--python", python, VENV])
    elif uv:
        call("python", [uv, "venv", "--quiet", "--python", wanted_version(), VENV])
    elif python:
        call("venv", [python, "-m", "venv", VENV])
    else:
        borrow_python()


def borrow_python() -> None:
    """Create .venv with a Python that uv downloads.

    The pip of the old Python first installs uv, into a folder inside .venv, so that uv is deleted together with .venv.
    """
    tools = os.path.join(VENV, "uv")
    call("python", [sys.executable, "-m", "pip", "install", "--quiet", "--target", tools, "uv"])
    uv = os.path.join(tools, "bin", "uv")
    call("python", [uv, "venv", "--quiet", "--seed", "--allow-existing", "--python", wanted_version(), VENV])


def install(lock: str) -> None:
    uv, path = find_uv(), os.path.join(ROOT, lock)
    if uv:
        call("packages", [uv, "pip", "install", "--quiet", "--python", PYTHON, "--require-hashes", "-r", path])
        return
    if not glob.glob(os.path.join(VENV, "lib", "*", "site-packages", "pip")):  # uv made this .venv, and adds no pip
        call("venv", [PYTHON, "-m", "ensurepip"])
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "-r", path]
    call("packages", [PYTHON, "-m", "pip", "install", *options])


def find_uv() -> str:
    """Return the path of uv if it is on PATH and can be run (a pyenv shim may fail); "" otherwise."""
    uv = shutil.which("uv") or ""
    return uv if uv and runs([uv, "--version"]) else ""


def call(key: str, command: list[str]) -> None:
    """Run the program of one setup step without showing its output. Raises SetupError(key, output) if it fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, check=False)
    except OSError as error:
        raise SetupError(key, str(error)) from None
    if done.returncode:
        raise SetupError(key, done.stdout.decode(errors="replace").strip())


def wanted_version() -> str:
    with open(os.path.join(ROOT, ".python-version")) as file:
        return file.read().strip()


def find_python() -> str:
    """Return the first Python that can make the environment (see `can_make_venv`); "" if there is none."""
    if sys.version_info >= OLDEST:
        own = getattr(sys, "_base_executable", None) or sys.executable
        if can_make_venv(own):
            return own
    return next(filter(can_make_venv, candidates()), "")


def candidates() -> Iterator[str]:
    versions = os.path.join(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"), "versions")
    for pattern in (wanted_version(), "3.12", "3.13", "3.14"):
        for folder in sorted(glob.glob(os.path.join(glob.escape(versions), pattern + "*")), reverse=True):
            yield os.path.join(folder, "bin", "python")
    for name in ("python3.13", "python3.12", "python3.14", "python3"):
        yield shutil.which(name) or ""


def can_make_venv(python: str) -> bool:
    """Whether a Python runs (a pyenv shim may fail), is new enough and has all modules that are needed.

    Debian has venv in a package of its own, and a Python that somebody compiled may lack SQLite.
    """
    modules = "sqlite3, ssl, sys, venv" + ("" if find_uv() else ", ensurepip")
    return bool(python) and runs([python, "-c", f"import {modules}; sys.exit(sys.version_info < {OLDEST!r})"])


def runs(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
