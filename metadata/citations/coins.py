"""OpenURL 1.0 context objects (ANSI/NISO Z39.88-2004) for COinS, the <span title="…"> that Zotero reads. Pure."""

from collections.abc import Iterator
from urllib.parse import urlencode

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR

_FORMAT = "info:ofi/fmt:kev:mtx:"
_MAX_AUTHORS = 20
# Genres of the formats "book" and "journal"; _JOURNALS are those of "journal".
_GENRES = {
    kinds.BOOK: "book",
    kinds.CHAPTER: "bookitem",
    kinds.PROCEEDINGS: "conference",
    kinds.REPORT: "report",
    kinds.ARTICLE: "article",
    kinds.NEWS: "article",
    kinds.PAPER: "proceeding",
    kinds.JOURNAL: "journal",
    kinds.NEWSPAPER: "journal",
}
_JOURNALS = frozenset(("article", "proceeding", "journal"))


def context_object(citation: Citation) -> str:
    """Return the context object as a query string; values in UTF-8."""
    return urlencode([("ctx_ver", "Z39.88-2004"), *((key, value) for key, value in _keys(citation) if value)])


def _keys(citation: Citation) -> Iterator[tuple[str, str]]:
    if citation.kind in kinds.THESES:
        yield "rft_val_fmt", f"{_FORMAT}dissertation"
        yield from _dissertation(citation)
    else:
        genre = _GENRES.get(citation.kind, "document" if citation.container else "unknown")
        journal = genre in _JOURNALS and not (genre == "proceeding" and citation.isbn)
        yield "rft_val_fmt", f"{_FORMAT}{'journal' if journal else 'book'}"
        yield "rft.genre", genre
        yield from _in_journal(citation, genre) if journal else _in_book(citation)
    yield from _authors(citation)
    yield "rft.date", citation.date
    yield "rft.language", next(iter(citation.languages), "")
    yield "rft_id", f"info:doi/{citation.doi}" if citation.doi else ""
    yield "rft_id", citation.page


def _dissertation(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "rft.title", citation.title
    yield "rft.inst", citation.school
    yield "rft.degree", citation.degree


def _in_journal(citation: Citation, genre: str) -> Iterator[tuple[str, str]]:
    yield "rft.atitle", "" if genre == "journal" else citation.title
    yield "rft.jtitle", citation.title if genre == "journal" else citation.container
    yield "rft.volume", citation.volume
    yield "rft.issue", citation.issue
    yield from _pages(citation)
    yield from (("rft.issn", issn) for issn in citation.issn)


def _in_book(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "rft.atitle", citation.title if citation.container else ""
    yield "rft.btitle", citation.container or " ".join(filter(None, (citation.title, citation.volume)))
    yield "rft.edition", citation.edition
    yield "rft.series", citation.series
    yield "rft.pub", citation.publisher
    yield "rft.place", citation.place
    yield "rft.tpages", citation.page_count
    yield from _pages(citation)
    yield from (("rft.isbn", isbn) for isbn in citation.isbn)


def _pages(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "rft.spage", citation.first_page
    yield "rft.epage", citation.last_page


def _authors(citation: Citation) -> Iterator[tuple[str, str]]:
    authors = citation.with_role(AUTHOR)[:_MAX_AUTHORS]
    for first in authors[:1]:
        yield "rft.aulast", first.family
        yield "rft.aufirst", first.given
    yield from (("rft.au", author.inverted) for author in authors)
