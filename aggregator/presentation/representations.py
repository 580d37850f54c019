"""A book in the formats that programs read, with their addresses and media types; JSON-LD for its page. Renders no
pages.
"""

import msgspec
from django.http import HttpResponse, QueryDict
from django.utils.encoding import iri_to_uri
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from aggregator.catalogue.books import Book
from aggregator.catalogue.shelves import Shelf
from aggregator.libraries.addresses import library_url
from aggregator.libraries.holdings import Copy
from aggregator.query.parameters import BadParameter
from metadata.citations.facts import Citation
from metadata.formats import TARGET, WRITERS, Writer
from metadata.formats.schema_org.write import write_cited
from metadata.links import safe_href
from metadata.record import BibliographicRecord

# The endings of a book's addresses.
ENDINGS = ("json", "xml", *dict.fromkeys(writer.ending for writer in WRITERS.values() if writer.ending != "xml"))
# Endings for reference managers, which browsers download; browsers display the other forms.
PERSONAL = frozenset(writer.ending for writer in WRITERS.values() if writer.download)


def book_writers() -> list[Writer]:
    """Return the forms in which every book has an address; the canonical one first."""
    return [writer for writer in WRITERS.values() if writer.books]


def xml_forms() -> list[str]:
    """Return the values of ?format= of .xml; the default first."""
    return [writer.name for writer in book_writers() if writer.namespace]


def ending_of(writer: Writer) -> str:
    """Return the ending of a book's address in a form, with its query string."""
    return writer.ending if writer.ending != "xml" else f"xml?format={writer.name}"


def alternatives() -> dict[str, str]:
    """Return media type in an Accept header → the ending of the book's address in that form, with its query string."""
    first = {TARGET.writer.media_type: TARGET.writer.ending, "application/json": "json"}
    plain = {"application/xml": "xml", "text/xml": "xml"}
    others = {
        media_type: ending_of(writer)
        for writer in book_writers()
        for media_type in (writer.media_type, *writer.accepted)
        if media_type not in plain
    }
    return first | plain | others


def represent(book: Book, suffix: str, parameters: QueryDict) -> HttpResponse:
    """Return the book in the form of the address's ending. Raises BadParameter.

    book: as `permitted_books.with_holdings` returns it. Its licences that have an address are in the header Link.
    """
    allowed = {"format"} if suffix == "xml" else set()
    if unknown := set(parameters) - allowed:
        raise BadParameter(min(unknown), _("Allowed: %(names)s.") % {"names": ", ".join(allowed) or "–"})
    response = _in_form(book, suffix, parameters)
    links = [f'<{iri_to_uri(licence)}>; rel="license"' for licence in map(safe_href, book.licences) if licence]
    if links:
        response["Link"] = ", ".join(links)
    return response


def _in_form(book: Book, suffix: str, parameters: QueryDict) -> HttpResponse:
    if suffix == "json":
        return HttpResponse(as_json(book), "application/json")
    if suffix != "xml":
        return _with_own_ending(book, next(writer for writer in book_writers() if writer.ending == suffix))
    prefix = parameters.get("format", TARGET.prefix)
    if prefix not in xml_forms():
        raise BadParameter("format", _("Allowed: %(names)s.") % {"names": ", ".join(xml_forms())})
    return HttpResponse(WRITERS[prefix].write(book.record), "application/xml; charset=utf-8")


def _with_own_ending(book: Book, writer: Writer) -> HttpResponse:
    charset = "" if "json" in writer.media_type else "; charset=utf-8"  # JSON is always UTF-8 (RFC 8259)
    response = HttpResponse(writer.write(book.record), f"{writer.media_type}{charset}")
    if writer.download:
        response["Content-Disposition"] = f'attachment; filename="{book.public_id}.{writer.ending}"'
    return response


def structured_data(record: BibliographicRecord, cited: Citation) -> SafeString:
    """Return the book as JSON-LD for a <script> block of its page; no text of the record can end the block.

    record: the one from `catalogue.identity`; cited: the same record as a citation.
    """
    return script_json(write_cited(record, cited))


def script_json(data: bytes) -> SafeString:
    """Return JSON for a <script> block."""
    for character, escaped in _IN_SCRIPT.items():
        data = data.replace(character, escaped)
    return mark_safe(data.decode())  # noqa: S308 what HTML reads as markup was just escaped


# Escaped like Django's json_script, so that neither "</script" nor "<!--" appears. U+2028 and U+2029 ended a line in
# JavaScript before ECMAScript 2019.
_IN_SCRIPT = {char.encode(): f"\\u{ord(char):04x}".encode() for char in "<>&\u2028\u2029"}


def as_json(book: Book) -> bytes:
    """Return public id, record, members, libraries and their copies ("holdings") as JSON.

    The record's fields are named as in `metadata.record`. library_count: of all libraries, also those not listed.
    """
    return msgspec.json.encode(
        {
            "id": book.public_id,
            "licences": book.licences,
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
