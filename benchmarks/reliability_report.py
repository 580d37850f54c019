"""Writes the text of RELIABILITY.md from the results of the reliability suites."""

import json
import platform
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.reliability_goals import Results, Rows, violated
from benchmarks.reliability_goals import table as goal_table

HEAD = """# Reliability measurements

Written by `python3 run.py bench reliability`; do not edit. Every figure comes from the results of this command.
Python {python}, SQLite {sqlite}, {system}.
"""
NOT_MEASURED = "| not measured |"  # ends the row of a goal that has no results
SITTINGS = "sittings"  # the file of a suite with the day and commit of each time it was begun
SUITES = {
    "ssrf": "Addresses that must not be reached (URLs, names, redirects): no socket is opened to them",
    "documents": "Hostile XML, through the parser and the four transports: no request, no file is read, limited time",
    "memory": "The worst of these documents, each in a separate process: limited memory",
    "bodies": "Hostile bodies, ZIP and gzip files: bombs, endless and truncated ones",
    "forms": "Hostile texts in forms",
    "pages": "Hostile texts on pages and in other outputs",
}


def written(results: Path, earlier: str = "") -> str:
    """Return the whole report, from results/SUITE/NAME. Suites without results are reported as not run.

    earlier: an earlier report; what has no new results is taken from it, with the day and commit given there.
    """

    def files(name: str) -> list[Path]:
        return [path for end in ("jsonl", "out") for path in sorted(results.glob(f"*/{name}.{end}"))]

    def named(name: str) -> Rows:
        return [row for path in files(name) for row in lines(path)]

    def measured(name: str) -> set[str]:
        kept = (path.with_name(SITTINGS) for path in files(name) if lines(path))
        return {moment for file in kept if file.exists() for moment in file.read_text(encoding="utf-8").splitlines()}

    parts = [
        HEAD.format(python=sys.version.split()[0], sqlite=sqlite3.sqlite_version, system=platform.platform()),
        goals(named, measured),
        fault_matrix(named("faultmatrix")),
        kills(named("kills")),
        layout(named("layout")),
        schedules(named("schedules"), named("mutants")),
        power(named("power"), named("stops")),
        queue(named("queue")),
        hostile(named("hostile")),
        memory(named("memory")),
    ]
    return "\n".join(kept(part, earlier) for part in parts)


def kept(part: str, earlier: str) -> str:
    """Return a section of the report. Rows that were not measured are taken from the earlier report if it has them."""
    title = part.partition("\n")[0]
    _before, found, after = earlier.partition(f"{title}\n")
    old = found + after.partition("\n## ")[0]
    if part.endswith("Not run.\n"):
        return old if found else part
    old_rows = {row.partition(" | ")[0]: row for row in old.splitlines()}
    rows = part.split("\n")
    return "\n".join(old_rows.get(row.partition(" | ")[0], row) if NOT_MEASURED in row else row for row in rows)


def lines(path: Path) -> Rows:
    """Return the JSON objects of a file of JSON Lines; other lines are ignored."""
    if not path.exists():
        return []
    found = (line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith('{"'))
    return [row for row in map(json.loads, found) if isinstance(row, dict)]


def goals(named: Results, measured: Callable[[str], set[str]]) -> str:
    """Return the table of goals. measured: returns the days and commits of the results of this name."""
    text = (
        "The goals, and the latest figures, each with the day and the commit at which it was measured (“+”: with changes "
        "that were not committed yet). With fewer trials than a goal requires, it is not reached. A figure that counts "
        "tests is no number of trials: one test tries many texts, queries or addresses."
    )
    return section("Goals", text, ("", "goal", "figure", "reached", "measured"), goal_table(named, measured))


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
        f"{right} of {len(rows)} scenarios end as expected; they cover {len(by_row)} kinds of misbehaviour. "
        "docs/reference/faults.md describes the scenarios of each kind. `manage.py faultmatrix` prints for each scenario "
        "how the harvest should end and how it ended."
    )
    if wrong:
        text += f" Different: {', '.join(wrong)}."
    table = [(name, count[True], count[False]) for name, count in sorted(by_row.items(), key=natural)]
    return section("Provider faults", text, ("kind", "as expected", "different"), table)


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
        f"{total} kills. After each kill the run is resumed to its end and compared with the same run without a kill: "
        "nothing may be lost or duplicated, the counters must equal the rows, and the watermark (the date from which the "
        "next incremental harvest requests changes) must not be later than the start of the run. The runs are: full and "
        "incremental harvests; a period (window); a full harvest that deletes absent records (sweep); one whose "
        "deletions wait for a decision (held); one that fails (failure); harvests over ResourceSync and RSS; and rounds "
        "of the dispatcher (dispatch)."
    )
    return section("SIGKILL at checkpoints", text, ("database", "run", "runs", "kills", "violations"), table)


def layout(rows: Rows) -> str:
    if not rows:
        return section("SIGKILL of a whole site", "Not run.")
    text = (
        "`run.py serve` harvests libraries whose books change all the time, while its processes are killed at random. Its "
        "supervisor restarts them; only `run.py` itself is started again, as systemd does. Now and then the kills stop; "
        "when the site is quiet, the records of the libraries must be the stored ones, the members of the books, the "
        "documents of the index and the list of `/oai`, everything once, and the books those of a match of all records."
    )
    victims: Counter[str] = Counter()
    for row in rows:
        victims.update(row["victims"])
    table = [(name, count) for name, count in victims.most_common()]
    return section("SIGKILL of a whole site", text, ("killed", "times"), table)


def schedules(rows: Rows, mutants: Rows) -> str:
    if not rows:  # the trials with power cuts find planted faults too, but are no schedules
        return section("Two workers and frozen workers", "Not run.")
    text = (
        f"{len(rows)} schedules, {violated(rows)} violations. To test the trials themselves, faults are planted in the "
        "code, which the trials must find: the token of a page is stored before its records (“token before records”), a "
        "worker writes although another one has taken over its run (“no fence”), or the watermark is set to the end of "
        "the run (“watermark = end”). “sqlite, power” stands for trials in which a power cut follows."
    )
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
        f"{len(images)} images of SQLite's write-ahead log as a power cut may leave it (truncated, zeros, random bytes, "
        f"flipped bits): {violated(images)} led to a damaged or wrong database. The database had {states} different "
        f"states; from every state the run continued to the same end as a run without a power cut. {len(stops)} "
        f"immediate stops of a PostgreSQL server during a run: {violated(stops)} violations."
    )
    return section("Power cuts", text)


def queue(rows: Rows) -> str:
    if not rows:
        return section("Loss of the queue", "Not run.")
    slowest = max(row.get("seconds", 0) for row in rows)
    text = (
        f"During runs, the queue was emptied or its server killed {len(rows)} times: {violated(rows)} violations; "
        f"the slowest run ended after {slowest:.0f} s. A lease is the time after which another worker may take over the run "
        "of a worker that died; it was shortened to 3 s."
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
    return section(
        "Memory", "The growth is the difference to a small run before it in the same process.", columns, table
    )


def section(title: str, text: str, columns: tuple[str, ...] = (), table: list[tuple[Any, ...]] | None = None) -> str:
    """Format a heading, a paragraph and a Markdown table."""
    parts = [f"## {title}", ""]
    parts += [text, ""] if text else []
    if table:
        parts += [row_of(columns), row_of("---" for _ in columns), *map(row_of, table), ""]
    return "\n".join(parts)


def row_of(cells: Any) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"
