"""The cost of harvesting N DC-NDL records, compared with two libraries that only iterate the same records.

    python3 run.py bench harvest --records 100000 [--stages] [--union]

Starts a provider on loopback, then one process after the other, each with an empty data folder. CPU time is user +
system time of that process; the provider's is not counted. --stages also shows where the aggregator's time goes.
Goals: the whole path (fetch, check, convert, store, match, merge, index) costs at most 2.5 × what Sickle needs to
iterate the records; the harvest alone at most 1.2 ×. With --union, the provider is a union catalogue, in which 70 % of
the records describe a known book and a book has up to 3,000 libraries (`benchmarks.union`); there the goal is 1.8 ×.
"""

import argparse

from benchmarks.children import Figures, last_line, micro, provider, run_child, union_catalogue
from benchmarks.machine import machine

PEERS = {"sickle": "Sickle", "scythe": "oaipmh-scythe"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--prefix", default="dcndl", choices=["dcndl", "oai_dc"])
    parser.add_argument("--stages", action="store_true", help="also time each stage (adds about 5 µs a record)")
    parser.add_argument("--union", action="store_true", help="harvest a union catalogue (dcndl)")
    options = parser.parse_args()
    print(machine(), flush=True)
    with (union_catalogue if options.union else provider)(options.records) as url:
        peers = {name: run_child("peer", name, url, options.prefix) for name in PEERS}
        own = run_child("harvest_ours", url, options.prefix, *["--stages"] * options.stages)
    report(options.records, own, peers)


def report(records: int, own: Figures, peers: dict[str, Figures]) -> None:
    print(f"records: {own['received']} ours; {own['manifestations']} books")
    for name in ("harvest", "aggregate", "index"):
        print(f"{name:>14}: {micro(own[name], records)}")
    for stage, seconds in sorted(own["stages"].items(), key=lambda item: -item[1]):
        print(f"{stage:>16}: {micro(seconds, records)}")
    whole = own["harvest"] + own["aggregate"] + own["index"]
    print(f"{'whole path':>14}: {micro(whole, records)}, {records / own['wall']:.0f} records/s wall, ", end="")
    print(f"peak {own['peak_mb']:.0f} MB")
    for name, figures in peers.items():
        assert figures["records"] == own["received"], (name, figures["records"], own["received"])
        print(f"{PEERS[name]:>14}: {micro(figures['cpu'], records)}, peak {figures['peak_mb']:.0f} MB; ", end="")
        print(f"ratio of harvest {own['harvest'] / figures['cpu']:.2f}, of whole path {whole / figures['cpu']:.2f}")
    last_line(own["harvest"] / peers["sickle"]["cpu"], "harvest to Sickle")
    last_line(whole / peers["sickle"]["cpu"])


if __name__ == "__main__":
    main()
