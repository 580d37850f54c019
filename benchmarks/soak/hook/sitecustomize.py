"""Python imports this at the start of every process of a soak: PYTHONPATH leads here. Knows only the clock."""

import os

if os.environ.get("SOAK_CLOCK"):
    from benchmarks.soak.clock import enter

    enter()
