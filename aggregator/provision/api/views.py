"""The views of the JSON interface. Answers and problems are made in `answers` and `problems`."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from aggregator.access.api_keys import USAGE, holder_of
from aggregator.catalogue import books as catalogue
from aggregator.catalogue import providers
from aggregator.catalogue.books import Erased, Gone
from aggregator.libraries.items import MOST_LIBRARIES
from aggregator.models import ApiKey
from aggregator.provision import permitted_books
from aggregator.provision.api import answers, shapes
from aggregator.provision.api.openapi import document
from aggregator.provision.api.operations import BY_NAME
from aggregator.provision.api.problems import bad_parameter, problem, unknown_key
from aggregator.query import values
from aggregator.query.parameters import cursor as encode_cursor
from aggregator.query.parameters import read_query, refusal
from aggregator.query.values import BadParameter, cursor, size
from aggregator.search.base import RETRY_AFTER, IndexUnavailable, QueryError
from harvesting.models import Repository, SourceRecord
from harvesting.records.enriched import original_of

JSON = "application/json"
PAGE = 50  # providers per page
type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponse]


def operation[**P](name: str) -> Callable[[View[P]], View[P]]:
    """Decorate the view of an operation: unknown parameters are refused, and BadParameter becomes a problem."""
    described = BY_NAME[name]

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def answer(request: HttpRequest, /, *rest: P.args, **named: P.kwargs) -> HttpResponse:
            try:
                if not described.reads_search:
                    _refuse_unknown(request, described.names)
                return view(request, *rest, **named)
            except BadParameter as error:
                return bad_parameter(error)

        return answer

    return decorate


def _refuse_unknown(request: HttpRequest, known: frozenset[str]) -> None:
    for name, values_sent in request.GET.lists():
        if name not in known:
            names = ", ".join(sorted(known)) or "–"
            raise BadParameter(name, _("Unknown parameter. Allowed: %(names)s.") % {"names": names})
        if len(values_sent) > 1:
            raise BadParameter(name, _("This parameter may be given only once."))


def _json_response(shape: msgspec.Struct) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(shape), JSON)


@operation("api_search")
def search(request: HttpRequest) -> HttpResponse:
    """Search: hits, facets and the cursor of the next page."""
    try:
        return _json_response(answers.search(read_query(request.GET, machine=True)))
    except QueryError as error:
        return bad_parameter(refusal(error))
    except IndexUnavailable:
        response = problem("unavailable", _("The search is temporarily unavailable."))
        response["Retry-After"] = RETRY_AFTER
        return response


@operation("api_record")
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """The merged record of a public id; with `?source=1` the provider's own record."""
    if request.GET.get("source", "1") != "1":
        raise BadParameter("source", _("Allowed: %(names)s.") % {"names": "1"})
    try:
        return _source(public_id) if "source" in request.GET else _merged(public_id)
    except Erased:
        return problem("gone", _("All data from this record’s provider has been erased."))
    except SourceRecord.DoesNotExist:
        return problem("not-found", _("There is no record with this id."))
    except Gone:
        return problem("gone", _("This record was deleted by its provider."))


def _merged(public_id: str) -> HttpResponse:
    book = permitted_books.as_permitted(catalogue.find_book(public_id, MOST_LIBRARIES))
    if book is None:
        return _not_permitted()
    return _json_response(answers.merged(permitted_books.with_holdings({book.number: book})[book.number]))


def _source(public_id: str) -> HttpResponse:
    source = catalogue.find_source(public_id)
    if source.deleted or source.suppressed_at is not None:
        raise Gone(source)
    if not original_of(source):
        raise SourceRecord.DoesNotExist(public_id)
    licences = permitted_books.licences_of_source(source)
    return _not_permitted() if licences is None else _json_response(answers.source(source, licences))


def _not_permitted() -> HttpResponse:
    return problem("not-given", _("The provider does not want its records to be redistributed."))


@operation("api_repositories")
def repositories(request: HttpRequest) -> HttpResponse:
    """The public list of providers, page by page."""
    limit = size("size", request.GET.get("size") or str(PAGE))
    after = cursor("cursor", request.GET.get("cursor", ""))
    if after:
        values.number("cursor", after)
    listings = providers.listings_after(after, limit + 1)
    shown = listings[:limit]
    next_cursor = encode_cursor(shown[-1].repository.number) if len(listings) > limit else None
    return _json_response(
        shapes.Providers(
            total=Repository.objects.listed().count(),
            repositories=tuple(map(answers.provider, shown)),
            next=next_cursor,
        )
    )


@operation("api_repository")
def repository(_request: HttpRequest, number: str) -> HttpResponse:
    """One provider."""
    try:
        return _json_response(answers.provider(providers.listing(number)))
    except Repository.DoesNotExist:
        return problem("not-found", _("There is no provider with this number."))


@operation("api_usage")
def usage(request: HttpRequest) -> HttpResponse:
    """Budget and usage of the key that comes with the request."""
    holder = holder_of(request)
    if holder is None:
        return unknown_key(request)
    USAGE.write()
    return _json_response(answers.usage(ApiKey.objects.get(pk=holder.number)))


def openapi(_request: HttpRequest) -> HttpResponse:
    """The OpenAPI document, in the language of the request."""
    return HttpResponse(msgspec.json.encode(document()), JSON)


def unknown(_request: HttpRequest, rest: str = "") -> HttpResponse:
    """404 for any other address of the interface."""
    return problem("not-found", _("There is no such address. All addresses are listed in the documentation: /api/docs"))
