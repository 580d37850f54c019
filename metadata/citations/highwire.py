"""The citation_* meta tags of Highwire Press, which Google Scholar, Zotero and Mendeley read. Pure."""

from collections.abc import Iterator

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR, EDITOR
from metadata.record import BibliographicRecord


def tags(citation: Citation, record: BibliographicRecord) -> tuple[tuple[str, str], ...]:
    """Return names and contents of the <meta> elements; a name may occur several times."""
    return tuple((f"citation_{name}", content) for name, content in _tags(citation, record) if content)


def _tags(citation: Citation, record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    yield "title", " ".join(filter(None, (citation.title, citation.volume if not citation.container else "")))
    yield from (("author", name.inverted) for name in citation.with_role(AUTHOR))
    yield from (("editor", name.inverted) for name in citation.with_role(EDITOR))
    yield "publication_date", citation.date.replace("-", "/")
    yield from _container(citation)
    if citation.kind in kinds.THESES:
        yield "dissertation_institution", citation.school
    else:
        yield "publisher", citation.publisher
    yield from (("isbn", isbn) for isbn in citation.isbn)
    yield from (("issn", issn) for issn in citation.issn)
    yield "doi", citation.doi
    yield "language", next(iter(citation.languages), "")
    yield from (("keywords", keyword) for keyword in citation.keywords)
    yield "public_url", citation.page
    yield from _full_texts(record, citation)


def _container(citation: Citation) -> Iterator[tuple[str, str]]:
    """Yield the tags of the publication that contains an article, a paper or a chapter; else that of the series."""
    if not citation.container:
        yield "series_title", citation.series
        return
    name = {kinds.CHAPTER: "inbook_title", kinds.PAPER: "conference_title"}.get(citation.kind, "journal_title")
    yield name, citation.container
    yield "volume", citation.volume
    yield "issue", citation.issue
    yield "firstpage", citation.first_page
    yield "lastpage", citation.last_page


def _full_texts(record: BibliographicRecord, citation: Citation) -> Iterator[tuple[str, str]]:
    """PDF files, and any other full text as HTML."""
    pdfs = {file.uri for file in record.files if file.media_type == "application/pdf"}
    for address in citation.files:
        yield ("pdf_url" if address in pdfs or address.lower().endswith(".pdf") else "fulltext_html_url"), address
