"""The figures of a load test for `benchmarks.reliability`."""

import json
import os
from pathlib import Path
from typing import Any


def note(test: str, **figures: Any) -> None:
    """Append the figures as a line of JSON to TEST.jsonl in the folder that RELIABILITY_RESULTS names, if any."""
    if folder := os.environ.get("RELIABILITY_RESULTS", ""):
        with Path(folder, f"{test}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(figures) + "\n")
