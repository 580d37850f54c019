"""Writes every case of these suites as a line to hostile.jsonl in the folder that RELIABILITY_RESULTS names.

A line has the keys "suite", "case", "passed" and "figure"; a test sets the latter with record_property("figure", …).
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    folder = os.environ.get("RELIABILITY_RESULTS", "")
    if folder and report.when == "call" and item.path.parent == FOLDER and not report.skipped:
        figures = [value for name, value in report.user_properties if name == "figure"]
        line = {
            "suite": item.path.stem.removeprefix("test_"),
            "case": item.name,
            "passed": bool(report.passed),
            "figure": figures[0] if figures else None,
        }
        with Path(folder, "hostile.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return report
