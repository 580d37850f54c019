"""A record in CSL-JSON, the input of citation processors (citeproc, Zotero, Pandoc). Written only; a list of one.

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
    """A JSON array with one item; the id is the record's address, else a key made from it."""
    cited = cite(record)
    item = {
        "id": cited.page or cite_key(record, cited.names, cited.year),
        "citation-key": cite_key(record, cited.names, cited.year),
        "type": _TYPES.get(cited.kind, "document"),
        **{name: value for name, value in _variables(cited) if value},
    }
    return msgspec.json.encode([item])


def _variables(cited: Citation) -> Iterator[tuple[str, Any]]:
    yield "title", cited.title
    yield "container-title", cited.container
    yield "collection-title", cited.series
    yield "collection-number", cited.series_number
    for role in _ROLES:
        yield role, _names(cited.those(role))
    yield "issued", {"date-parts": [[int(part) for part in cited.date.split("-")]]} if cited.date else None
    yield "volume", cited.volume
    yield "issue", cited.issue
    yield "number", cited.number
    yield "page", cited.pages
    yield "page-first", cited.first_page if cited.last_page else ""
    yield "number-of-pages", cited.page_count
    yield "edition", cited.edition
    yield "publisher", cited.school or cited.publisher
    yield "publisher-place", cited.place
    yield "genre", cited.degree or _GENRES.get(cited.kind, "")
    yield "ISBN", " ".join(cited.isbn)
    yield "ISSN", " ".join(cited.issn)
    yield "DOI", cited.doi
    yield "URL", cited.url
    yield "language", next(iter(cited.languages), "")
    yield "abstract", cited.abstract
    yield "keyword", ", ".join(cited.keywords)
    yield "note", "\n".join(cited.notes)


def _names(names: Iterable[Name]) -> list[dict[str, str]]:
    return [_name(each) for each in names]


def _name(name: Name) -> dict[str, str]:
    if not name.family:
        return {"literal": name.literal}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {key: value for key, value in parts.items() if value}
