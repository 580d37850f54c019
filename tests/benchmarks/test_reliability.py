"""The report of reliability: verdicts of the goals that other programs measure, and runs that were interrupted."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import reliability
from benchmarks.reliability_goals import TESTS, table
from benchmarks.reliability_report import written
from tests.paths import ROOT

MILLION = {"books": 1_000_000}
FAST = [
    {"test": "search", "rate": 120, "p95_ms": 150, **MILLION},
    {"test": "books", "rate": 700, "p95_ms": 50, **MILLION},
    {"test": "oai", "rate": 110, **MILLION},
]
OVERLOAD = {
    "test": "overload",
    "connections": 200,
    "p95_ms": 250,
    "failed": 0,
    "refusal_p95_ms": 20,
    "without_wait": 0,
    "recovered_s": 2.0,
    **MILLION,
}
FLOOD = {"test": "flood", "addresses": 10_000, "seconds": 60, "served": 99.5, "searches_served": 99.1, **MILLION}
SLOW = {"test": "slow", "clients": 500, "heads": 30, "bodies": 40, "readers": 90, **MILLION}
LEG = {"kills": 1000, "during_run": 900, "database": "sqlite", "victims": {"worker": 1000}, "violations": []}


def verdict(number: str, name: str, rows: list[dict]) -> str:
    found = {goal: reached for goal, _text, _figure, reached in table(lambda asked: rows if asked == name else [])}
    return found[number]


@pytest.mark.parametrize(
    ("number", "name", "rows", "expected"),
    [
        ("G16", "load", FAST, "yes"),
        ("G16", "load", FAST[:2], "NO"),
        ("G16", "load", [*FAST, {**FAST[0], "rate": 90}], "NO"),
        ("G16", "load", [*FAST[:2], {**FAST[2], "books": 20_000}], "NO"),
        ("G17", "load", [OVERLOAD], "yes"),
        ("G17", "load", [{**OVERLOAD, "failed": 1}], "NO"),
        ("G18", "load", [FLOOD], "yes"),
        ("G18", "load", [{**FLOOD, "searches_served": 98.0}], "NO"),
        ("G18", "load", [{**FLOOD, "addresses": 100}], "NO"),
        ("G19", "load", [SLOW], "yes"),
        ("G19", "load", [{**SLOW, "readers": float("inf")}], "NO"),
        ("G22", "tests", [{"goal": "G22", "passed": True}], "yes"),
        ("G23", "tests", [{"goal": "G23", "passed": False}], "NO"),
        ("G25", "layout", [LEG], "yes"),
        ("G25", "layout", [{**LEG, "during_run": 400}], "NO"),
        ("G25", "layout", [LEG, {**LEG, "violations": ["records: 1 lost"]}], "NO"),
        ("G25", "layout", [], "–"),
    ],
)
def test_a_goal_is_judged_by_its_figures(number, name, rows, expected):
    assert verdict(number, name, rows) == expected


def test_the_tests_that_are_counted_exist():
    assert [file for files in TESTS.values() for file in files if not (ROOT / file).exists()] == []


def test_a_suite_that_has_passed_is_not_run_again(tmp_path, monkeypatch):
    works, fails = [sys.executable, "-c", "print(1)"], [sys.executable, "-c", "raise SystemExit(1)"]
    monkeypatch.setattr(reliability, "suites", lambda _options: {"right": works, "wrong": fails})
    monkeypatch.setattr(reliability, "REPORT", tmp_path / "report.md")
    begun: list[str] = []
    run = reliability.run
    monkeypatch.setattr(reliability, "run", lambda name, *rest: begun.append(name) or run(name, *rest))
    for more in ([], [], ["--only", "right"]):
        monkeypatch.setattr(sys, "argv", ["reliability", "--results", str(tmp_path / "results"), *more])
        reliability.main()
    assert begun == ["right", "wrong", "wrong", "right"]


def test_kills_of_a_whole_site_are_reported(tmp_path: Path):
    (tmp_path / "layout").mkdir()
    (tmp_path / "layout" / "layout.jsonl").write_text(json.dumps(LEG) + "\n", encoding="utf-8")
    text = written(tmp_path)
    assert "| worker | 1000 |" in text
    assert "1000 kills (sqlite), 900 of them during a harvest, 0 violations | yes |" in text
