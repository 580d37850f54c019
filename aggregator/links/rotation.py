"""Which links have their turn: in each round one of every library, spread evenly over its books.

The place within a library's books follows the golden ratio (the additive recurrence of Kronecker and Weyl), from a
start of its own. After any number of rounds the places are spread evenly, and every link has its turn in time, however
many are added meanwhile. Reads three rows of the index for each turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from aggregator.libraries.holdings import Copy, unpack_copies
from aggregator.models import Holding, Library
from harvesting.models import Repository
from harvesting.records.compression import unpack_encoded

# 2**64 divided by the golden ratio: steps of this size around a circle of 2**64 spread evenly.
GOLDEN = 0x9E3779B97F4A7C15
WHOLE = 1 << 64
MOST_OWN = 2  # links of single copies that have their turn together with that of the library


@dataclass(frozen=True, slots=True)
class Candidate:
    """A link that has its turn. repository: the provider that reports it."""

    url: str
    kind: str
    repository: int
    library: int
    book: int


def place(library: int, turn: int, books: int) -> int:
    """Return the number, from 1, that a library's turn falls on, among so many books."""
    start = int.from_bytes(blake2b(f"links {library}".encode(), digest_size=8).digest())
    return (start + turn * GOLDEN) % WHOLE * books // WHOLE + 1


def libraries_after(library: int, most: int) -> list[int]:
    """Return the next libraries that hold books."""
    rows = Library.objects.current().filter(pk__gt=library, holdings__gt=0).order_by("pk")
    return list(rows.values_list("pk", flat=True)[:most])


def links_of_turn(library: int, turn: int) -> Iterator[Candidate]:
    """Yield the links of a library that have their turn: of one of its books, and of some copies of that book."""
    own = Holding.objects.filter(library=library)
    books = own.values_list("manifestation_id", flat=True)
    first, last = books.order_by("manifestation").first(), books.order_by("-manifestation").first()
    if first is None or last is None:
        return
    number = first - 1 + place(library, turn, last - first + 1)
    columns = ("manifestation_id", "link", "link_kind", "packed")
    row = own.filter(manifestation__lte=number).order_by("-manifestation").values_list(*columns).first()
    if row is None:
        return
    book, link, kind, packed = row
    copies = unpack_copies(unpack_encoded(packed))
    repository = _provider(copies)
    if not repository:
        return
    if link:
        yield Candidate(link, kind, repository, library, book)
    others = [copy.link for copy in copies if copy.link and copy.link != link]
    for url in list(dict.fromkeys(others))[:MOST_OWN]:
        yield Candidate(url, "detail", repository, library, book)


def _provider(copies: tuple[Copy, ...]) -> int:
    """The provider of the first copy; 0 if it is gone."""
    number = copies[0].record.partition("-")[0] if copies else ""
    return Repository.objects.filter(number=number).values_list("pk", flat=True).first() or 0
