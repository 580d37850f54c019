"""Invented books by number: the same number always gives the same book. Pure; independent of the formats.

Books come in blocks of BLOCK: the 6th and 7th of a block are two volumes of one title, the others single books.
"""

from functools import lru_cache
from typing import NamedTuple

from sampleprovider.words import FAMILIES, GIVEN, KINDS, PLACES, PUBLISHERS, ROLES, SCENES, SERIES, SUBTITLES, TOPICS

BLOCK = 17
FIRST_VOLUME, SECOND_VOLUME = 5, 6
VOLUMES = {FIRST_VOLUME: ("上", "1"), SECOND_VOLUME: ("下", "2")}

TITLES = len(SCENES) * len(TOPICS) * len(TOPICS) * len(KINDS)
# Coprime to TITLES and near its golden section, so that consecutive numbers get very different titles.
STRIDE = 5_062_933

# ISBN registrants 660 to 699 of the Japanese group (978-4): one per publisher, with 100,000 titles each.
FIRST_REGISTRANT = 660
MAX_BOOKS = len(PUBLISHERS) * (100_000 // BLOCK) * BLOCK


class Person(NamedTuple):
    """An author. reading: of the inverted form of the name, as in an authority file."""

    family: str
    given: str
    reading: str
    born: int
    authority: str


class Book(NamedTuple):
    """The facts of a book, from which different descriptions are made. Texts are pairs (written form, reading)."""

    number: int
    title: tuple[str, str]
    subtitle: tuple[str, str]
    volume: tuple[str, str]
    series: tuple[str, str]
    series_number: int
    topic: tuple[str, str]
    people: tuple[Person, ...]
    role: str
    publisher: tuple[str, str]
    place: str
    isbn: str
    year: int
    month: int
    ndc: str
    pages: int
    price: int


def book(number: int) -> Book:
    """Return the book of a number from 0 to MAX_BOOKS - 1."""
    position = number % BLOCK
    # Both volumes of a title are derived from the number of the first.
    seed = number - (position == SECOND_VOLUME)
    title, topic = _title(seed)
    rest = _mixed_bits(seed)
    rest, subtitle = divmod(rest, 3 * len(SUBTITLES))
    rest, series = divmod(rest, 2 * len(SERIES))
    rest, count = divmod(rest, 4)
    rest, year = divmod(rest, 50)
    rest, month = divmod(rest, 12)
    rest, ndc = divmod(rest, 1000)
    rest, role = divmod(rest, len(ROLES))
    rest, place = divmod(rest, len(PLACES))
    publisher, isbn = _publication(number)
    return Book(
        number=number,
        title=title,
        subtitle=SUBTITLES[subtitle] if subtitle < len(SUBTITLES) else ("", ""),
        volume=VOLUMES.get(position, ("", "")),
        series=SERIES[series] if series < len(SERIES) else ("", ""),
        series_number=rest % 400 + 1,
        topic=topic,
        people=_people(seed, max(1, count)),
        role=ROLES[role],
        publisher=publisher,
        place=PLACES[place],
        isbn=isbn,
        year=1975 + year,
        month=month + 1,
        ndc=f"{ndc:03d}",
        pages=96 + rest % 397,
        price=800 + rest % 83 * 100,
    )


def book_number(isbn: str) -> int | None:
    """Return the number of the book with this ISBN-13, None if it cannot be one of these books."""
    registrant = int(isbn[4:7]) - FIRST_REGISTRANT if isbn.startswith("9784") else -1
    if not 0 <= registrant < len(PUBLISHERS):
        return None
    turn, position = divmod(int(isbn[7:12]), BLOCK)
    block = turn * len(PUBLISHERS) + (registrant - _step(position)) % len(PUBLISHERS)
    return block * BLOCK + position


def _publication(number: int) -> tuple[tuple[str, str], str]:
    """Publisher and ISBN. Within a block the publisher changes at every second book, never between two volumes."""
    block, position = divmod(number, BLOCK)
    turn, shift = divmod(block, len(PUBLISHERS))
    publisher = (shift + _step(position)) % len(PUBLISHERS)
    body = f"9784{FIRST_REGISTRANT + publisher}{turn * BLOCK + position:05d}"
    # The bytes are 48 ("0") more than the digits: with the weights 1 and 3 that adds 24 * 48 to the sum.
    codes = body.encode()
    check = -(sum(codes[::2]) + 3 * sum(codes[1::2]) - 24 * ord("0")) % 10
    return PUBLISHERS[publisher], f"{body}{check}"


def _step(position: int) -> int:
    return (position + 1) // 2 * 7


def _title(seed: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """The title, which no other seed has, and its topic."""
    rest, scene = divmod(seed * STRIDE % TITLES, len(SCENES))
    rest, first = divmod(rest, len(TOPICS))
    kind, second = divmod(rest, len(TOPICS))
    topic, other = TOPICS[first], TOPICS[second]
    both = (f"{topic[0]}と{other[0]}", f"{topic[1]} ト {other[1]}") if first != second else topic
    written = f"{SCENES[scene][0]}の{both[0]}{KINDS[kind][0]}"
    return (written, f"{SCENES[scene][1]} ノ {both[1]} {KINDS[kind][1]}"), topic


def _people(seed: int, count: int) -> tuple[Person, ...]:
    # All authors are taken from one random number, so that they are far apart in the list of all persons.
    first, known = _mixed_bits(seed + TITLES), len(FAMILIES) * len(GIVEN)
    return tuple([_person((first >> 16 * index) % known) for index in range(count)])


@lru_cache(maxsize=4096)
def _person(number: int) -> Person:
    family, given = FAMILIES[number % len(FAMILIES)], GIVEN[number // len(FAMILIES)]
    return Person(family[0], given[0], f"{family[1]}, {given[1]}", 1920 + number * 7 % 70, f"{900_000_000 + number}")


def _mixed_bits(number: int) -> int:
    """Return 64 pseudo-random bits: the finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    bits = (number + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return bits ^ bits >> 31
