"""The books of the load site: the index document of each book, and the records that its providers would have sent.

Both are made from the documents of `benchmarks.bibliography`, so that record pages agree with search results.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from aggregator.search.base import Document
from benchmarks.bibliography import Bibliography
from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Subject, Title

FIRST_NUMBER = 100_000_000  # repository number of the first provider
PROVIDERS = 60
SERIES = (
    "叢書",
    "選書",
    "文庫",
    "新書",
    "双書",
    "シリーズ",
    "ライブラリー",
)  # a third of the books have a series, named topic + one of these
TYPES = {
    "Book": ("http://ndl.go.jp/ndltype/Book", "図書"),
    "Article": ("http://ndl.go.jp/ndltype/Article", "記事・論文"),
    "Journal": ("http://ndl.go.jp/ndltype/Journal", "雑誌"),
    "Map": ("http://ndl.go.jp/ndltype/Map", "地図"),
    "Thesis": ("http://ndl.go.jp/ndltype/DoctoralDissertation", "博士論文"),
}


@dataclass(frozen=True, slots=True)
class Book:
    """A book; document.id is its number. repositories: its one or two providers, from 0. work: 0 if none."""

    document: Document
    record: BibliographicRecord
    repositories: tuple[int, ...]
    work: int


def books(count: int) -> Iterator[Book]:
    """Yield the books with the numbers 1 to `count`, always the same."""
    for document in Bibliography().documents(count):
        yield _book(document)


def documents(count: int) -> Iterator[Document]:
    """Yield the index documents of the books that `books` yields."""
    return (book.document for book in books(count))


def repository_number(place: int) -> str:
    return f"R{FIRST_NUMBER + place:09d}"


def first_place(number: int) -> int:
    """Return which provider, counted from 0, is the first of a book. A few providers have most of the books."""
    return int(PROVIDERS * (number * 2_654_435_761 % 2**32 / 2**32) ** 2)


def public_id(number: int) -> str:
    """Return the public id of the book's record from its first provider."""
    return f"{repository_number(first_place(number))}-I{number}"


def _book(made: Document) -> Book:
    number = made.id
    first = first_place(number)
    places = (first, (first + 7) % PROVIDERS)[: len(made.repositories)]
    series = (made.subjects[-1] + SERIES[number % len(SERIES)],) if number % 3 == 0 else ()
    known = replace(
        made,
        repositories=tuple(repository_number(place) for place in places),
        holdings=len(places),
        texts=(*series, *made.texts[1:]),
        series_values=series,
    )
    # The first three of every ten books are editions of one work.
    work = number - number % 10 + 1 if number % 10 in (1, 2, 3) else 0
    return Book(known, _record(known, series, len(places)), places, work)


def _record(made: Document, series: tuple[str, ...], copies: int) -> BibliographicRecord:
    forms = iter(made.creators)
    type_of = TYPES.get(made.types[0])
    return BibliographicRecord(
        titles=(Title(value=made.titles[0], transcription=made.titles[1]),),
        creators=tuple(Agent(name=name, transcription=next(forms)) for name in forms),
        publishers=(Agent(name=made.publishers[0], location="東京"),),
        series=tuple(Title(value=title) for title in series),
        issued=str(made.year),
        identifiers=tuple(Identifier(scheme="ISBN", value=isbn) for isbn in made.isbns),
        subjects=(
            *(Subject(value=subject, scheme="NDLSH") for subject in made.subjects),
            *(Subject(value=ndc, scheme="NDC10") for ndc in made.ndcs),
        ),
        languages=made.languages,
        extents=(f"{made.id % 600 + 40}p ; 21cm",),
        material_types=(MaterialType(uri=type_of[0], label=type_of[1]),) if type_of else (),
        notes=made.texts[-1:] if len(made.texts) > len(series) else (),
        items=tuple(
            Item(
                holding_agent="中央図書館", call_number=f"{''.join(made.ndcs)}-{made.id + copy}", availability="貸出可"
            )
            for copy in range(copies)
        ),
    )
