"""The machine and the programs with which a benchmark runs, in one line for RESULTS.md: `python3 run.py bench machine`.

Some builds of Python are a quarter quicker than others, so the line names the compiler and its options: the level of
optimisation, and whether Python was built with a profile (PGO) and optimised as a whole (LTO).
"""

import os
import platform
import re
import sqlite3
import sysconfig
from importlib.metadata import version


def machine() -> str:
    """Return, for example, "2 processors, Linux x86_64; Python 3.13.0 (GCC 12.2.0, -O3, no PGO, no LTO); …"."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    programs = (f"SQLite {sqlite3.sqlite_version}", *(f"{name} {version(name)}" for name in ("lxml", "tantivy")))
    return f"{processors} processors, {platform.system()} {platform.machine()}; {python()}; {', '.join(programs)}"


def python() -> str:
    """Return the version of Python and how it was built."""
    options = str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    levels = re.findall(r"-O\w+", str(sysconfig.get_config_var("PY_CFLAGS") or ""))
    built = [
        platform.python_compiler(),
        levels[-1] if levels else "no optimisation",
        "PGO" if "--enable-optimizations" in options else "no PGO",
        "LTO" if "--with-lto" in options else "no LTO",
    ]
    return f"{platform.python_implementation().replace('CPython', 'Python')} {platform.python_version()} ({', '.join(built)})"


if __name__ == "__main__":
    print(machine())
