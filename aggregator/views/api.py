"""The JSON search. Knows HTTP and the shape of interfaces; a search is read and run elsewhere."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from aggregator import catalogue
from aggregator.catalogue import Book
from aggregator.parameters import BadParameter, cursor, read_query, refusal
from aggregator.search import get_index
from aggregator.search.base import FACETS, FacetValue, IndexUnavailable, Query, QueryError, Results
from aggregator.value_labels import value_labels
from aggregator.views.search import RETRY

PLAIN = {"ensure_ascii": False}


def search(request: HttpRequest) -> JsonResponse:
    """Hits, facets and the cursor of the next page; a bad parameter gets 400 with the reason."""
    try:
        return JsonResponse(answer(read_query(request.GET, machine=True)), json_dumps_params=PLAIN)
    except BadParameter as problem:
        return _refused(problem)
    except QueryError as error:
        return _refused(refusal(error))
    except IndexUnavailable:
        response = _error(503, _("The search is out of order for the moment."))
        response["Retry-After"] = RETRY
        return response


def _refused(problem: BadParameter) -> JsonResponse:
    return _error(400, problem.reason, parameter=problem.name)


def _error(status: int, reason: str, **more: str) -> JsonResponse:
    return JsonResponse({"error": {"reason": reason, **more}}, status=status, json_dumps_params=PLAIN)


def answer(query: Query) -> dict[str, Any]:
    """The answer to a search as plain values: what the JSON search and `manage.py search --json` print.

    Facets come with the first page: who goes on with a cursor has them.
    """
    found = get_index().search(query, facets=() if query.after else FACETS)
    scores = dict(found.hits)
    books = catalogue.books(list(scores))
    return {
        "total": found.total,
        "items": [_item(book, scores[number]) for number, book in books.items()],
        "facets": _facets(query, found),
        "next": cursor(found.next),
    }


def _item(book: Book, score: float) -> dict[str, object]:
    record = book.record
    return {
        "id": book.public_id,
        "title": record.title,
        "creators": [each.name for each in record.creators],
        "publishers": [each.name for each in record.publishers],
        "issued": record.issued,
        "isbn": list(record.values("ISBN")),
        "volume": record.volume,
        "repositories": [each.repository.number for each in book.providers],
        "links": [each.link.url for each in book.providers if each.link.url],
        "score": score,
        "url": reverse("book", args=[book.public_id]),
    }


def _facets(query: Query, found: Results) -> dict[str, list[dict[str, object]]]:
    labels = value_labels(found.facets, query)
    return {name: [_value(each, labels.get(name, {})) for each in values] for name, values in found.facets.items()}


def _value(each: FacetValue, labels: dict[str, str]) -> dict[str, object]:
    return {"value": each.value, "label": labels.get(each.value, each.value), "count": each.count}
