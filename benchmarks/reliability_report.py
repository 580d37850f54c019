"""From the results of the reliability suites to the text of RELIABILITY.md. Runs nothing."""

import json
import platform
import sqlite3
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.reliability_goals import BY_OTHERS, Results, Rows, violated
from benchmarks.reliability_goals import table as goal_table

HEAD = """# What was measured about reliability

Made by `python3 run.py bench reliability`; do not edit. Every figure below comes from its results.
Python {python}, SQLite {sqlite}, {system}.
"""
SUITES = {
    "ssrf": "Addresses that must not be reached (URLs, names, redirects): no socket is opened to them",
    "documents": "Hostile XML, through the parser and the four transports: no network, no foreign file, bounded time",
    "memory": "The same documents, each in a process of its own: bounded memory",
    "bodies": "Hostile bodies, ZIP and gzip files: bombs, endless and cut ones",
}


def written(results: Path) -> str:
    """The whole report, from results/SUITE/NAME. Suites that left no results are named as not run."""

    def named(name: str) -> Rows:
        return [
            row for end in ("jsonl", "out") for path in sorted(results.glob(f"*/{name}.{end}")) for row in lines(path)
        ]

    parts = [
        HEAD.format(python=sys.version.split()[0], sqlite=sqlite3.sqlite_version, system=platform.platform()),
        goals(named),
        fault_matrix(named("faultmatrix")),
        kills(named("kills")),
        schedules(named("schedules"), named("mutants")),
        power(named("power"), named("stops")),
        queue(named("queue")),
        hostile(named("hostile")),
        memory(named("memory")),
    ]
    return "\n".join(parts)


def lines(path: Path) -> Rows:
    """The JSON objects of a file, one a line; other lines are passed over."""
    if not path.exists():
        return []
    found = (line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith('{"'))
    return [row for row in map(json.loads, found) if isinstance(row, dict)]


def goals(named: Results) -> str:
    """The table of the goals; what other benchmarks measure is named."""
    text = "What was wanted, and what came of it. A verdict is of this run: with fewer trials than wanted it is no."
    table = [*goal_table(named), *((*row, "see there") for row in BY_OTHERS)]
    return section("Goals", text, ("", "goal", "figure", "reached"), table)


def fault_matrix(rows: Rows) -> str:
    rows = [row for row in rows if "scenario" in row]
    if not rows:
        return section("Provider faults", "Not run.")
    by_row: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for row in rows:
        for name in row["rows"]:
            by_row[name][bool(row["passed"])] += 1
    wrong = [row["scenario"] for row in rows if not row["passed"]]
    right = len(rows) - len(wrong)
    text = (
        f"{right} of {len(rows)} scenarios end as they must, over {len(by_row)} kinds of misbehaviour "
        "(`manage.py faultmatrix` shows each: scenario, expected, got; docs/reference/faults.md says what they do)."
    )
    if wrong:
        text += f" Different: {', '.join(wrong)}."
    table = [(name, count[True], count[False]) for name, count in sorted(by_row.items(), key=natural)]
    return section("Provider faults", text, ("kind", "right", "different"), table)


def natural(item: tuple[str, Any]) -> tuple[str, int]:
    name = item[0]
    return name.rstrip("0123456789"), int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") or 0)


def kills(rows: Rows) -> str:
    if not rows:
        return section("SIGKILL at checkpoints", "Not run.")
    groups: defaultdict[tuple[str, str], Rows] = defaultdict(list)
    for row in rows:
        groups[row["database"], row["scenario"]].append(row)
    table = [
        (database, scenario, len(runs), sum(row.get("kills", 1) for row in runs), violated(runs))
        for (database, scenario), runs in sorted(groups.items())
    ]
    total = sum(row[3] for row in table)
    text = (
        f"{total} kills. After each the run is taken up again to its end and compared with an undisturbed twin: "
        "nothing lost, nothing twice, counters equal rows, the watermark no later than the start."
    )
    return section("SIGKILL at checkpoints", text, ("database", "run", "runs", "kills", "violations"), table)


def schedules(rows: Rows, mutants: Rows) -> str:
    if not rows and not mutants:
        return section("Two workers and frozen workers", "Not run.")
    text = f"{len(rows)} schedules, {violated(rows)} violations. Faults planted on purpose, which the trials must find:"
    table = [
        (row["database"], row["mutant"], f"after {row['after']} trials" if row["after"] > 0 else "NOT FOUND")
        for row in mutants
    ]
    return section("Two workers and frozen workers", text, ("database", "planted fault", "found"), table)


def power(images: Rows, stops: Rows) -> str:
    if not images and not stops:
        return section("Power cuts", "Not run.")
    states = sum(row["places"].get("state", 0) for row in images)
    text = (
        f"{len(images)} images of SQLite's WAL as a power cut may leave it (cut, zeros, rubbish, turned bits): "
        f"{violated(images)} broken or wrong; they show {states} states, and from each the run went on to the end of an "
        f"undisturbed twin. {len(stops)} immediate stops of a PostgreSQL server in mid-run: {violated(stops)} violations."
    )
    return section("Power cuts", text)


def queue(rows: Rows) -> str:
    if not rows:
        return section("Loss of the queue", "Not run.")
    slowest = max(row.get("seconds", 0) for row in rows)
    text = (
        f"{len(rows)} times the queue was flushed or its server killed in mid-run: {violated(rows)} violations, "
        f"the slowest run was at its end after {slowest:.0f} s."
    )
    return section("Loss of the queue", text)


def hostile(rows: Rows) -> str:
    if not rows:
        return section("Hostile input", "Not run.")
    groups: defaultdict[str, Rows] = defaultdict(list)
    for row in rows:
        groups[row["suite"]].append(row)
    table = [
        (SUITES.get(suite, suite), len(cases), sum(not row["passed"] for row in cases))
        for suite, cases in sorted(groups.items())
    ]
    return section("Hostile input", "", ("suite", "cases", "failed"), table)


def memory(rows: Rows) -> str:
    if not rows:
        return section("Memory", "Not run.")
    table = [
        (row["case"], row["received"], f"{row['page_mib']:.1f}", f"{row['growth_mib']:.0f}", f"{row['peak_mib']:.0f}")
        for row in rows
    ]
    columns = ("run", "records", "largest page, MiB", "growth, MiB", "peak, MiB")
    return section("Memory", "Growth over a small run of the same kind in the same process.", columns, table)


def section(title: str, text: str, columns: tuple[str, ...] = (), table: list[tuple[Any, ...]] | None = None) -> str:
    """A heading, a paragraph and a Markdown table."""
    parts = [f"## {title}", ""]
    parts += [text, ""] if text else []
    if table:
        parts += [row_of(columns), row_of("---" for _ in columns), *map(row_of, table), ""]
    return "\n".join(parts)


def row_of(cells: Any) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"
