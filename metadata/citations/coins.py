"""A record as OpenURL 1.0 keys and values (ANSI/NISO Z39.88-2004): the title of a COinS, which Zotero reads. Pure."""

from collections.abc import Iterator
from urllib.parse import urlencode

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR

_FORMAT = "info:ofi/fmt:kev:mtx:"
_MOST_AUTHORS = 20
# What stands in the format "book", and what its genre is there; articles and journals are in "journal".
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


def context_object(cited: Citation) -> str:
    """The query string; values in UTF-8."""
    return urlencode([("ctx_ver", "Z39.88-2004"), *((key, value) for key, value in _keys(cited) if value)])


def _keys(cited: Citation) -> Iterator[tuple[str, str]]:
    if cited.kind in kinds.THESES:
        yield "rft_val_fmt", f"{_FORMAT}dissertation"
        yield from _dissertation(cited)
    else:
        genre = _GENRES.get(cited.kind, "document" if cited.container else "unknown")
        journal = genre in _JOURNALS and not (genre == "proceeding" and cited.isbn)
        yield "rft_val_fmt", f"{_FORMAT}{'journal' if journal else 'book'}"
        yield "rft.genre", genre
        yield from _in_journal(cited, genre) if journal else _in_book(cited)
    yield from _makers(cited)
    yield "rft.date", cited.date
    yield "rft.language", next(iter(cited.languages), "")
    yield "rft_id", f"info:doi/{cited.doi}" if cited.doi else ""
    yield "rft_id", cited.page


def _dissertation(cited: Citation) -> Iterator[tuple[str, str]]:
    yield "rft.title", cited.title
    yield "rft.inst", cited.school
    yield "rft.degree", cited.degree


def _in_journal(cited: Citation, genre: str) -> Iterator[tuple[str, str]]:
    yield "rft.atitle", "" if genre == "journal" else cited.title
    yield "rft.jtitle", cited.title if genre == "journal" else cited.container
    yield "rft.volume", cited.volume
    yield "rft.issue", cited.issue
    yield from _pages(cited)
    yield from (("rft.issn", each) for each in cited.issn)


def _in_book(cited: Citation) -> Iterator[tuple[str, str]]:
    yield "rft.atitle", cited.title if cited.container else ""
    yield "rft.btitle", cited.container or " ".join(filter(None, (cited.title, cited.volume)))
    yield "rft.edition", cited.edition
    yield "rft.series", cited.series
    yield "rft.pub", cited.publisher
    yield "rft.place", cited.place
    yield "rft.tpages", cited.page_count
    yield from _pages(cited)
    yield from (("rft.isbn", each) for each in cited.isbn)


def _pages(cited: Citation) -> Iterator[tuple[str, str]]:
    yield "rft.spage", cited.first_page
    yield "rft.epage", cited.last_page


def _makers(cited: Citation) -> Iterator[tuple[str, str]]:
    authors = cited.those(AUTHOR)[:_MOST_AUTHORS]
    for first in authors[:1]:
        yield "rft.aulast", first.family
        yield "rft.aufirst", first.given
    yield from (("rft.au", each.inverted) for each in authors)
