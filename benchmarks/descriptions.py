"""Made-up descriptions of books whose identity is known, for the benchmarks of matching.

A book is described by one to eight providers, each in its own way (subtitle, author's form, missing fields); one in
twenty has several volumes.
"""

import random
from collections.abc import Iterator

from aggregator.search.base import Document
from benchmarks.bibliography import Bibliography
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Title

BOOK = MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書")
COMMON = 0.03  # share of books that share their title with others
PLACES = (
    "松竹梅桜柳杉桐藤菊蘭鶴亀鷹鷲雁鴨鹿熊狼狐島浜浦崎磯沢谷岡坂峰原野畑郷里村町宮寺社橋堀池沼滝泉井岩石砂金銀銅鉄玉"
)


def described(seed: int = 1) -> Iterator[tuple[str, BibliographicRecord]]:
    """Yield (book, record) without end. The records of a book are scattered, not adjacent."""
    pick = random.Random(seed)
    shelf: list[tuple[str, BibliographicRecord]] = []
    for document in Bibliography(seed).documents(10**9):
        own = "" if pick.random() < COMMON else "".join(pick.choices(PLACES, k=4))
        volumes = [f"{number}" for number in range(1, pick.choice((3, 5, 9)))] if pick.random() < 1 / 20 else [""]
        for volume in volumes:
            copies = pick.choice((1, 1, 1, 2, 2, 3, 5, 8))
            shelf += [(f"{document.id}.{volume}", description(document, own, volume, pick)) for _ in range(copies)]
        if len(shelf) > 5000:
            pick.shuffle(shelf)
            yield from shelf[2500:]
            del shelf[2500:]


def description(document: Document, own: str, volume: str, pick: random.Random) -> BibliographicRecord:
    """Describe the book as one provider would, with random omissions."""
    title, _, subtitle = document.titles[0].partition(" : ")
    shown = f"{own}{title} : {subtitle}" if subtitle and pick.random() < 0.7 else f"{own}{title}"
    isbn = document.isbns[0] if document.isbns and not volume and pick.random() < 0.8 else ""
    author = document.creators[0] if pick.random() < 0.9 else document.creators[0].replace(", ", "")
    return BibliographicRecord(
        titles=(Title(value=shown, transcription=document.titles[1] if not own and pick.random() < 0.6 else ""),),
        volumes=(Title(value=volume if pick.random() < 0.8 else f"第{volume}巻"),) if volume else (),
        creators=(Agent(name=author),) if pick.random() < 0.9 else (),
        publishers=(Agent(name=document.publishers[0]),) if pick.random() < 0.9 else (),
        issued=str(document.year),
        extents=(f"{100 + document.id % 400}p",) if pick.random() < 0.5 else (),
        identifiers=(Identifier(scheme="ISBN", value=isbn),) if isbn else (),
        material_types=(BOOK,),
    )
