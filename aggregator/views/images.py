"""The images of a book that a IIIF manifest lists: all of them in order, one at a time, and their files."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from aggregator.catalogue.books import Book, Gone, find_book
from aggregator.covers.choice import open_manifest_of
from aggregator.covers.pictures import State
from aggregator.presentation.licences import shown_licences
from aggregator.presentation.related.online import images_of
from aggregator.viewer.images import LEVELS, SMALL, WIDTHS, find_image, find_manifest, levels, may_be_shown
from aggregator.viewer.manifest import Image, Manifest
from aggregator.views.image_budget import PAUSE, spender
from aggregator.views.public.books import absent, gone_page
from harvesting.models import SourceRecord

ON_A_PAGE = 24  # small images
KEPT = {State.THERE: 7 * 86400, State.NONE: 3600}  # seconds for which browsers keep an image
# Until an image has come, in its shape: the script of the page asks again while it gets this type.
_COMING = '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"/>'

type _View = Callable[..., HttpResponseBase]


def _of_book(view: _View) -> _View:
    """Call a view with the book instead of its number; a number out of use leads to the present one."""

    @require_safe
    @wraps(view)
    def found(request: HttpRequest, public_id: str, **places: str) -> HttpResponseBase:
        try:
            book = find_book(public_id)
        except Gone as gone:
            return gone_page(request, gone)
        except SourceRecord.DoesNotExist as error:
            return absent(request, error)
        if book.number and book.public_id != public_id:
            return redirect(request.path.replace(public_id, book.public_id, 1))
        return view(request, book, **{name: int(place) for name, place in places.items()})

    return found


@_of_book
def images(request: HttpRequest, book: Book) -> HttpResponse:
    """Show all images of a book in order, a portion at a time."""
    state, manifest = _manifest(request, book)
    shown = manifest.images if may_be_shown(manifest) else ()
    last = max(1, -(-len(shown) // ON_A_PAGE))
    page = _number(request, "page", last)
    numbered = list(enumerate(shown, 1))[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    context = {
        "images": [_Numbered(number, image) for number, image in numbered],
        "total": len(shown),
        "page": page,
        "last": last,
    }
    return render(request, "books/images.html", _context(book, state, manifest) | context)


@_of_book
def image(request: HttpRequest, book: Book, place: int) -> HttpResponseBase:
    """Show one image, at a level of magnification."""
    state, manifest = _manifest(request, book)
    if state is not State.THERE or not may_be_shown(manifest):
        return redirect("book_images", book.public_id)
    if place > len(manifest.images):
        raise Http404("no such image")
    chosen = manifest.images[place - 1]
    possible = levels(chosen)
    level = _number(request, "zoom", possible[-1])
    context = {
        "image": _Numbered(place, chosen),
        "total": len(manifest.images),
        "sheet": -(-place // ON_A_PAGE),
        "level": level,
        "last_level": possible[-1],
        "width": LEVELS[level - 1],
    }
    return render(request, "books/image.html", _context(book, state, manifest) | context)


@_of_book
def image_file(request: HttpRequest, book: Book, place: int, width: int) -> HttpResponse:
    """Return an image as JPEG, or an empty picture (SVG) while it is being fetched. 404 if it cannot be shown, 429 if
    the readers of this network had too many images fetched.
    """
    _state, manifest = _manifest(request, book)
    if width not in WIDTHS or place > len(manifest.images) or not may_be_shown(manifest):
        raise Http404("no such image")
    wanted = _Numbered(place, manifest.images[place - 1])
    found = find_image(wanted.image, width, spender(request))
    if found.state is State.REFUSED:
        return HttpResponse(status=429, headers={"Retry-After": PAUSE, "Cache-Control": "no-store"})
    if found.state is State.COMING:
        return HttpResponse(
            _COMING.format(width=width, height=wanted.height(width)),
            "image/svg+xml",
            headers={"Cache-Control": "no-store"},
        )
    is_there = found.state is State.THERE
    response = HttpResponse(found.data, "image/jpeg", 200 if is_there else 404)
    patch_cache_control(response, public=True, max_age=KEPT[found.state])
    return response


@dataclass(frozen=True, slots=True)
class _Numbered:
    """An image with its place in the book, from 1."""

    place: int
    image: Image

    def height(self, width: int) -> int:
        """Return the height of the image at this width; four thirds of the width if its proportions are unknown."""
        known = self.image.width and self.image.height
        return max(1, min(3 * width, round(width * (self.image.height / self.image.width if known else 4 / 3))))


def _manifest(request: HttpRequest, book: Book) -> tuple[State, Manifest]:
    """Return the manifest of a book as far as it has come. 404 if its images may not be shown here."""
    address = open_manifest_of(book)
    if not address:
        raise Http404("no images that may be shown")
    return find_manifest(address, spender(request))


def _context(book: Book, state: State, manifest: Manifest) -> dict[str, object]:
    """Return what both pages show of a book."""
    pages = [shelf.link.url for shelf in book.shelves if shelf.link.kind == "detail"]
    return {
        "book": book,
        "record": book.record,
        "state": state.value,
        "is_open": may_be_shown(manifest),
        "credit": manifest.credit,
        "licences": shown_licences(manifest.rights),
        "elsewhere": images_of(book.record, pages),
        "small": SMALL,
    }


def _number(request: HttpRequest, name: str, most: int) -> int:
    """Return a parameter of the query as a number from 1 to `most`; 1 if it is no number."""
    text = request.GET.get(name, "1")
    return min(max(int(text), 1), most) if text.isascii() and text.isdigit() and len(text) < 6 else 1
