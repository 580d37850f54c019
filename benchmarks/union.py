"""A provider like a union catalogue, for the benchmarks. `benchmarks.children` starts it.

Of ten records three describe a new book, the others one that is known, as another library of up to 3,000: the book of a
record drawn from all earlier ones. So most books have one library and few have very many (Simon's model of Zipf's law).
Of the records of a known book 85 % copy the full description, and the others are a small library's own.
"""

import json
import random
import sys
from collections.abc import Mapping
from typing import NamedTuple

from sampleprovider.books import book
from sampleprovider.generator import NAME, GeneratedRecords
from sampleprovider.rendering import full_dcndl, plain_dcndl
from sampleprovider.server import LOOPBACK, SampleServer
from sampleprovider.source import DEFAULT_BASE, SampleSource

KNOWN = 0.7  # share of the records that describe a known book
OWN = 0.15  # share of these that do not copy
LIBRARIES = 3000  # that may hold a book; all of them together
STRIDE = 1009  # coprime to LIBRARIES: the libraries of a book are all different


class Arrival(NamedTuple):
    """A record: the number of its book, how many records of the book came before it, whether it is no copy."""

    book: int
    earlier: int
    is_own: bool

    @property
    def library(self) -> tuple[str, str]:
        """Name and code of the library."""
        number = (self.book * 7 + self.earlier * STRIDE) % LIBRARIES
        return f"見本第{number}図書館", f"{1_000_000 + number}"


def arrivals(count: int, seed: int = 1) -> list[Arrival]:
    """Return the records in the order in which they come, the same in every run."""
    dice = random.Random(seed)
    found: list[Arrival] = []
    held: list[int] = []  # by book: the number of its libraries
    for _ in range(count):
        known = dice.choice(found).book if found and dice.random() < KNOWN else -1
        if known < 0 or held[known] == LIBRARIES:
            known = len(held)
            held.append(0)
        found.append(Arrival(known, held[known], held[known] > 0 and dice.random() < OWN))
        held[known] += 1
    return found


class UnionRecords(GeneratedRecords):
    """The records of the union catalogue."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._arrivals = arrivals(count)

    def payloads(self, index: int) -> Mapping[str, bytes]:
        arrival = self._arrivals[index]
        write = plain_dcndl if arrival.is_own else full_dcndl
        return {"dcndl": write(book(arrival.book), f"{DEFAULT_BASE}/{NAME}/books/{index:09d}", arrival.library)}


def serve() -> None:
    """Serve as many records as the first argument says, after printing the base URL as JSON."""
    serve_records(UnionRecords(int(sys.argv[1])))


def serve_records(records: GeneratedRecords) -> None:
    """Serve the records, after printing the base URL as JSON."""
    source = SampleSource(name=NAME, records=records, prefixes=("dcndl",), title="総合目録")
    source.page_size = 200
    with SampleServer((LOOPBACK, 0), [source], None) as server:
        print(json.dumps({"base_url": server.base_url(source)}), flush=True)
        server.serve_forever()
