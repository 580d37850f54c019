"""The page of a book, and one provider's own record. Formats for programs are in `representations`."""

import re
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.vary import vary_on_headers

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Erased, Gone
from aggregator.libraries.items import MOST_LIBRARIES
from aggregator.middleware.book_page_cache import get_or_make
from aggregator.models import BOOK_ID
from aggregator.presentation.fields import source_rows
from aggregator.presentation.issues import described_issues
from aggregator.presentation.licences import shown_licences
from aggregator.presentation.representations import PERSONAL, alternatives, represent
from aggregator.provision import permitted_books
from aggregator.provision.licences import abouts, licences_of
from aggregator.query.parameters import BadParameter
from aggregator.statistics.use import USE
from aggregator.views.public.book_page import page_of
from harvesting.models import SourceRecord
from harvesting.records.enriched import is_changed_by_rules
from metadata.about import NOTHING


@vary_on_headers("Accept", "Accept-Language")
def book(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the merged record of a permanent id; `?source=1` is the provider's own record; other formats by Accept."""
    if unknown := set(request.GET) - {"source"}:
        return _refuse(request, BadParameter(min(unknown), _("Allowed: %(names)s.") % {"names": "source"}))
    if request.GET.get("source", "1") != "1":
        return _refuse(request, BadParameter("source", _("Allowed: %(names)s.") % {"names": "1"}))
    if "source" in request.GET:
        return _source(request, public_id)
    if other := _other_format(request, public_id):
        return other
    page = get_or_make(request, public_id, lambda: _page(request, public_id))
    if page.status_code == HTTPStatus.OK:
        USE.count(request, public_id)
    return page


def _other_format(request: HttpRequest, public_id: str) -> HttpResponseBase | None:
    """Redirect to the format that the header Accept prefers; None if that is the page.

    A client that accepts none of the available formats gets 406 and their names: a page would not help a program.
    """
    endings = alternatives()
    preferred = request.get_preferred_type(["text/html", *endings])
    if preferred is None:
        text = _("The Accept header does not match any available format: %(names)s.")
        names = ", ".join(("text/html", *endings))
        return HttpResponse(text % {"names": names} + "\n", "text/plain; charset=utf-8", 406)
    ending = endings.get(preferred, "")
    return redirect(f"{reverse('book', args=[public_id])}.{ending}") if ending else None


def _page(request: HttpRequest, public_id: str) -> HttpResponse:
    try:
        found = catalogue.find_book(public_id)
    except Gone as gone:
        return gone_page(request, gone)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    if _is_out_of_use(public_id, found):
        return redirect("book", found.public_id)
    return render(request, "books/book.html", page_of(found, public_id))


def _is_out_of_use(public_id: str, found: Book) -> bool:
    """Return whether this is the number of a book that was joined with another. The redirect is not permanent, because
    the book gets its number back if the two are split again.
    """
    return re.fullmatch(BOOK_ID, public_id) is not None and public_id != found.public_id


def book_as(request: HttpRequest, public_id: str, suffix: str) -> HttpResponse:
    """Return the merged record for programs: .rdf, .json, .jsonld, .ris, .bib, .csl.json, .xml?format=…."""
    try:
        found = catalogue.find_book(public_id, MOST_LIBRARIES)
        if _is_out_of_use(public_id, found):
            return redirect(f"{request.path.replace(public_id, found.public_id, 1)}{_query(request)}")
        permitted = found if suffix in PERSONAL else permitted_books.as_permitted(found)
        if permitted is None:
            reason = _("The provider does not want its records to be redistributed.")
            return HttpResponse(reason, "text/plain; charset=utf-8", 403)
        complete = permitted_books.with_holdings({permitted.number: permitted})[permitted.number]
        return represent(complete, suffix, request.GET)
    except BadParameter as error_in_parameter:
        return _refuse(request, error_in_parameter)
    except Gone as gone:
        reason = _("This record is withheld.") if gone.withheld else _("This record was deleted by its provider.")
        return HttpResponse(reason, "text/plain; charset=utf-8", 410)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)


def copy(request: HttpRequest, public_id: str) -> HttpResponse:
    """Lead from the address of a single copy (`provision.copies`) to its book."""
    return redirect("book", public_id)


def _query(request: HttpRequest) -> str:
    query = request.META.get("QUERY_STRING", "")
    return f"?{query}" if query else ""


def gone_page(request: HttpRequest, gone: Gone) -> HttpResponse:
    """Show the page of a record that was deleted or is withheld; of a withheld record no data are shown."""
    context = {"gone": catalogue.describe(gone.source), "withheld": gone.withheld}
    return render(request, "books/gone.html", context, status=410)


def absent(request: HttpRequest, error: SourceRecord.DoesNotExist) -> HttpResponse:
    """Answer for an id without a record: 410 if all data of its provider were erased, else raise Http404."""
    if isinstance(error, Erased):
        return render(request, "books/erased.html", status=410)
    raise Http404(*error.args) from error


def _refuse(request: HttpRequest, problem: BadParameter) -> HttpResponse:
    return render(request, "errors/parameter.html", {"problem": problem}, status=400)


def _source(request: HttpRequest, public_id: str) -> HttpResponse:
    try:
        source = catalogue.find_source(public_id)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    if source.suppressed_at is not None:
        return gone_page(request, Gone(source))
    described = catalogue.describe_unchanged(source)
    about = abouts([source.pk]).get(source.pk, NOTHING)
    return render(
        request,
        "books/source.html",
        {
            "description": described,
            "source": source,
            "record": described.record,
            "rows": source_rows(described.record, reverse("search")),
            "payload": catalogue.payload_text(source),
            "licences": shown_licences(licences_of(about, source.repository.licence), are_own=bool(about.rights)),
            "origins": about.origins,
            "is_enriched": is_changed_by_rules(source),
            "findings": described_issues(catalogue.issues_of(source)),
        },
    )
