"""A book for machines: DC-NDL, oai_dc, JSON. Knows media types; no pages."""

import msgspec
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _

from aggregator.catalogue import Book, Holding
from aggregator.parameters import BadParameter
from metadata.crosswalks import CROSSWALKS

FORMATS = ("dcndl", "oai_dc")
# What an Accept header may ask for -> the ending of the address that gives it.
ALTERNATIVES = {"application/rdf+xml": "rdf", "application/json": "json"}


def represent(book: Book, suffix: str, parameters: QueryDict) -> HttpResponse:
    """The book in the format of the address's ending. Raises BadParameter."""
    allowed = {"format"} if suffix == "xml" else set()
    if unknown := set(parameters) - allowed:
        raise BadParameter(min(unknown), _("Allowed are: %(names)s.") % {"names": ", ".join(allowed) or "–"})
    if suffix == "json":
        return HttpResponse(as_json(book), "application/json")
    prefix = parameters.get("format", FORMATS[0])
    if prefix not in FORMATS:
        raise BadParameter("format", _("Allowed are: %(names)s.") % {"names": ", ".join(FORMATS)})
    media_type = "application/rdf+xml" if suffix == "rdf" else "application/xml"
    return HttpResponse(CROSSWALKS[prefix].write(book.record), f"{media_type}; charset=utf-8")


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
