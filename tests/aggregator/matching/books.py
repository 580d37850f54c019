"""Short-hand records for the tests of matching."""

from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Title

_TYPE = "http://ndl.go.jp/ndltype/"


def book(
    title: str,
    *,
    volume: str = "",
    isbn: str = "",
    set_isbn: str = "",
    author: str = "",
    publisher: str = "",
    year: str = "",
    edition: str = "",
    yomi: str = "",
    type_: str = "Book",
    extent: str = "",
) -> BibliographicRecord:
    """A record as a crosswalk would make it."""
    numbers = [Identifier(scheme="ISBN", value=normalise("ISBN", number)) for number in isbn.split()]
    numbers += [Identifier(scheme="SetISBN", value=normalise("SetISBN", number)) for number in set_isbn.split()]
    return BibliographicRecord(
        titles=(Title(value=title, transcription=yomi),),
        volumes=(Title(value=volume),) if volume else (),
        editions=(edition,) if edition else (),
        creators=tuple(Agent(name=name) for name in author.split(";") if name),
        publishers=(Agent(name=publisher),) if publisher else (),
        issued=year,
        identifiers=tuple(numbers),
        extents=(extent,) if extent else (),
        material_types=(MaterialType(uri=_TYPE + type_),) if type_ else (),
    )
