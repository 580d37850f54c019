"""A full harvest in which nothing changed: its cost compared with Sickle's iteration, and what it writes.

    python3 run.py bench unchanged --records 20000

Harvests a provider of generated DC-NDL records twice. Of the second run it prints the CPU time and the number of
statements that write, by table. For each page the run may write its checkpoint (its own row, and one row that names the
records of the page), and a few rows when it begins and ends; more than that is an error (exit 1). Goal: at most 0.3 ×
the CPU time that Sickle needs to iterate the records.
"""

import argparse
import json
import sys

from benchmarks.children import PAGE, Figures, last_line, micro, provider, run_child
from benchmarks.machine import machine

CHECKPOINT = frozenset({"harvesting_harvest", "harvesting_seenrecords"})
ENDS = 12  # statements per table that the beginning and the end of a run may take, whatever its length


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000)
    records = parser.parse_args().records
    print(machine(), flush=True)
    with provider(records) as url:
        peer = run_child("peer", "sickle", url, "dcndl")
        own = run_child("unchanged_ours", url, keep_database=True)
    print(f"{own['vendor']}, {own['unchanged']} of {own['received']} unchanged")
    print(f"first harvest: {micro(own['first'], records)}; the same again: {micro(own['again'], records)}")
    print(f"Sickle: {micro(peer['cpu'], records)}")
    print(f"statements that write: {json.dumps(own['writes'])}")
    odd = surplus(own, -(-records // PAGE))
    if odd:
        sys.exit(f"more than the checkpoint was written: {odd}")
    last_line(own["again"] / peer["cpu"])


def surplus(own: Figures, pages: int) -> dict[str, int]:
    """Return the tables with more than ENDS writes; those of the checkpoint may have one more for each page."""
    return {
        table: count for table, count in own["writes"].items() if count > ENDS + (pages if table in CHECKPOINT else 0)
    }


if __name__ == "__main__":
    main()
