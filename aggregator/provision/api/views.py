"""The addresses of the JSON interface. Knows HTTP; answers and problems are made beside it."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from aggregator.access.api_keys import USES, holder_of
from aggregator.catalogue import books as catalogue
from aggregator.catalogue import providers
from aggregator.catalogue.books import Erased, Gone
from aggregator.models import ApiKey
from aggregator.provision import permitted_books
from aggregator.provision.api import answers, shapes
from aggregator.provision.api.openapi import document
from aggregator.provision.api.operations import BY_NAME
from aggregator.provision.api.problems import bad_parameter, problem, unknown_key
from aggregator.query import values
from aggregator.query.parameters import cursor as written
from aggregator.query.parameters import read_query, refusal
from aggregator.query.values import BadParameter, cursor, size
from aggregator.search.base import RETRY_AFTER, IndexUnavailable, QueryError
from harvesting.models import Repository, SourceRecord

JSON = "application/json"
PAGE = 50  # providers
type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponse]


def operation[**P](name: str) -> Callable[[View[P]], View[P]]:
    """A view of one row of the table: parameters that do not stand there are refused, and problems are told."""
    known = BY_NAME[name].names

    def checked(view: View[P]) -> View[P]:
        @wraps(view)
        def answer(request: HttpRequest, /, *rest: P.args, **named: P.kwargs) -> HttpResponse:
            try:
                if name != "api_search":  # which names what excludes as well
                    _refuse_unknown(request, known)
                return view(request, *rest, **named)
            except BadParameter as found:
                return bad_parameter(found)

        return answer

    return checked


def _refuse_unknown(request: HttpRequest, known: frozenset[str]) -> None:
    for name, given in request.GET.lists():
        if name not in known:
            names = ", ".join(sorted(known)) or "–"
            raise BadParameter(name, _("There is no such parameter. Allowed are: %(names)s.") % {"names": names})
        if len(given) > 1:
            raise BadParameter(name, _("It may be given only once."))


def _sent(shape: msgspec.Struct) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(shape), JSON)


@operation("api_search")
def search(request: HttpRequest) -> HttpResponse:
    """Hits, facets and the cursor of the next page."""
    try:
        return _sent(answers.search(read_query(request.GET, machine=True)))
    except QueryError as error:
        return bad_parameter(refusal(error))
    except IndexUnavailable:
        response = problem("unavailable", _("The search is out of order for the moment."))
        response["Retry-After"] = RETRY_AFTER
        return response


@operation("api_record")
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """The merged record behind an id; `?source=1`: that provider's own."""
    if request.GET.get("source", "1") != "1":
        raise BadParameter("source", _("Allowed are: %(names)s.") % {"names": "1"})
    try:
        return _source(public_id) if "source" in request.GET else _merged(public_id)
    except Erased:
        return problem("gone", _("All data of its provider were erased."))
    except SourceRecord.DoesNotExist:
        return problem("not-found", _("There is no record with this id."))
    except Gone:
        return problem("gone", _("This record was deleted by its provider."))


def _merged(public_id: str) -> HttpResponse:
    book = permitted_books.as_given(catalogue.find_book(public_id))
    return _sent(answers.merged(book)) if book else _not_given()


def _source(public_id: str) -> HttpResponse:
    found = catalogue.find_source(public_id)
    if found.deleted or found.suppressed_at is not None:
        raise Gone(found)
    if not found.record:
        raise SourceRecord.DoesNotExist(public_id)
    return _sent(answers.source(found)) if permitted_books.gives(found.repository) else _not_given()


def _not_given() -> HttpResponse:
    return problem("not-given", _("The provider does not want its records to be given on."))


@operation("api_repositories")
def repositories(request: HttpRequest) -> HttpResponse:
    """The listed providers, page by page."""
    wanted = size("size", request.GET.get("size") or str(PAGE))
    after = cursor("cursor", request.GET.get("cursor", ""))
    if after:
        values.number("cursor", after)
    listings = providers.listings_after(after, wanted + 1)
    shown = listings[:wanted]
    following = written(shown[-1].repository.number) if len(listings) > wanted else None
    return _sent(
        shapes.Providers(
            total=Repository.objects.listed().count(),
            repositories=tuple(map(answers.provider, shown)),
            next=following,
        )
    )


@operation("api_repository")
def repository(_request: HttpRequest, number: str) -> HttpResponse:
    """One provider."""
    try:
        return _sent(answers.provider(providers.listing(number)))
    except Repository.DoesNotExist:
        return problem("not-found", _("There is no provider with this number."))


@operation("api_usage")
def usage(request: HttpRequest) -> HttpResponse:
    """What the key that came along may do and did."""
    holder = holder_of(request)
    if holder is None:
        return unknown_key(request)
    USES.write()
    return _sent(answers.usage(ApiKey.objects.get(pk=holder.number)))


def openapi(_request: HttpRequest) -> HttpResponse:
    """The OpenAPI document, in the language that is asked for."""
    return HttpResponse(msgspec.json.encode(document()), JSON)


def unknown(_request: HttpRequest, rest: str = "") -> HttpResponse:
    """Any other address of the interface."""
    return problem("not-found", _("There is no such address. The documentation names all of them: /api/docs"))
