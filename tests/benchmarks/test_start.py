"""Every benchmark that `run.py bench` offers can be started."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from tests.paths import ROOT


def load_run() -> ModuleType:
    spec = spec_from_file_location("run", ROOT / "run.py")
    assert spec is not None
    assert spec.loader is not None
    run = module_from_spec(spec)
    spec.loader.exec_module(run)
    return run


NAMES = [name for name in load_run().benchmarks() if name != "mutants"]  # which has packages of its own


def test_what_the_benchmarks_import_exists():
    modules = [f"benchmarks.{name}" for name in NAMES]
    program = f"import importlib\nfor name in {modules!r}: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_its_help_is_shown(name):
    command = [sys.executable, "-m", f"benchmarks.{name}", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "usage: " in done.stdout
