"""run.py: the arguments, the search for a Python, and an environment that is either complete or absent."""

import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.paths import ROOT

LOCK = "requirements.txt"


@pytest.fixture
def run(tmp_path: Path, monkeypatch):
    """run.py as a module, working in a folder of its own whose name has a space."""
    spec = importlib.util.spec_from_file_location("run", ROOT / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in (LOCK, "requirements-test.txt"):
        (folder / name).write_text("")
    (folder / ".python-version").write_text("3.13\n")
    monkeypatch.setattr(module, "ROOT", str(folder))
    monkeypatch.setattr(module, "VENV", str(folder / ".venv"))
    monkeypatch.setattr(module, "PYTHON", str(folder / ".venv" / "bin" / "python"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return module


@pytest.fixture
def bare_venv(run, monkeypatch):
    """An environment without pip, which takes little time to create."""
    monkeypatch.setattr(run, "make_venv", lambda: venv.create(run.VENV, symlinks=True))


@pytest.fixture
def installed(run, bare_venv, monkeypatch):
    """Nothing is installed; the names of the lock files that would have been are recorded here."""
    locks: list[str] = []
    monkeypatch.setattr(run, "install", locks.append)
    return locks


def call_run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd="/", env={**os.environ, **environment})


@pytest.mark.parametrize(
    ("arguments", "command", "rest"),
    [
        ([], "demo", []),
        (["--port", "8001"], "demo", ["--port", "8001"]),
        (["test", "-k", "a word"], "test", ["-k", "a word"]),
        (["manage", "search", "--json"], "manage", ["search", "--json"]),
        (["--help"], "help", []),
    ],
)
def test_the_first_word_is_the_command(run, arguments, command, rest):
    assert run.split_command(arguments) == (command, rest)


def test_the_whole_suite_uses_all_processors_and_a_part_of_it_one(run):
    assert run.spread(["-m", "slow"])[:2] == ["-n", "auto"]
    assert run.spread([__file__, "-x"]) == run.spread([f"{__file__}::test_help_exits_0"]) == []
    assert run.spread(["-n", "3"]) == []


def test_bytecode_of_the_tests_is_kept_in_the_environment_if_it_must_not_be_beside_the_sources(run, monkeypatch):
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    run.keep_bytecode()
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    assert Path(os.environ["PYTHONPYCACHEPREFIX"]).parent == Path(run.VENV)


def test_a_benchmark_runs_as_a_module_with_its_arguments(run, monkeypatch):
    monkeypatch.setattr(run, "ROOT", str(ROOT))
    assert run.module("bench", ["load.books", "--books", "10"]) == ["benchmarks.load.books", "--books", "10"]
    assert {"harvest", "search", "soak", "load.books"} <= set(run.benchmarks())
    assert "harvest_ours" not in run.benchmarks()


def test_a_benchmark_gets_the_packages_of_the_tests_and_its_own(run, monkeypatch):
    monkeypatch.setattr(run, "ROOT", str(ROOT))
    assert run.further_locks("bench", ["harvest"]) == run.further_locks("test", []) == ["requirements-test.txt"]
    assert run.further_locks("bench", ["mutants"]) == ["requirements-test.txt", "requirements-mutants.txt"]
    assert run.further_locks("demo", []) == []


@pytest.mark.parametrize("arguments", [["bench"], ["bench", "nothing"]])
def test_an_unknown_benchmark_lists_those_that_exist_and_exits_2(arguments):
    done = call_run(*arguments)
    assert done.returncode == 2
    assert "benchmarks: aggregate, " in done.stderr


def test_an_unknown_command_shows_the_usage_and_exits_2():
    done = call_run("harvst")
    assert done.returncode == 2
    assert "run.py manage" in done.stderr


def test_help_exits_0():
    done = call_run("--help")
    assert done.returncode == 0
    assert "run.py test" in done.stdout


def test_the_environment_is_made_once(run, installed):
    run.prepare()
    run.prepare()
    assert installed == [LOCK]
    assert Path(run.PYTHON).exists()


def test_the_tests_add_their_lock_once(run, installed):
    run.prepare("requirements-test.txt")
    run.prepare("requirements-test.txt")
    assert installed == [LOCK, "requirements-test.txt"]


def test_a_new_lock_makes_a_new_environment(run, installed):
    run.prepare()
    leftover = Path(run.VENV, "leftover")
    leftover.touch()
    Path(run.ROOT, LOCK).write_text("one==1\n")
    run.prepare()
    assert installed == [LOCK, LOCK]
    assert not leftover.exists()


def test_an_interrupted_installation_is_repeated(run, installed):
    run.prepare()
    Path(run.stamp_path(LOCK)).unlink()
    run.prepare()
    assert installed == [LOCK, LOCK]


def test_an_environment_whose_python_is_gone_is_made_again(run, installed):
    run.prepare()
    Path(run.PYTHON).unlink()
    run.prepare()
    assert Path(run.PYTHON).exists()


@pytest.mark.parametrize(
    ("locale", "sentence"), [("en_GB.UTF-8", "Check the network"), ("ja_JP.UTF-8", "ネットワーク")]
)
def test_a_failed_installation_is_reported_and_leaves_nothing(run, bare_venv, monkeypatch, capsys, locale, sentence):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setattr(run, "install", lambda lock: run.call("packages", ["ls", "/nowhere"]))
    assert run.main(["manage", "check"]) == 1
    output = capsys.readouterr().err.splitlines()
    assert "/nowhere" in output[-2]
    assert sentence in output[-1]
    assert not Path(run.VENV).exists()


def test_no_python_and_no_way_to_fetch_one_is_reported(run, monkeypatch, capsys):
    monkeypatch.setattr(run, "find_python", lambda: "")
    monkeypatch.setattr(run, "find_uv", lambda: "")
    monkeypatch.setattr(run.sys, "executable", "/nowhere/python3")
    assert run.main(["manage", "check"]) == 1
    assert "Python 3.12 or newer was not found" in capsys.readouterr().err
    assert not Path(run.VENV).exists()


def test_a_python_too_old_or_broken_is_passed_over(run, tmp_path, monkeypatch):
    shim, old, good = (tmp_path / name for name in ("shim", "old", "good"))
    shim.write_text("#!/bin/sh\nexit 127\n")
    old.write_text("#!/bin/sh\nexit 1\n")
    good.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for script in (shim, old, good):
        script.chmod(0o755)
    monkeypatch.setattr(run.sys, "version_info", (3, 8, 18))
    monkeypatch.setattr(run, "candidates", lambda: iter(["", "/nowhere", str(shim), str(old), str(good)]))
    assert run.find_python() == str(good)


def test_pyenv_versions_come_first_even_when_not_active(run, tmp_path, monkeypatch):
    for version in ("3.11.7", "3.12.1", "3.13.0"):
        (tmp_path / "versions" / version).mkdir(parents=True)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    first, second = list(run.candidates())[:2]
    assert first == str(tmp_path / "versions" / "3.13.0" / "bin" / "python")
    assert second == str(tmp_path / "versions" / "3.12.1" / "bin" / "python")


@pytest.mark.skipif(not (ROOT / ".venv" / f"{LOCK}.stamp").exists(), reason="no .venv made by run.py")
def test_a_command_in_an_existing_environment_is_only_run():
    """Arguments are passed on unchanged, from any folder, and the exit code is that of the command."""
    done = call_run("manage", "no such command")
    assert done.returncode == 1
    assert "no such command" in done.stderr
