"""A book in the formats that programs read, with their addresses and media types; JSON-LD for its page. Renders no
pages.
"""

import msgspec
from django.http import HttpResponse, QueryDict
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from aggregator.catalogue.books import Book
from aggregator.catalogue.shelves import Shelf
from aggregator.libraries.addresses import library_url
from aggregator.libraries.holdings import Copy
from aggregator.query.parameters import BadParameter
from metadata.citations.facts import Citation
from metadata.formats import CITATIONS, WRITERS
from metadata.formats.schema_org.write import write_cited
from metadata.record import BibliographicRecord

FORMATS = ("dcndl", "oai_dc", "dcndl_simple", "jpcoar", "marcxml", "mods")  # values of ?format= of .xml; default first
_CITATIONS = {writer.ending: writer for writer in CITATIONS.values()}
# The endings of a book's addresses.
ENDINGS = ("rdf", "json", "xml", *_CITATIONS)
# Media type in an Accept header -> the ending of the book's address in that format, with its query string.
ALTERNATIVES = {
    "application/rdf+xml": "rdf",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    **{writer.media_type: writer.ending for writer in _CITATIONS.values()},
    "text/x-bibtex": "bib",
    **{WRITERS[name].media_type: f"xml?format={name}" for name in ("marcxml", "mods")},
}
# Formats for reference managers, which browsers download; browsers display the other formats.
PERSONAL = frozenset(("ris", "bib", "csl.json"))


def represent(book: Book, suffix: str, parameters: QueryDict) -> HttpResponse:
    """Return the book in the format of the address's ending. Raises BadParameter.

    book: as `permitted_books.with_holdings` returns it.
    """
    allowed = {"format"} if suffix == "xml" else set()
    if unknown := set(parameters) - allowed:
        raise BadParameter(min(unknown), _("Allowed: %(names)s.") % {"names": ", ".join(allowed) or "–"})
    if suffix == "json":
        return HttpResponse(as_json(book), "application/json")
    if suffix in _CITATIONS:
        return _citation(book, suffix)
    prefix = parameters.get("format", FORMATS[0])
    if prefix not in FORMATS:
        raise BadParameter("format", _("Allowed: %(names)s.") % {"names": ", ".join(FORMATS)})
    media_type = "application/rdf+xml" if suffix == "rdf" else "application/xml"
    return HttpResponse(WRITERS[prefix].write(book.record), f"{media_type}; charset=utf-8")


def _citation(book: Book, suffix: str) -> HttpResponse:
    writer = _CITATIONS[suffix]
    charset = "" if "json" in writer.media_type else "; charset=utf-8"  # JSON is always UTF-8 (RFC 8259)
    response = HttpResponse(writer.write(book.record), f"{writer.media_type}{charset}")
    if suffix in PERSONAL:
        response["Content-Disposition"] = f'attachment; filename="{book.public_id}.{suffix}"'
    return response


def structured_data(record: BibliographicRecord, cited: Citation) -> SafeString:
    """Return the book as JSON-LD for a <script> block of its page; no text of the record can end the block.

    record: the one from `catalogue.identity`; cited: the same record as a citation.
    """
    return script_json(write_cited(record, cited))


def script_json(data: bytes) -> SafeString:
    """Return JSON for a <script> block."""
    return mark_safe(data.decode().translate(_IN_SCRIPT))  # noqa: S308 what HTML reads as markup was just escaped


# Escaped like Django's json_script, so that neither "</script" nor "<!--" appears. U+2028 and U+2029 ended a line in
# JavaScript before ECMAScript 2019.
_IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def as_json(book: Book) -> bytes:
    """Return public id, record, members, libraries and their copies ("holdings") as JSON.

    The record's fields are named as in `metadata.record`. library_count: of all libraries, also those not listed.
    """
    return msgspec.json.encode(
        {
            "id": book.public_id,
            "record": book.record,
            "members": [{"id": member.public_id, "repository": member.repository.number} for member in book.members],
            "library_count": book.holders.libraries,
            "libraries": [_library(shelf) for shelf in book.shelves],
            "holdings": [_copy(shelf, copy) for shelf in book.shelves for copy in shelf.copies],
        }
    )


def _library(shelf: Shelf) -> dict[str, object]:
    return {
        "scheme": shelf.code.scheme,
        "code": shelf.code.value,
        "name": shelf.library.name,
        "name_en": shelf.library.name_en,
        "copies": shelf.count,
        "link": shelf.link.url,
        "link_kind": shelf.link.kind,
        "repositories": [repository.number for repository in shelf.repositories],
        "accessible": shelf.accessible,
        "url": library_url(shelf.library.pk),
    }


def _copy(shelf: Shelf, copy: Copy) -> dict[str, str]:
    return {
        "repository": copy.record.partition("-")[0],
        "library": copy.item.holding_agent or shelf.library.name,
        "call_number": copy.item.call_number,
        "availability": copy.item.availability,
        "link": shelf.link_of(copy),
    }
