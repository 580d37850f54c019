"""The aggregator beside what a developer of a library would write in a week: the same records, one run.

    python3 run.py bench peers --records 5000

The others are Sickle for harvesting, Django's save() for storing, a book for each ISBN, and pyoai for serving, once with
Whoosh and once with SQLite's full-text search (FTS5). Measured: CPU time of the process from the first request to the
last indexed record, and of serving all records as oai_dc; the provider's is not counted. Then what each gets right:
whether all records are there after faults of a provider, whether changed and deleted records are found as they are now,
into how many books descriptions are grouped, and what searches in other spellings find. Both of the others harvest in the
same way, so their faults are tried once. Behind the table are the names of the faults after which records are missing or
too many. The last line is the ratio of our CPU time to that of the quickest of the others.
"""

import argparse
import os
from collections.abc import Mapping

from benchmarks.children import Figures, last_line, micro, provider, run_child
from benchmarks.machine import machine
from benchmarks.peers.trials import DEADLINE

OURS = "aggregator"
SETTINGS = {"HARVEST_DEADLINE": str(DEADLINE), "HARVEST_RETRY_WAIT": "1", "LOG_LEVEL": "CRITICAL"}
PROGRAMS = {
    OURS: ("peers.whole_ours",),
    "week, Whoosh": ("peers.week_peer", "whoosh"),
    "week, FTS5": ("peers.week_peer", "fts5"),
}
ONE_OF_THE_SAME_HARVEST = {OURS: "aggregator", "week, FTS5": "week"}
NAME_WIDTH, SCORE_WIDTH = 50, 14


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=5_000)
    parser.add_argument("--faults", type=int, default=0, help="only so many scenarios of faults; 0 = all")
    options = parser.parse_args()
    os.environ.update(SETTINGS, PYTHONWARNINGS="ignore")  # pyoai warns of what it imports
    print(machine(), flush=True)
    with provider(options.records) as url:
        measured = {name: run_child(*program, "measure", url) for name, program in PROGRAMS.items()}
    for name, figures in measured.items():
        print(line(name, options.records, figures), flush=True)
    for command in ("changes", "catalogue"):
        show({name: run_child(*program, command) for name, program in PROGRAMS.items()})
    harvesters = {name: PROGRAMS[program] for program, name in ONE_OF_THE_SAME_HARVEST.items()}
    after = {name: run_child(*program, "faults", str(options.faults)) for name, program in harvesters.items()}
    show(after)
    for name, scores in after.items():
        wrong = [fault for _right, _all, names in scores.values() for fault in names]
        print(f"wrong after these faults, {name}: {', '.join(wrong) or 'none'}")
    quickest = min(figures["whole"] for name, figures in measured.items() if name != OURS)
    last_line(measured[OURS]["whole"] / quickest, "ratio to the quickest other")


def line(name: str, records: int, figures: Figures) -> str:
    assert figures["records"] == records, (name, figures["records"])
    whole, serving = micro(figures["whole"], records), figures["served"] / figures["serving"]
    return (
        f"{name:>{SCORE_WIDTH}}: whole path {whole}, {records / figures['whole']:.0f} records/s; "
        f"{figures['books']} books; serves {serving:.0f} records/s of CPU; peak {figures['peak_mb']:.0f} MB"
    )


def show(scores: Mapping[str, Figures]) -> None:
    """Print a table. scores: what each program gets right, see `trials.Score`, by the name of the trial."""
    print(f"{'right, of all':{NAME_WIDTH}}" + "".join(f"{name:>{SCORE_WIDTH}}" for name in scores))
    for trial in next(iter(scores.values())):
        found = (of_program[trial] for of_program in scores.values())
        print(f"{trial:{NAME_WIDTH}}" + "".join(f"{f'{right} of {every}':>{SCORE_WIDTH}}" for right, every, _ in found))
    print(flush=True)


if __name__ == "__main__":
    main()
