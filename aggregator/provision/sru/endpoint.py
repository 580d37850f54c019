"""The view of SRU: explain and searchRetrieve, by GET and POST."""

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from msgspec import structs

from aggregator.catalogue.identity import permanent_address
from aggregator.indexing.searching import search
from aggregator.provision import permitted_books
from aggregator.provision.sru import envelope
from aggregator.provision.sru import request as sru_request
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.provision.sru.envelope import Record, Response
from aggregator.provision.sru.explain import ZEEREX, explain_record
from aggregator.provision.sru.reading import read
from aggregator.provision.sru.request import Parameters, Search
from aggregator.provision.sru.schemas import record_element
from aggregator.query.parameters import cursor, refusal
from aggregator.search.base import RETRY_AFTER, IndexUnavailable, Query, QueryError, Results


@csrf_exempt  # a POST changes nothing; it is used for queries that are too long for an address
@require_http_methods(["GET", "HEAD", "POST"])
def sru(request: HttpRequest) -> HttpResponse:
    """Answer every request with an SRU document; errors are diagnostics."""
    arguments = request.POST if request.method == "POST" else request.GET
    parameters: Parameters = dict(arguments.lists())
    version = sru_request.VERSIONS[-1]
    try:
        version = sru_request.version(parameters)
        operation = sru_request.operation(parameters)
        sru_request.check_names(parameters, operation)
        if operation == sru_request.EXPLAIN:
            return _xml(_explain(version, sru_request.packing(parameters)))
        return _search(version, sru_request.search(parameters))
    except Diagnostic as diagnostic:
        return _xml(_refusal(parameters, version, diagnostic))


def base_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('sru')}"


def _xml(document: str, status: int = 200) -> HttpResponse:
    return HttpResponse(document, envelope.MEDIA_TYPE, status)


def _explain(version: str, packing: str, *problems: Diagnostic) -> str:
    record = Record(ZEEREX, explain_record(reverse("sru")), "", 0)
    return envelope.explain_response(version, record, packing, base_url(), problems)


def _refusal(parameters: Parameters, version: str, problem: Diagnostic) -> str:
    """Return a diagnostic as a response to the requested operation."""
    operation = parameters.get("operation", [""])[0]
    if operation == sru_request.SCAN:
        return envelope.document(
            "scanResponse", [envelope.element("version", version), envelope.diagnostics([problem])]
        )
    if operation == sru_request.SEARCH or "query" in parameters:
        echoed = {"query": parameters.get("query", [""])[0][:1000]}
        return envelope.search_response(
            Response(version=version, echoed=echoed, base=base_url(), diagnostics=[problem])
        )
    return _explain(version, sru_request.PACKINGS[0], problem)


def _search(version: str, search: Search) -> HttpResponse:
    query = read(search.query)
    problems = []
    if search.sort and query.sort == "relevance":
        query = structs.replace(query, sort=search.sort)
    elif search.sort:
        problems.append(Diagnostic(94, search.sort))
    size = max(search.maximum, 1)
    query = structs.replace(query, start=search.start - 1, page_size=size, after=search.cursor)
    try:
        results = _run_search(query)
    except IndexUnavailable:
        response = _xml(envelope.refusal(Diagnostic(2)), 503)
        response["Retry-After"] = RETRY_AFTER
        return response
    if results.partial:
        problems.append(Diagnostic(60))
    if search.start > max(results.total, 1):
        raise Diagnostic(61, str(results.total))
    return _xml(envelope.search_response(replace(_response(search, results), version=version, diagnostics=problems)))


def _run_search(query: Query) -> Results:
    try:
        return search(permitted_books.restrict_to_permitted(query), facets=())
    except QueryError as error:
        problem = refusal(error)
        raise Diagnostic(6 if problem.name == "cursor" else 47, problem.name, problem.reason) from error


def _response(search: Search, results: Results) -> Response:
    hits = [number for number, _score in results.hits] if search.maximum else []
    next_position = search.start + len(hits)
    return Response(
        version="",
        total=results.total,
        records=_records(search, hits),
        packing=search.packing,
        next_position=next_position if next_position <= results.total and hits else 0,
        cursor=cursor(results.next) or "" if hits else "",
        echoed=search.echoed,
        base=base_url(),
    )


def _records(search: Search, hits: list[int]) -> list[Record]:
    """Return the records in the order of the hits. A book that was deleted since it was indexed gives a diagnostic."""
    books = permitted_books.with_holdings(permitted_books.books(hits))
    gone = envelope.diagnostic(Diagnostic(64))
    records = []
    for position, number in enumerate(hits, search.start):
        book = books.get(number)
        if book is None:
            records.append(Record(envelope.DIAGNOSTIC_SCHEMA, gone, "", position))
        else:
            data = record_element(book, search.schema)
            address = permanent_address(book)
            records.append(Record(search.schema.identifier, data, address, position, book.licences))
    return records
