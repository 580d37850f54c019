"""The address of SRU: explain and searchRetrieve, by GET and POST. Knows HTTP; tables and forms are beside it."""

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from aggregator.presentation.representations import permanent_address
from aggregator.provision import permitted_books
from aggregator.provision.sru import envelope
from aggregator.provision.sru import request as asking
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.provision.sru.envelope import Record, Response
from aggregator.provision.sru.explain import ZEEREX, explain_record
from aggregator.provision.sru.reading import read
from aggregator.provision.sru.request import Parameters, Search
from aggregator.provision.sru.schemas import written
from aggregator.query.parameters import cursor, refusal
from aggregator.search import get_index
from aggregator.search.base import RETRY_AFTER, IndexUnavailable, Query, QueryError, Results


@csrf_exempt  # nothing is changed, and a POST is only a query too long for an address
@require_http_methods(["GET", "HEAD", "POST"])
def sru(request: HttpRequest) -> HttpResponse:
    """Every answer is a document of SRU, with diagnostics where something cannot be done."""
    given = request.POST if request.method == "POST" else request.GET
    parameters: Parameters = dict(given.lists())
    version = asking.VERSIONS[-1]
    try:
        version = asking.version(parameters)
        asked = asking.operation(parameters)
        asking.check_names(parameters, asked)
        if asked == asking.EXPLAIN:
            return _xml(_explained(version, asking.packing(parameters)))
        return _found(version, asking.search(parameters))
    except Diagnostic as problem:
        return _xml(_refused(parameters, version, problem))


def base_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('sru')}"


def _xml(document: str, status: int = 200) -> HttpResponse:
    return HttpResponse(document, envelope.MEDIA_TYPE, status)


def _explained(version: str, packing: str, *problems: Diagnostic) -> str:
    record = Record(ZEEREX, explain_record(reverse("sru")), "", 0)
    return envelope.explain_response(version, record, packing, base_url(), problems)


def _refused(parameters: Parameters, version: str, problem: Diagnostic) -> str:
    """In the form of the operation that was asked for."""
    named = parameters.get("operation", [""])[0]
    if named == asking.SCAN:
        return envelope.document(
            "scanResponse", [envelope.element("version", version), envelope.diagnostics([problem])]
        )
    if named == asking.SEARCH or "query" in parameters:
        echoed = {"query": parameters.get("query", [""])[0][:1000]}
        return envelope.search_response(
            Response(version=version, echoed=echoed, base=base_url(), diagnostics=[problem])
        )
    return _explained(version, asking.PACKINGS[0], problem)


def _found(version: str, asked: Search) -> HttpResponse:
    query = read(asked.query)
    problems = []
    if asked.sort and query.sort == "relevance":
        query = replace(query, sort=asked.sort)
    elif asked.sort:
        problems.append(Diagnostic(94, asked.sort))
    size = max(asked.maximum, 1)
    query = replace(query, start=asked.start - 1, page_size=size, after=asked.mark)
    try:
        found = _searched(query)
    except IndexUnavailable:
        response = _xml(envelope.refusal(Diagnostic(2)), 503)
        response["Retry-After"] = RETRY_AFTER
        return response
    if asked.start > max(found.total, 1):
        raise Diagnostic(61, str(found.total))
    return _xml(envelope.search_response(replace(_response(asked, found), version=version, diagnostics=problems)))


def _searched(query: Query) -> Results:
    try:
        return get_index().search(permitted_books.searchable(query), facets=())
    except QueryError as error:
        problem = refusal(error)
        raise Diagnostic(6 if problem.name == "cursor" else 47, problem.name, problem.reason) from error


def _response(asked: Search, found: Results) -> Response:
    hits = [number for number, _score in found.hits] if asked.maximum else []
    following = asked.start + len(hits)
    return Response(
        version="",
        total=found.total,
        records=_records(asked, hits),
        packing=asked.packing,
        following=following if following <= found.total and hits else 0,
        cursor=cursor(found.next) or "" if hits else "",
        echoed=asked.echoed,
        base=base_url(),
    )


def _records(asked: Search, hits: list[int]) -> list[Record]:
    """The records in the order of the search; of one that went since the index was written, that it did."""
    books = permitted_books.books(hits)
    gone = envelope.diagnostic(Diagnostic(64))
    found = []
    for position, number in enumerate(hits, asked.start):
        book = books.get(number)
        if book is None:
            found.append(Record(envelope.DIAGNOSTIC_SCHEMA, gone, "", position))
        else:
            data = written(book, asked.schema)
            found.append(Record(asked.schema.identifier, data, permanent_address(book), position))
    return found
