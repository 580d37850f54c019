"""What the whole path cannot do without: the cost of its libraries alone, with the same records, rows and documents.

    python3 run.py bench floor --records 20000 [--union]

Runs the whole path once (as `benchmarks.harvest` does) and then repeats, in the same process, only what its libraries
were asked for: fetching and parsing the pages, compressing payloads and records, inserting the rows that the tables have at
the end, and adding the documents to an empty search index. No value is read, checked, compared or merged, and no row
is looked up or changed, so a program that does what this one does needs more.

Then it does what a program in Python has to do besides, whatever it decides: take name, text and attributes of each
element once from lxml, decode and encode each record once, look up each key once, and take each term of a document once
and encode the document. The last lines compare with Sickle what of this belongs to the harvest alone, and all of it.
"""

import argparse

from benchmarks.children import Figures, last_line, micro, provider, run_child, union_catalogue
from benchmarks.machine import machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--union", action="store_true", help="harvest a union catalogue")
    options = parser.parse_args()
    print(machine(), flush=True)
    with (union_catalogue if options.union else provider)(options.records) as url:
        sickle = run_child("peer", "sickle", url, "dcndl")["cpu"]
        report(options.records, sickle, run_child("floor_ours", url))


OF_HARVEST = frozenset(
    (
        *("fetching and parsing", "compressing", "inserting rows of harvests"),
        *("taking each element", "encoding records"),
    )
)


def report(records: int, sickle: float, own: Figures) -> None:
    print(f"{own['rows'] / records:.1f} rows and {own['documents'] / records:.2f} documents a record")
    steps = own["alone"] | own["python"]
    libraries, both = sum(own["alone"].values()), sum(steps.values())
    sums = {
        "of a harvest alone": sum(steps[name] for name in OF_HARVEST),
        "libraries": libraries,
        "libraries and Python": both,
        "whole path": own["whole"],
    }
    for name, seconds in (steps | sums).items():
        print(f"{name:>26}: {micro(seconds, records)}, {seconds / sickle:.2f} × Sickle")
    last_line(both / sickle)


if __name__ == "__main__":
    main()
