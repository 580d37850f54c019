"""Whether a record costs more when there are many: one harvest of N generated DC-NDL records, in tenths.

    python3 run.py bench growth --records 1000000 [--whole] [--union | --varied]
    DATABASE_URL=postgres://…/empty python3 run.py bench growth --records 1000000

Prints for each tenth the CPU time per record (without that of a PostgreSQL server) and the memory afterwards: the peak,
and the present memory without the mapped files of the search index. --whole also matches, merges and indexes each
tenth; otherwise only the harvest is measured. --union takes the records of `benchmarks.union` instead: of ten, three
describe new books and seven are further libraries' records of known ones. Later tenths change more books there, so the
number of books that were merged and indexed is printed as well. --varied takes those of `benchmarks.varied`, whose titles
recur as often as those of real books.
Goals: the last tenth costs at most 1.2 × the first; memory stays flat, at most 300 MB.
"""

import argparse

from benchmarks.children import last_line, provider, run_child, union_catalogue, varied_titles
from benchmarks.machine import machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--whole", action="store_true", help="also match, merge and index")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--union", action="store_true", help="the records of a union catalogue")
    kind.add_argument("--varied", action="store_true", help="titles that recur as often as real ones")
    options = parser.parse_args()
    print(machine(), flush=True)
    served = union_catalogue if options.union else varied_titles if options.varied else provider
    with served(options.records) as url:
        arguments = [url, str(options.records), *["--whole"] * options.whole]
        own = run_child("growth_ours", *arguments, keep_database=True)
    tenths = own["tenths"]
    print(f"{own['vendor']}, {own['received']} records, {own['wall']:.0f} s on the clock")
    for tenth in tenths:
        parts = ", ".join(f"{name} {tenth[name]:.1f}" for name in ("harvest", "aggregate", "index") if tenth[name])
        pairs = f"; a record: {tenth['pairs']:.2f} pairs, {tenth['books']:.2f} books" if options.whole else ""
        memory = f"peak {tenth['peak_mb']:.0f} MB, its own {tenth['own_mb']:.0f} MB"
        print(f"{tenth['records']:>9} records: µs CPU a record: {parts}{pairs}; {memory}")
    print(f"memory of its own grew by {tenths[-1]['own_mb'] - tenths[0]['own_mb']:.0f} MB since the first tenth")
    last_line(total(tenths[-1]) / total(tenths[0]), "last tenth to first")


def total(tenth: dict[str, float]) -> float:
    return tenth["harvest"] + tenth["aggregate"] + tenth["index"]


if __name__ == "__main__":
    main()
