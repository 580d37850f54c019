"""Whether a record costs more when there are many: one harvest of N made-up DC-NDL records, in tenths.

    python -m benchmarks.growth --records 1000000 [--whole]
    DATABASE_URL=postgres://…/empty python -m benchmarks.growth --records 1000000

Prints the CPU time of our process a record for each tenth (on PostgreSQL without the server's), and the memory after it:
the most there ever was, and what is its own now, without the files of the index that the system shows it. --whole: each tenth is also matched, merged and indexed; without it the harvest is measured alone.
Goals: the last tenth at most 1.2 × the first; memory flat, at most 300 MB.
"""

import argparse

from benchmarks.children import last_line, provider, run_child


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--whole", action="store_true", help="match, merge and index, too")
    options = parser.parse_args()
    with provider(options.records) as url:
        arguments = [url, str(options.records), *["--whole"] * options.whole]
        own = run_child("growth_ours", *arguments, keep_database=True)
    tenths = own["tenths"]
    print(f"{own['vendor']}, {own['received']} records, {own['wall']:.0f} s on the clock")
    for each in tenths:
        parts = ", ".join(f"{name} {each[name]:.1f}" for name in ("harvest", "aggregate", "index") if each[name])
        pairs = f"; pairs a record {each['pairs']:.2f}" if options.whole else ""
        memory = f"peak {each['peak_mb']:.0f} MB, its own {each['own_mb']:.0f} MB"
        print(f"{each['records']:>9} records: µs CPU a record: {parts}{pairs}; {memory}")
    print(f"memory of its own grew by {tenths[-1]['own_mb'] - tenths[0]['own_mb']:.0f} MB since the first tenth")
    last_line(total(tenths[-1]) / total(tenths[0]), "last tenth to first")


def total(tenth: dict[str, float]) -> float:
    return tenth["harvest"] + tenth["aggregate"] + tenth["index"]


if __name__ == "__main__":
    main()
