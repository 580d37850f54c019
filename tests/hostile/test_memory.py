"""The memory that a process needs for parsing the worst documents stays below a limit."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.documents import document, encodings, expansions, sizes
from tests.paths import ROOT

WORST = expansions() | sizes() | encodings()
SAMPLE = {"billion laughs", "many attributes", "huge text", "deep", "many elements"}
MOST = 300 * 1024  # KiB
# Prints the KiB by which parsing standard input raises the process's peak memory.
CHILD = """
import re, sys
from contextlib import suppress
from metadata.xml.parsing import XmlError, parse
data = sys.stdin.buffer.read()
# Not getrusage: its figure includes the memory of the parent process at the start.
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
before = most()
with suppress(XmlError):
    parse(data)
print(most() - before)
"""
PROTOCOLS = ("plain", "oai-pmh")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SAMPLE else [pytest.mark.slow]) for name in WORST]
)
def test_memory(name: str, protocol: str, record_property: Callable[[str, object], None]) -> None:
    data = document(WORST[name], protocol, "/nowhere", "http://127.0.0.1:1")
    run = subprocess.run([sys.executable, "-c", CHILD], cwd=ROOT, capture_output=True, input=data, timeout=60)
    assert run.returncode == 0, run.stderr
    record_property("figure", f"{int(run.stdout) // 1024} MiB")
    assert int(run.stdout) <= MOST
