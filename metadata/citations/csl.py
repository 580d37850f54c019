"""Writes a record in CSL-JSON, the input of citation processors (citeproc, Zotero, Pandoc), as a list of one item.

Types and variables are those of CSL 1.0.2.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from metadata.citations import kinds
from metadata.citations.facts import Citation, cite
from metadata.citations.keys import cite_key
from metadata.citations.names import AUTHOR, COMPOSER, CONTRIBUTOR, EDITOR, ILLUSTRATOR, TRANSLATOR, Name
from metadata.record import BibliographicRecord
from metadata.writer import Writer, join_json

_TYPES = {
    kinds.BOOK: "book",
    kinds.CHAPTER: "chapter",
    kinds.ARTICLE: "article-journal",
    kinds.NEWS: "article-newspaper",
    kinds.PAPER: "paper-conference",
    kinds.PROCEEDINGS: "book",
    kinds.DOCTORAL: "thesis",
    kinds.MASTER: "thesis",
    kinds.THESIS: "thesis",
    kinds.REPORT: "report",
    kinds.JOURNAL: "periodical",
    kinds.NEWSPAPER: "periodical",
    kinds.DATASET: "dataset",
    kinds.SOFTWARE: "software",
    kinds.MAP: "map",
    kinds.SCORE: "musical_score",
    kinds.SOUND: "song",
    kinds.VIDEO: "motion_picture",
    kinds.IMAGE: "graphic",
    kinds.LAW: "legislation",
    kinds.LECTURE: "speech",
}
_GENRES = {kinds.DOCTORAL: "Doctoral dissertation", kinds.MASTER: "Master's thesis"}
_ROLES = (AUTHOR, EDITOR, TRANSLATOR, ILLUSTRATOR, COMPOSER, CONTRIBUTOR)


def write(record: BibliographicRecord) -> bytes:
    """Return a JSON array with one item; its id is the URL of the record, else a cite key made from the record."""
    citation = cite(record)
    item = {
        "id": citation.page or cite_key(record, citation.names, citation.year),
        "citation-key": cite_key(record, citation.names, citation.year),
        "type": _TYPES.get(citation.kind, "document"),
        **{name: value for name, value in _variables(citation) if value},
    }
    return msgspec.json.encode([item])


def _variables(citation: Citation) -> Iterator[tuple[str, Any]]:
    yield "title", citation.title
    yield "container-title", citation.container
    yield "collection-title", citation.series
    yield "collection-number", citation.series_number
    for role in _ROLES:
        yield role, [_name(name) for name in citation.with_role(role)]
    yield "issued", {"date-parts": [[int(part) for part in citation.date.split("-")]]} if citation.date else None
    yield "volume", citation.volume
    yield "issue", citation.issue
    yield "number", citation.number
    yield "page", citation.pages
    yield "page-first", citation.first_page if citation.last_page else ""
    yield "number-of-pages", citation.page_count
    yield "edition", citation.edition
    yield "publisher", citation.school or citation.publisher
    yield "publisher-place", citation.place
    yield "genre", citation.degree or _GENRES.get(citation.kind, "")
    yield "ISBN", " ".join(citation.isbn)
    yield "ISSN", " ".join(citation.issn)
    yield "DOI", citation.doi
    yield "URL", citation.url
    yield "language", next(iter(citation.languages), "")
    yield "abstract", citation.abstract
    yield "keyword", ", ".join(citation.keywords)
    yield "note", "\n".join(citation.notes)


def _name(name: Name) -> dict[str, str]:
    if not name.family:
        return {"literal": name.literal}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {key: value for key, value in parts.items() if value}


def join(documents: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the items of several documents as one list."""
    items = (item for document in documents for item in msgspec.json.decode(document, type=list[msgspec.Raw]))
    return join_json(map(bytes, items))


WRITER = Writer(
    name="csl",
    label="CSL-JSON",
    media_type="application/vnd.citationstyles.csl+json",
    ending="csl.json",
    write=write,
    books=True,
    download=True,
    join=join,
)
