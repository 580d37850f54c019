"""The speed of `manage.py reread` on all cores: harvests N records, then rereads them unchanged and all changed.

    python3 run.py bench reread --records 50000
    DATABASE_URL=postgres://…/empty python3 run.py bench reread --records 50000

"all changed" stands for a new crosswalk: every record is written again. CPU time is that of the writing process and of
its readers. The last line is the CPU time of an unchanged reread divided by that of the harvest of the same records.
Goal: 1,000,000 records in 10 minutes on 2 cores.
"""

import argparse
import os

from benchmarks.children import last_line, micro, provider, run_child
from benchmarks.machine import machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=50_000)
    records = parser.parse_args().records
    print(machine(), flush=True)
    with provider(records) as url:
        own = run_child("reread_ours", url, keep_database=True)
    print(f"{own['vendor']}, {own['received']} records, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}")
    print(f"{'harvest':>15}: {micro(own['harvest'], records)}")
    for name, found in own["rereads"].items():
        pace = own["received"] / found["wall"]
        at_best = found["cpu"] / own["received"] * 1e6 / (os.cpu_count() or 1) / 60
        print(
            f"{name:>15}: {found['changed']} changed, {micro(found['cpu'], records)} ({micro(found['writer'], records)}"
            f" of the writer), {pace:.0f} records/s, 1,000,000 in {1e6 / pace / 60:.1f} minutes"
            f" ({at_best:.1f} if nothing else used the cores)"
        )
    last_line(own["rereads"]["nothing changed"]["cpu"] / own["harvest"], "ratio to the harvest")


if __name__ == "__main__":
    main()
