"""Records for the tests of matching, in few words."""

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
    numbers = [Identifier(scheme="ISBN", value=normalise("ISBN", each)) for each in isbn.split()]
    numbers += [Identifier(scheme="SetISBN", value=normalise("SetISBN", each)) for each in set_isbn.split()]
    return BibliographicRecord(
        titles=(Title(value=title, transcription=yomi),),
        volumes=(Title(value=volume),) if volume else (),
        editions=(edition,) if edition else (),
        creators=tuple(Agent(name=each) for each in author.split(";") if each),
        publishers=(Agent(name=publisher),) if publisher else (),
        issued=year,
        identifiers=tuple(numbers),
        extents=(extent,) if extent else (),
        material_types=(MaterialType(uri=_TYPE + type_),) if type_ else (),
    )
