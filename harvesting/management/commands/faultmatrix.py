"""`manage.py faultmatrix`: tests our harvester against every scenario of the sample provider. Stores nothing.

The trials run in worker processes of this same command. Each worker has a temporary folder with a database of its own
and a share of the scenarios, and prints one line of JSON per trial, which this process collects.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import FAILED, USAGE, AggregatorCommand, Progress, fail, progress_bar
from harvesting.management.trials import LONGEST, Ending, Trial, as_line, run_trial
from sampleprovider.scenarios import ROWS, Scenario, every_place, scenario_named

# The settings of a trial: waits as short as possible, requests to this machine only.
TRIAL_SETTINGS = {
    "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
    "HARVEST_MIN_PAUSE": "0",
    "HARVEST_DEADLINE": "1.5",
    "HARVEST_RETRY_WAIT": "1",
    "LOG_LEVEL": "CRITICAL",
}
# Variables that workers must not inherit: they lead to the services of this installation, or kill processes in tests.
NOT_INHERITED = ("DATABASE_URL", "REDIS_URL", "SEARCH_URL", "HARVEST_KILL_AT")

SILENCE = LONGEST + 30  # seconds without output, after which a worker is killed

Line = dict[str, Any]


class Command(AggregatorCommand):
    help = (
        "Test the harvester of this program with every fault of the sample provider, in a temporary database. Exit "
        "code 1: a result was unexpected."
    )
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--only", action="append", default=[], metavar="KIND|NAME", help="only this kind or this fault; repeatable"
        )
        parser.add_argument("--output", type=Path, metavar="FILE.md", help="also write the table to this file")
        parser.add_argument("--workers", type=int, default=2, help="number of parallel processes")
        parser.add_argument(
            "--inside", metavar="FILE", help="used by the parallel processes: test the faults named in this file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["inside"]:
            self._try_all(Path(options["inside"]).read_text(encoding="utf-8").split())
            return
        scenarios = chosen(options["only"])
        lines = self._collect([scenario.name for scenario in scenarios], max(1, options["workers"]))
        if options["json"]:
            for line in lines:
                self.print_json(line)
        else:
            self._report(lines)
        if options["output"]:
            options["output"].write_text(table(lines), encoding="utf-8")
        if not all(line["passed"] for line in lines):
            raise SystemExit(FAILED)

    def _try_all(self, names: list[str]) -> None:
        """The work of a worker process: print one line of JSON for each scenario."""
        call_command("migrate", verbosity=0, interactive=False)
        for name in names:
            self.stdout.write(as_line(run_trial(scenario_named(name))))
            self.stdout.flush()

    def _collect(self, names: list[str], workers: int) -> list[Line]:
        """Run the workers and return their lines in the order of the names."""
        shares = [names[start::workers] for start in range(min(workers, len(names)))]
        with progress_bar(len(names), _("Scenarios")) as bar, ThreadPoolExecutor(len(shares)) as pool:
            collected = [line for lines in pool.map(lambda share: run_workers(share, bar), shares) for line in lines]
        return sorted(collected, key=lambda line: names.index(line["scenario"]))

    def _report(self, lines: list[Line]) -> None:
        for line in lines:
            mark = "ok  " if line["passed"] else "DIFF"
            self.stdout.write(f"{mark} {' '.join(line['rows']):8} {line['scenario']:32} {ending_text(line)}")
        rows = {row for line in lines for row in line["rows"]}
        passed = sum(line["passed"] for line in lines)
        message = _("%(right)d of %(all)d scenarios ended as expected; kinds of fault covered: %(rows)d of %(known)d.")
        self.stdout.write(message % {"right": passed, "all": len(lines), "rows": len(rows), "known": len(ROWS)})


def chosen(only: list[str]) -> list[Scenario]:
    """The scenarios with these kinds of fault or these names; all scenarios if nothing is named.

    In "name@place" the fault is at one place; "name" alone selects the scenario with its fault at every place.

    Exits with a usage error if a kind or name is unknown.
    """
    known = every_place()
    if not only:
        return known
    selection = {name for value in only for name in value.split(",")}
    scenarios = [
        scenario for scenario in known if selection & {scenario.name, scenario.name.partition("@")[0], *scenario.rows}
    ]
    names = {
        name for scenario in scenarios for name in (scenario.name, scenario.name.partition("@")[0], *scenario.rows)
    }
    if selection - names:
        raise fail(
            _("There is no kind of fault or scenario %(names)s.") % {"names": ", ".join(sorted(selection - names))},
            USAGE,
        )
    return scenarios


def run_workers(names: list[str], progress: Progress) -> list[Line]:
    """Run these scenarios one after another in a worker process, and return the lines that it prints.

    If a worker dies or hangs, its current scenario has failed, and a new worker continues with the next one.
    """
    lines: list[Line] = []
    while len(lines) < len(names):
        rest = names[len(lines) :]
        lines += _run_worker(rest, progress)
        if len(lines) < len(names):
            lost = scenario_named(names[len(lines)])
            difference = "its worker died or hung"
            lines.append(Trial(scenario=lost, got=Ending(state="hung"), differences=(difference,)).as_dict())
            progress.update(1)
    return lines


def _run_worker(names: list[str], progress: Progress) -> list[Line]:
    """Run one worker in a temporary folder and return the lines it printed."""
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="faultmatrix-") as folder:
        share = Path(folder, "scenarios")
        share.write_text("\n".join(names), encoding="utf-8")
        command = [sys.executable, sys.argv[0], "faultmatrix", "--inside", str(share)]
        environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        environment |= TRIAL_SETTINGS | {"AGGREGATOR_DATA": folder}
        # Starts this same program, with scenario names that were validated.
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as worker:  # noqa: S603
            timer = SilenceTimer(worker.kill)
            for line in worker.stdout or ():
                timer.restart()
                lines.append(json.loads(line))
                progress.update(1)
            timer.stop()
    return lines


class SilenceTimer:
    """Calls a function after SILENCE seconds unless it is restarted or stopped before."""

    def __init__(self, on_timeout: Callable[[], None]) -> None:
        self._on_timeout = on_timeout
        self._timer = threading.Timer(SILENCE, on_timeout)
        self._timer.start()

    def restart(self) -> None:
        self._timer.cancel()
        self._timer = threading.Timer(SILENCE, self._on_timeout)
        self._timer.start()

    def stop(self) -> None:
        self._timer.cancel()


def ending_text(line: Line) -> str:
    """How the trial ended, and the differences if it failed."""
    got = line["got"]
    ending = f"{got['state']} {got['code']}".strip()
    return ending if line["passed"] else f"{ending}: {'; '.join(line['differences'])}"


def expected_text(expected: Line) -> str:
    """How the trial was expected to end, in a few words."""
    parts = ["/".join(expected["states"])]
    parts += ["|".join(expected.get("codes", ()))] if expected.get("codes") else []
    parts += [expected["damaged"]] if expected["damaged"] else []
    parts += ["reported"] if expected["reported"] else []
    return " ".join(parts)


def table(lines: list[Line]) -> str:
    """The results as a Markdown table."""
    head = "| kind | scenario | must | ended | ok |\n|---|---|---|---|---|\n"
    body = "".join(
        f"| {' '.join(line['rows'])} | `{line['scenario']}` | {_cell(expected_text(line['expected']))}"
        f" | {_cell(ending_text(line))} | {'yes' if line['passed'] else '**no**'} |\n"
        for line in lines
    )
    return head + body


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
