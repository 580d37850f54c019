"""The memory that a harvest takes: one page of 64 MiB, and a run of N records in ordinary pages.

    python3 run.py bench memory --records 1000000

Each run has its own process, provider and empty data folder. Growth is the peak resident memory after the run minus
the peak after a small run before it in the same process, which has loaded all the code.
"""

import argparse
import json

from benchmarks.children import Figures, provider, run_child

SMALL = 2_000
LARGE_PAGE = 14_200  # generated records that make just under 64 MiB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000, help="records of the long run; 0 leaves it out")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    runs = [("one large page", LARGE_PAGE, LARGE_PAGE)]
    if options.records:
        runs.append(("long run", options.records, 200))
    for name, records, page_size in runs:
        figures = measure(records, page_size)
        if options.json:
            print(json.dumps({"suite": "memory", "case": name, **figures}))
        else:
            print(
                f"{name}: {figures['received']} records, largest page {figures['page_mib']:.1f} MiB, "
                f"memory grew by {figures['growth_mib']:.0f} MiB to {figures['peak_mib']:.0f} MiB"
            )


def measure(records: int, page_size: int) -> Figures:
    """Harvest this many records in pages of this size, in a child process, and return its figures."""
    with provider(SMALL) as small, provider(records, page_size) as large:
        return run_child("memory_ours", small, large)


if __name__ == "__main__":
    main()
