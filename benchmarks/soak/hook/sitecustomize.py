"""Makes every process of a soak test use its clock: PYTHONPATH has this folder, so Python imports this module first."""

import os

if os.environ.get("SOAK_CLOCK"):
    from benchmarks.soak.clock import enter

    enter()
