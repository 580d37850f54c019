"""A pytest plugin for `benchmarks.reliability`: writes the outcomes of tests that belong to a goal as JSON Lines."""

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest
from django.db import connection

from benchmarks.reliability_goals import TESTS

ROOT = Path(__file__).resolve().parent.parent
GOAL_OF = {file: goal for goal, files in TESTS.items() for file in files}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    folder, goal = os.environ.get("RELIABILITY_RESULTS", ""), GOAL_OF.get(str(item.path.relative_to(ROOT)))
    if folder and goal and (report.when == "call" or report.failed) and not report.skipped:
        line = {"goal": goal, "database": connection.vendor, "test": item.name, "passed": bool(report.passed)}
        with Path(folder, "tests.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return report
