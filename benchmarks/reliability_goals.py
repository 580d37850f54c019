"""The reliability goals, and how the figures of the suites are judged against them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

type Rows = list[dict[str, Any]]
type Results = Callable[[str], Rows]

# Goals that are checked by ordinary test files: their tests are counted
TESTS: dict[str, tuple[str, ...]] = {
    "G11": ("tests/hostile/test_pages.py", "tests/hostile/test_forms.py"),
    "G12": ("tests/aggregator/access/test_permissions.py",),
    "G13": ("tests/harvesting/registry/test_credentials.py", "tests/core/test_log_lines.py"),
    "G14": (
        "tests/harvesting/completion/test_guards.py",
        "tests/harvesting/completion/test_sweep.py",
        "tests/harvesting/completion/test_deletion_decisions.py",
    ),
    "G15": ("tests/aggregator/provision/test_harvested_again.py",),
    "G20": ("tests/aggregator/views/public/test_pathological.py",),
    "G22": (
        "tests/aggregator/backups/test_backups.py",
        "tests/aggregator/backups/test_drill.py",
        "tests/aggregator/backups/test_regular.py",
        "tests/aggregator/backups/test_retention.py",
    ),
    "G23": ("tests/aggregator/upgrades/test_upgrades.py", "tests/aggregator/upgrades/test_filled_site.py"),
}
MILLION = 1_000_000  # books of the site whose speed is judged


@dataclass(frozen=True, slots=True)
class Goal:
    """A line of the table. reached: returns the figure and whether it meets the goal, or None if not run."""

    number: str
    goal: str
    reached: Callable[[Results], tuple[str, bool] | None]


def table(results: Results, measured: Callable[[str], set[str]]) -> list[tuple[str, str, str, str, str]]:
    """Return the rows of the table of goals: number, goal, figure, verdict, and when it was measured.

    measured: returns the days and commits of the results of this name.
    """
    found = []
    for goal in GOALS:
        asked: list[str] = []

        def noted(name: str, asked: list[str] = asked) -> Rows:
            asked.append(name)
            return results(name)

        reached = goal.reached(noted)
        figure, verdict = ("not measured", "–") if reached is None else (reached[0], "yes" if reached[1] else "NO")
        moments = sorted(set().union(*map(measured, asked))) if reached else []
        found.append((goal.number, goal.goal, figure, verdict, "; ".join(moments)))
    return found


def kills(results: Results) -> tuple[str, bool] | None:
    rows = results("kills")
    count, wrong = sum(row.get("kills", 1) for row in rows), violated(rows)
    figure = f"{count} kills ({databases(rows)}), {wrong} violations"
    return (figure, count >= 1000 and not wrong) if rows else None


def schedules(results: Results) -> tuple[str, bool] | None:
    rows, mutants = results("schedules"), results("mutants")
    found = sum(row["after"] > 0 for row in mutants)
    figure = f"{len(rows)} schedules, {violated(rows)} violations; {found} of {len(mutants)} planted faults found"
    return (figure, len(rows) >= 200 and not violated(rows) and found == len(mutants)) if rows else None


def power(results: Results) -> tuple[str, bool] | None:
    images, stops = results("power"), results("stops")
    wrong = violated(images) + violated(stops)
    figure = f"{len(images)} images, {len(stops)} stops of PostgreSQL, {wrong} violations"
    return (figure, len(images) >= 2000 and len(stops) >= 20 and not wrong) if images or stops else None


def resume(results: Results) -> tuple[str, bool] | None:
    for row in results("resume"):
        figure = f"{row['worst']} s at most, {len(row['seconds'])} kills, default settings"
        return figure, row["worst"] <= row["goal"]
    return None


def faults(results: Results) -> tuple[str, bool] | None:
    rows = [row for row in results("faultmatrix") if "scenario" in row]
    right = sum(bool(row["passed"]) for row in rows)
    kinds = len({name for row in rows for name in row["rows"]})
    return (
        (f"{right} of {len(rows)} scenarios correct, {kinds} kinds", kinds >= 60 and right == len(rows))
        if rows
        else None
    )


def queue(results: Results) -> tuple[str, bool] | None:
    rows = results("queue")
    slowest = max((row.get("seconds", 0) for row in rows), default=0)
    figure = f"{len(rows)} losses, {violated(rows)} violations, slowest run {slowest:.0f} s (with a lease of 3 s)"
    return (figure, len(rows) >= 20 and not violated(rows)) if rows else None


def hostile(*suites: str, least: int) -> Callable[[Results], tuple[str, bool] | None]:
    def reached(results: Results) -> tuple[str, bool] | None:
        rows = [row for row in results("hostile") if row["suite"] in suites]
        wrong = sum(not row["passed"] for row in rows)
        return (f"{len(rows)} cases, {wrong} failed", len(rows) >= least and not wrong) if rows else None

    return reached


def memory(results: Results) -> tuple[str, bool] | None:
    rows = results("memory")
    figure = ", ".join(f"{row['case']} ({row['received']} records): +{row['growth_mib']:.0f} MiB" for row in rows)
    return (figure, all(row["growth_mib"] <= 60 for row in rows)) if rows else None


def tested(number: str) -> Callable[[Results], tuple[str, bool] | None]:
    def reached(results: Results) -> tuple[str, bool] | None:
        rows = [row for row in results("tests") if row["goal"] == number]
        wrong = sum(not row["passed"] for row in rows)
        return (f"{len(rows)} tests ({databases(rows)}), {wrong} failed", not wrong) if rows else None

    return reached


def locks(results: Results) -> tuple[str, bool] | None:
    for row in results("locks"):
        figure = (
            f"{row['writes']} writes in {row['seconds']:.0f} s, {row['locked']} locked: median {row['p50_ms']} ms, "
            f"99% ≤ {row['p99_ms']} ms, worst {row['worst_ms']} ms (machine load {row['load']})"
        )
        return figure, not row["locked"] and not row["failed"] and row["p99_ms"] <= row["goal_ms"]
    return None


def soak(results: Results) -> tuple[str, bool] | None:
    for row in results("soak"):
        wrong = len(row["wrong"])
        figure = f"{row['hours']:.0f} h, {row['providers']} providers, {row['struck']} faults: {wrong} violations"
        return figure, row["hours"] >= 24 and not wrong
    return None


def layout(results: Results) -> tuple[str, bool] | None:
    rows = results("layout")
    count, during = sum(row["kills"] for row in rows), sum(row["during_run"] for row in rows)
    figure = f"{count} kills ({databases(rows)}), {during} of them during a harvest, {violated(rows)} violations"
    return (figure, count >= 1000 and during > count / 2 and not violated(rows)) if rows else None


def outage(results: Results) -> tuple[str, bool] | None:
    for row in results("outage"):
        answers: dict[str, int] = row["answers"]
        refused = sum(count for answer, count in answers.items() if answer.endswith(" 503"))
        left, faults = row["unmatched"] + row["unindexed"], sum(row["faults"].values())
        figure = (
            f"{row['restarts']} restarts, {sum(answers.values())} answers, {refused} of them 503, {faults} wrong; "
            f"{row['records']} records, {left} of them not in the index"
        )
        return figure, row["restarts"] >= 6 and refused > 0 and not faults and not left and not row["dead"]
    return None


def thirty(results: Results) -> tuple[str, bool] | None:
    for row in results("thirty"):
        figure = f"{row['providers']} providers, {row['slow']} of them slow: longest wait {row['longest']:.0f} s"
        all_matched = row["quick"] == row["expected"] and not row["waiting"] and not row["dead"]
        return figure, row["providers"] >= 30 and row["slow"] >= 2 and row["longest"] <= 60 and all_matched
    return None


def speed(results: Results) -> tuple[str, bool] | None:
    """The worst case of each kind of page."""
    worst: dict[str, dict[str, Any]] = {}
    for name in SPEED:
        if rows := results(name):
            worst[name] = min(rows, key=lambda row: row["rate"])
    if not worst:
        return None
    figure = "; ".join(
        f"{name}: {row['rate']:.0f} a second"
        + (f", 95% ≤ {row['p95_ms']:.0f} ms" if "p95_ms" in row else "")
        + (f" with {row['records']} records" if "records" in row else "")
        for name, row in worst.items()
    )
    books = min(row["books"] for row in worst.values())
    fast = all(_rate(row) >= SPEED[name][0] and row.get("p95_ms", 0) <= SPEED[name][1] for name, row in worst.items())
    return f"{books} books; {figure}", worst.keys() == SPEED.keys() and books >= MILLION and fast


def _rate(row: dict[str, Any]) -> float:
    """Pages a second; of lists of records, as many pages of 100 records as have the same records."""
    return float(row["rate"] * row.get("records", 100) / 100)


# Kind of page -> least rate a second, and the most milliseconds for 95% of the pages
SPEED = {"search": (100, 200), "books": (600, 60), "oai": (100, float("inf"))}


def loaded(test: str, judge: Callable[[dict[str, Any]], tuple[str, bool]]) -> Callable[[Results], Any]:
    def reached(results: Results) -> tuple[str, bool] | None:
        for row in results(test):
            figure, good = judge(row)
            return f"{row['books']} books; {figure}", good and row["books"] >= MILLION
        return None

    return reached


def overload(row: dict[str, Any]) -> tuple[str, bool]:
    figure = (
        f"{row['connections']} connections{' behind nginx' if row.get('nginx') else ''}: "
        f"book pages 95% ≤ {row['p95_ms']:.0f} ms, {row['failed']} failed; refusals "
        f"95% ≤ {row['refusal_p95_ms']:.0f} ms; normal after {row['recovered_s']:.1f} s"
    )
    quick = row["p95_ms"] <= 300 and row["refusal_p95_ms"] <= 50 and row["recovered_s"] <= 5
    return figure, quick and row["connections"] >= 200 and not row["failed"] and not row["without_wait"]


def flood(row: dict[str, Any]) -> tuple[str, bool]:
    figure = (
        f"{row['addresses']} addresses in {row['seconds']:.0f} s: {row['served']:.1f}% of pages served, "
        f"{row['searches_served']:.1f}% of searches"
    )
    many = row["addresses"] >= 10_000 and row["seconds"] <= 60
    return figure, many and row["served"] >= 99 and row["searches_served"] >= 99


def slow(row: dict[str, Any]) -> tuple[str, bool]:
    worst = {name: row[name] for name in ("heads", "bodies", "readers")}
    figure = ", ".join(f"{name} {value:.0f} ms" for name, value in worst.items())
    return f"{row['clients']} clients, slowest page: {figure}", row["clients"] >= 500 and max(worst.values()) <= 100


def databases(rows: Rows) -> str:
    return ", ".join(sorted({row["database"] for row in rows}))


def violated(rows: Rows) -> int:
    return sum(bool(row["violations"]) for row in rows)


GOALS = (
    Goal("G1", "≥ 1,000 SIGKILLs, at every checkpoint: nothing lost, nothing duplicated", kills),
    Goal(
        "G2",
        "≥ 200 schedules (orders of the steps) of two workers: no violation; every planted fault is found",
        schedules,
    ),
    Goal(
        "G3", "≥ 2,000 images of SQLite's log after a power cut, ≥ 20 immediate stops of PostgreSQL: no damage", power
    ),
    Goal("G4", "after a worker is killed, the next page is stored within 90 s", resume),
    Goal("G5", "≥ 60 kinds of provider faults end as expected", faults),
    Goal("G6", "the queue is lost 20 times during runs: all runs finish", queue),
    Goal("G7", "≥ 300 forbidden addresses: no connection is opened", hostile("ssrf", least=300)),
    Goal(
        "G8",
        "≥ 100 hostile documents: limited time and memory, no request, no file is read",
        hostile("documents", "memory", least=100),
    ),
    Goal("G9", "≥ 40 hostile bodies and archives: limited time and memory", hostile("bodies", least=40)),
    Goal("G10", "memory of a harvest grows ≤ 60 MiB", memory),
    Goal(
        "G11", "≥ 200 hostile texts in every field and every output: shown as plain text or not at all", tested("G11")
    ),
    Goal("G12", "every combination of address, role and method is declared and tested", tested("G12")),
    Goal("G13", "20 planted secrets: none is leaked", tested("G13")),
    Goal("G14", "no deletion without confirmation; genuine deletions are carried out in one run", tested("G14")),
    Goal("G15", "repeating a harvest three times changes nothing", tested("G15")),
    Goal(
        "G16",
        "a million books, during a harvest: ≥ 100 searches a second (95% ≤ 200 ms), ≥ 600 book pages (95% ≤ 60 ms), "
        "≥ 100 pages of OAI-PMH of 100 records",
        speed,
    ),
    Goal(
        "G17",
        "searches on 200 connections: book pages without failure, 95% ≤ 300 ms; refusals ≤ 50 ms; normal within 5 s",
        loaded("overload", overload),
    ),
    Goal(
        "G18",
        "crawlers from 10,000 addresses in 60 s, with cookies: ≥ 99% of readers' pages and searches are served",
        loaded("flood", flood),
    ),
    Goal("G19", "500 slow clients of each kind: every other page ≤ 100 ms", loaded("slow", slow)),
    Goal("G20", "≥ 50 pathological queries: limited time, no status 500", tested("G20")),
    Goal(
        "G21", "writes for 10 minutes during a harvest: no “database is locked”, 99% of web writes take ≤ 300 ms", locks
    ),
    Goal("G22", "backups during a harvest are whole; a restored site ends like one that lost nothing", tested("G22")),
    Goal("G23", "the data of every release survives the upgrade", tested("G23")),
    Goal(
        "G24", "24 simulated hours of a whole site: harvests keep their schedule, memory and tables stay limited", soak
    ),
    Goal(
        "G25",
        "≥ 1,000 SIGKILLs of the processes of `run.py serve`, most during a harvest: nothing lost, nothing twice",
        layout,
    ),
    Goal(
        "G26", "while PostgreSQL restarts 6 times, every interface answers 503 in its own form; nothing is lost", outage
    ),
    Goal("G27", "30 providers, 2 of them slow, on 2 workers: a record is matched within 60 s of being stored", thirty),
)
