"""Small DC-NDL payloads for tests."""

from metadata.formats import CROSSWALKS
from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Title

BOOK = MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書")


def record(
    local_id: str,
    *,
    title: str = "見本の本",
    creator: str = "見本, 太郎",
    isbn: str = "",
    issued: str = "2001",
    volume: str = "",
    base: str = "https://library.example.jp/books",
) -> BibliographicRecord:
    """A plausible book with one item. title "" leaves the title out."""
    uri = f"{base}/{local_id}"
    return BibliographicRecord(
        uri=uri,
        titles=(Title(value=title),) if title else (),
        display_title=title,
        creators=(Agent(name=creator),),
        publishers=(Agent(name="見本書房", location="東京"),),
        issued=issued,
        dates=(issued,),
        volumes=(Title(value=volume),) if volume else (),
        identifiers=(Identifier(scheme="ISBN", value=isbn),) if isbn else (),
        languages=("jpn",),
        material_types=(BOOK,),
        see_also=(uri,),
        items=(Item(uri=f"{uri}#item", holding_agent="見本図書館", library_code="9999", see_also=(uri,)),),
    )


def book(local_id: str, **fields: object) -> bytes:
    """The same as DC-NDL(RDF)."""
    return CROSSWALKS["dcndl"].write(record(local_id, **fields))
