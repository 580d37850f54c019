"""A book for machines: its addresses, media types and formats; JSON-LD for the page. Knows HTTP; no pages."""

import msgspec
from django.conf import settings
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from msgspec import structs

from aggregator.catalogue.books import Book, Holding
from aggregator.query.parameters import BadParameter
from metadata.citations.facts import Citation
from metadata.formats import CITATIONS, WRITERS
from metadata.formats.schema_org.write import written
from metadata.record import BibliographicRecord

FORMATS = ("dcndl", "oai_dc", "dcndl_simple", "jpcoar", "marcxml", "mods")  # of .xml?format=, the default first
_CITATIONS = {each.ending: each for each in CITATIONS.values()}
# The endings of a book's addresses.
ENDINGS = ("rdf", "json", "xml", *_CITATIONS)
# What an Accept header may ask for -> the address that gives it, from the ending on.
ALTERNATIVES = {
    "application/rdf+xml": "rdf",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    **{each.media_type: each.ending for each in _CITATIONS.values()},
    "text/x-bibtex": "bib",
    **{WRITERS[name].media_type: f"xml?format={name}" for name in ("marcxml", "mods")},
}
# Files that a reader's reference manager opens; browsers show the others. A reader may note any book.
PERSONAL = frozenset(("ris", "bib", "csl.json"))


def represent(book: Book, suffix: str, parameters: QueryDict) -> HttpResponse:
    """The book in the format of the address's ending. Raises BadParameter."""
    allowed = {"format"} if suffix == "xml" else set()
    if unknown := set(parameters) - allowed:
        raise BadParameter(min(unknown), _("Allowed are: %(names)s.") % {"names": ", ".join(allowed) or "–"})
    if suffix == "json":
        return HttpResponse(as_json(book), "application/json")
    if suffix in _CITATIONS:
        return _citation(book, suffix)
    prefix = parameters.get("format", FORMATS[0])
    if prefix not in FORMATS:
        raise BadParameter("format", _("Allowed are: %(names)s.") % {"names": ", ".join(FORMATS)})
    media_type = "application/rdf+xml" if suffix == "rdf" else "application/xml"
    return HttpResponse(WRITERS[prefix].write(book.record), f"{media_type}; charset=utf-8")


def _citation(book: Book, suffix: str) -> HttpResponse:
    writer = _CITATIONS[suffix]
    text = "" if "json" in writer.media_type else "; charset=utf-8"  # JSON is UTF-8 by itself (RFC 8259)
    response = HttpResponse(writer.write(addressed(book)), f"{writer.media_type}{text}")
    if suffix in PERSONAL:
        response["Content-Disposition"] = f'attachment; filename="{book.public_id}.{suffix}"'
    return response


def permanent_address(book: Book) -> str:
    """The book's own permanent address on the web."""
    return f"{settings.PUBLIC_URL}{reverse('book', args=[book.public_id])}"


def structured_data(described: BibliographicRecord, cited: Citation) -> SafeString:
    """The book as JSON-LD for a <script> block of its page, which nothing in the record can end.

    described: as `addressed` gives it; cited: the same as a citation.
    """
    data = written(described, cited).decode()
    return mark_safe(data.translate(_IN_SCRIPT))  # noqa: S308 what HTML reads as markup was just escaped


def addressed(book: Book) -> BibliographicRecord:
    """The merged record under our address: what is cited can be found again here. Its own becomes one more link."""
    own = () if book.record.uri in ("", *book.record.see_also) else (book.record.uri,)
    return structs.replace(book.record, uri=permanent_address(book), see_also=(*book.record.see_also, *own))


# As Django's json_script: "</script" and "<!--" never appear; U+2028 and U+2029 once ended lines of JavaScript.
_IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def as_json(book: Book) -> bytes:
    """Public id, record, members and holdings; names of the record's fields as in `metadata.record`."""
    return msgspec.json.encode(
        {
            "id": book.public_id,
            "record": book.record,
            "members": [{"id": each.public_id, "repository": each.repository.number} for each in book.descriptions],
            "holdings": [_holding(each) for each in book.holdings],
        }
    )


def _holding(holding: Holding) -> dict[str, str]:
    return {
        "repository": holding.repository.number,
        "library": holding.item.holding_agent,
        "call_number": holding.item.call_number,
        "availability": holding.item.availability,
        "link": holding.link.url,
    }
