"""The cover of a book: the picture that its record names once it has been fetched, until then a drawn one."""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from aggregator.catalogue.books import Book, Gone, find_book
from aggregator.covers.choice import addresses_of
from aggregator.covers.drawing import draw
from aggregator.covers.face import face_of
from aggregator.covers.pictures import Found, State, look_up
from aggregator.indexing.searching import search
from aggregator.provision import permitted_books
from aggregator.search.base import RETRY_AFTER, IndexUnavailable, Query
from aggregator.search.tree import Word
from aggregator.views.image_budget import spender
from aggregator.views.public.books import absent
from harvesting.models import SourceRecord

DAY = 86400  # seconds
AGES = {
    State.THERE: 7 * DAY,
    State.NONE: DAY,
    State.COMING: 20,
    State.REFUSED: 60,
}  # seconds for which browsers keep a cover
MOST_BOOKS = 5  # books with the same number, of which the first that has a picture is taken
_CODE = re.compile(r"97[89][0-9]{10}|[0-9A-Za-z]{20}")  # ISBN or JP-e code


@require_safe
def cover(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the cover of a book as JPEG or SVG."""
    try:
        book = find_book(public_id, most=0)  # a cover names no library
    except Gone:
        return HttpResponse(status=410)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    if book.public_id != public_id and book.number:
        return redirect("cover", book.public_id)
    found = look_up(addresses_of(book), spender(request))
    return _cached(_jpeg(found) if found.data else HttpResponse(draw(face_of(book.record)), "image/svg+xml"), found)


@require_safe
def thumbnail(request: HttpRequest, code: str) -> HttpResponse:
    """Return the picture of a book that may be redistributed, as NDL Search does. 404 if it has none: a
    drawn cover is no picture of the book."""
    if not _CODE.fullmatch(code):
        return _no_picture(_("Give an ISBN of 13 digits or a JP-e code."))
    try:
        found = _picture_of(code, spender(request))
    except IndexUnavailable:
        text = _("The search is temporarily unavailable.")
        return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 503, headers={"Retry-After": RETRY_AFTER})
    return _cached(_jpeg(found) if found.data else _no_picture(_("No cover is available.")), found)


def _picture_of(code: str, may_ask: Callable[[], bool]) -> Found:
    numbers = [number for number, _score in search(Query(tree=Word(code, "identifier"), page_size=MOST_BOOKS), ()).hits]
    for book in permitted_books.books(numbers, most=0).values():
        if found := _look_up(book, may_ask):
            return found
    return Found(State.NONE)


def _look_up(book: Book, may_ask: Callable[[], bool]) -> Found | None:
    addresses = addresses_of(book)
    return look_up(addresses, may_ask) if addresses else None


def _jpeg(found: Found) -> HttpResponse:
    return HttpResponse(found.data, "image/jpeg")


def _no_picture(reason: str) -> HttpResponse:
    return HttpResponse(f"{reason}\n", "text/plain; charset=utf-8", 404)


def _cached(response: HttpResponse, found: Found) -> HttpResponse:
    patch_cache_control(response, public=True, max_age=AGES[found.state])
    return response
