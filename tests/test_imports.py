"""Every module can be imported first: no module works only because another one was imported before it."""

import subprocess
import sys

import pytest

from tests.levels import LEVELS
from tests.paths import ROOT

# One process for each package; it forks for every module, so that each one is imported into a fresh state.
IMPORT_ALONE = """
import os, sys
from pathlib import Path
package = sys.argv[1]
if package in ("harvesting", "aggregator"):
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    django.setup()
for path in sorted(Path(package).rglob("*.py")):
    if path.name == "__main__.py":
        continue
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    child = os.fork()
    if not child:
        try:
            __import__(name)
        except ImportError as error:
            print(name, error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.slow
@pytest.mark.sample
@pytest.mark.parametrize("package", sorted(LEVELS))
def test_every_module_can_be_imported_first(package: str) -> None:
    command = [sys.executable, "-c", IMPORT_ALONE, package]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""
