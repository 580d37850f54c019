"""A slip to print for readers who ask their own library to get a book: what it is, and who holds it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Gone
from aggregator.catalogue.identity import permanent_address
from aggregator.catalogue.shelves import Shelf
from aggregator.libraries.identify import NAME, PROVIDER
from aggregator.views.public.books import absent, gone_page
from harvesting.models import SourceRecord

HOLDERS = 8  # libraries that the slip names, so that it stays on one page
SCHEMES = ("ISBN", "ISSN", "JPNO", "NIIBibID", "DOI")  # numbers that libraries search by


def slip(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the slip of a book."""
    try:
        found = catalogue.find_book(public_id)
    except Gone as gone:
        return gone_page(request, gone)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    if public_id != found.public_id:
        return redirect("slip", found.public_id)
    context = {
        "book": found,
        "record": found.record,
        "identifiers": [number for number in found.record.identifiers if number.scheme in SCHEMES],
        "address": permanent_address(found),
        "shelves": [(shelf, _code(shelf)) for shelf in found.shelves[:HOLDERS]],
        "more": max(0, found.holders.libraries - HOLDERS),
    }
    return render(request, "books/slip.html", context)


def _code(shelf: Shelf) -> str:
    """The code by which other libraries know the holding library, "" if there is none."""
    return "" if shelf.code.scheme in (NAME, PROVIDER) else shelf.code.value
