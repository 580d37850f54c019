"""`manage.py faultmatrix`: our own harvester against every scenario of the sample provider. Stores nothing.

The harvests go into a database of their own in a temporary folder: this process starts workers of itself there,
each with its share of the scenarios, and collects what they say line by line.
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
from harvesting.management.trials import LONGEST, Got, Trial, as_line, run_trial
from sampleprovider.scenarios import ROWS, Scenario, every_place, scenario_named

# The settings of a trial: nothing waits longer than it must, and only this machine is asked.
TRIAL_SETTINGS = {
    "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
    "HARVEST_MIN_PAUSE": "0",
    "HARVEST_DEADLINE": "1.5",
    "HARVEST_RETRY_WAIT": "1",
    "LOG_LEVEL": "CRITICAL",
}
ELSEWHERE = ("DATABASE_URL", "REDIS_URL", "SEARCH_URL", "HARVEST_KILL_AT")

SILENCE = LONGEST + 30  # seconds without a word, after which a worker is ended

Line = dict[str, Any]


class Command(AggregatorCommand):
    help = "Tries our harvester with every fault of the sample provider, in a database of its own. Exit 1: one differs."
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--only", action="append", default=[], metavar="ROW|NAME", help="repeatable")
        parser.add_argument("--output", type=Path, metavar="FILE.md", help="write the table there, too")
        parser.add_argument("--workers", type=int, default=2, help="processes that try scenarios side by side")
        parser.add_argument("--inside", metavar="FILE", help="for the workers: try the scenarios named in this file")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["inside"]:
            self._try_all(Path(options["inside"]).read_text(encoding="utf-8").split())
            return
        scenarios = chosen(options["only"])
        lines = self._collected([each.name for each in scenarios], max(1, options["workers"]))
        if options["json"]:
            for line in lines:
                self.print_json(line)
        else:
            self._tell(lines)
        if options["output"]:
            options["output"].write_text(table(lines), encoding="utf-8")
        if not all(line["passed"] for line in lines):
            raise SystemExit(FAILED)

    def _try_all(self, names: list[str]) -> None:
        """As a worker: one line of JSON for each scenario."""
        call_command("migrate", verbosity=0, interactive=False)
        for name in names:
            self.stdout.write(as_line(run_trial(scenario_named(name))))
            self.stdout.flush()

    def _collected(self, names: list[str], workers: int) -> list[Line]:
        """The workers' lines, in the order of the names."""
        shares = [names[start::workers] for start in range(min(workers, len(names)))]
        with progress_bar(len(names), _("Scenarios")) as bar, ThreadPoolExecutor(len(shares)) as pool:
            found = [line for lines in pool.map(lambda share: worked(share, bar), shares) for line in lines]
        return sorted(found, key=lambda line: names.index(line["scenario"]))

    def _tell(self, lines: list[Line]) -> None:
        for line in lines:
            mark = "ok  " if line["passed"] else "DIFF"
            self.stdout.write(f"{mark} {' '.join(line['rows']):8} {line['scenario']:32} {told(line)}")
        rows = {row for line in lines for row in line["rows"]}
        right = sum(line["passed"] for line in lines)
        message = _("%(right)d of %(all)d scenarios end as they must; rows covered: %(rows)d of %(known)d.")
        self.stdout.write(message % {"right": right, "all": len(lines), "rows": len(rows), "known": len(ROWS)})


def chosen(only: list[str]) -> list[Scenario]:
    """Every scenario, or those of these rows and names (a name means it at each of its places)."""
    known = every_place()
    if not only:
        return known
    wanted = {each for value in only for each in value.split(",")}
    found = [each for each in known if wanted & {each.name, each.name.partition("@")[0], *each.rows}]
    names = {name for each in found for name in (each.name, each.name.partition("@")[0], *each.rows)}
    if wanted - names:
        raise fail(_("There is no row or scenario %(names)s.") % {"names": ", ".join(sorted(wanted - names))}, USAGE)
    return found


def worked(names: list[str], progress: Progress) -> list[Line]:
    """What workers say of these scenarios. One that dies or hangs costs its scenario, and another goes on behind it."""
    lines: list[Line] = []
    while len(lines) < len(names):
        rest = names[len(lines) :]
        lines += _work(rest, progress)
        if len(lines) < len(names):
            lost = scenario_named(names[len(lines)])
            difference = "its worker died or hung"
            lines.append(Trial(scenario=lost, got=Got(state="hung"), differences=(difference,)).as_dict())
            progress.update(1)
    return lines


def _work(names: list[str], progress: Progress) -> list[Line]:
    """The lines of one worker, in a folder that is thrown away."""
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="faultmatrix-") as folder:
        share = Path(folder, "scenarios")
        share.write_text("\n".join(names), encoding="utf-8")
        command = [sys.executable, sys.argv[0], "faultmatrix", "--inside", str(share)]
        environment = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        environment |= TRIAL_SETTINGS | {"AGGREGATOR_DATA": folder}
        # Our own program, with names that were checked.
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as worker:  # noqa: S603
            watch = Watch(worker.kill)
            for line in worker.stdout or ():
                watch.seen()
                lines.append(json.loads(line))
                progress.update(1)
            watch.end()
    return lines


class Watch:
    """Calls a function unless it is told in time that something was seen."""

    def __init__(self, late: Callable[[], None]) -> None:
        self._late = late
        self._timer = threading.Timer(SILENCE, late)
        self._timer.start()

    def seen(self) -> None:
        self._timer.cancel()
        self._timer = threading.Timer(SILENCE, self._late)
        self._timer.start()

    def end(self) -> None:
        self._timer.cancel()


def told(line: Line) -> str:
    """How it ended, and what is wrong with that."""
    got = line["got"]
    ended = f"{got['state']} {got['code']}".strip()
    return ended if line["passed"] else f"{ended}: {'; '.join(line['differences'])}"


def wish(expected: Line) -> str:
    """The right end in a few words."""
    parts = ["/".join(expected["states"])]
    parts += ["|".join(expected.get("codes", ()))] if expected.get("codes") else []
    parts += [expected["damaged"]] if expected["damaged"] else []
    parts += ["told"] if expected["told"] else []
    return " ".join(parts)


def table(lines: list[Line]) -> str:
    """All of it as a Markdown table."""
    head = "| row | scenario | must | ended | ok |\n|---|---|---|---|---|\n"
    body = "".join(
        f"| {' '.join(line['rows'])} | `{line['scenario']}` | {_cell(wish(line['expected']))} | {_cell(told(line))}"
        f" | {'yes' if line['passed'] else '**no**'} |\n"
        for line in lines
    )
    return head + body


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
