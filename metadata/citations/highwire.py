"""A record as the citation_* tags of Highwire Press, which Google Scholar, Zotero and Mendeley read. Pure."""

from collections.abc import Iterator

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR, EDITOR
from metadata.record import BibliographicRecord


def tags(cited: Citation, record: BibliographicRecord) -> tuple[tuple[str, str], ...]:
    """Names and contents of the <meta> elements; a name may come several times."""
    return tuple((f"citation_{name}", content) for name, content in _tags(cited, record) if content)


def _tags(cited: Citation, record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    yield "title", " ".join(filter(None, (cited.title, cited.volume if not cited.container else "")))
    yield from (("author", each.inverted) for each in cited.those(AUTHOR))
    yield from (("editor", each.inverted) for each in cited.those(EDITOR))
    yield "publication_date", cited.date.replace("-", "/")
    yield from _around(cited)
    if cited.kind in kinds.THESES:
        yield "dissertation_institution", cited.school
    else:
        yield "publisher", cited.publisher
    yield from (("isbn", each) for each in cited.isbn)
    yield from (("issn", each) for each in cited.issn)
    yield "doi", cited.doi
    yield "language", next(iter(cited.languages), "")
    yield from (("keywords", each) for each in cited.keywords)
    yield "public_url", cited.page
    yield from _full_texts(record, cited)


def _around(cited: Citation) -> Iterator[tuple[str, str]]:
    """What an article, a paper or a chapter stands in."""
    if not cited.container:
        yield "series_title", cited.series
        return
    name = {kinds.CHAPTER: "inbook_title", kinds.PAPER: "conference_title"}.get(cited.kind, "journal_title")
    yield name, cited.container
    yield "volume", cited.volume
    yield "issue", cited.issue
    yield "firstpage", cited.first_page
    yield "lastpage", cited.last_page


def _full_texts(record: BibliographicRecord, cited: Citation) -> Iterator[tuple[str, str]]:
    """PDFs as such, any other full text as HTML."""
    pdfs = {each.uri for each in record.files if each.media_type == "application/pdf"}
    for address in cited.files:
        yield ("pdf_url" if address in pdfs or address.lower().endswith(".pdf") else "fulltext_html_url"), address
