"""Freed memory goes back to the system, also that of threads that have ended."""

import subprocess
import sys

import pytest

from tests.paths import ROOT

# Sixteen threads take 20 MB each in pieces of 300 kB, as merges of the search engine do, and free it, but for one small
# piece each. Prints how many MB the process has more than before.
LOOK = """
import sys, threading
from benchmarks.stages import own_mb
from ctypes import CDLL, c_size_t, c_void_p, memset
from core.work.allocator import limit_freed_memory

if sys.argv[1] == "limited":
    limit_freed_memory()
library = CDLL(None)
library.malloc.restype, library.malloc.argtypes = c_void_p, [c_size_t]
library.free.argtypes = [c_void_p]
together = threading.Barrier(16)

def work():
    taken = []
    for _ in range(70):
        piece = library.malloc(300_000)
        memset(piece, 1, 300_000)
        taken.append(piece)
    library.malloc(1000)
    together.wait()
    for piece in taken:
        library.free(piece)

before = own_mb()
for _ in range(2):  # after the first large pieces were freed, glibc keeps such pieces
    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(own_mb() - before)
"""


def kept_mb(how: str) -> float:
    command = [sys.executable, "-c", LOOK, how]
    return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of glibc")
def test_freed_memory_of_ended_threads_is_not_kept() -> None:
    assert kept_mb("limited") < 10 < 50 < kept_mb("as it is")
