"""Any search as a feed, and the OpenSearch description by which browsers and programs find the search."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed, Rss201rev2Feed
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.catalogue.books import Book
from aggregator.catalogue.identity import described, permanent_address
from aggregator.indexing.searching import search_whole
from aggregator.models import Manifestation
from aggregator.provision import permitted_books
from aggregator.provision.api.answers import search as found_by
from aggregator.query.parameters import BadParameter, address, cursor, read_query, refusal
from aggregator.results.paging import last_page
from aggregator.search.base import ADDED, RETRY_AFTER, IndexUnavailable, Query, QueryError, Results
from aggregator.views.public.feed_modules import MODULES, modules, plain, write_module
from metadata.display_title import display_title
from metadata.links import safe_href
from metadata.xml.parsing import strip_illegal

OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
ENTRIES = 50  # on a page
NAMED_LIBRARIES = 5  # in an entry


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search as a feed. entries: books with the time of their last change; base: the feed's own path.

    by_mark: pages follow each other by cursor, not by number, so that entries added meanwhile do not shift them.
    """

    query: Query
    found: Results
    entries: tuple[tuple[Book, datetime], ...]
    base: str
    extra: str = ""  # parameters of the feed's address that do not belong to the search
    by_mark: bool = False

    def url(self, number: int, after: str = "") -> str:
        """Return the address of a page of the feed: by its number, or by the cursor after which it begins."""
        sort = "relevance" if self.query.sort == ADDED else self.query.sort
        path = address(replace(self.query, page=number, sort=sort), self.base)
        mark = cursor(after)
        extra = "&".join(filter(None, (self.extra, f"cursor={mark}" if mark else "")))
        joint = ("&" if "?" in path else "?") + extra if extra else ""
        return f"{settings.PUBLIC_URL}{path}{joint}"

    @property
    def own(self) -> str:
        """The address of this page."""
        return self.url(self.query.page, self.query.after)

    @property
    def links(self) -> list[tuple[str, str]]:
        """The other pages as (relation, address), as in RFC 5005."""
        if self.by_mark:
            following = [("next", self.url(1, self.found.next))] if self.found.next else []
            return [("first", self.url(1)), *following]
        last, number = last_page(self.query, self.found), self.query.page
        numbers = {"first": 1, "previous": number - 1, "next": number + 1, "last": last}
        return [(rel, self.url(to)) for rel, to in numbers.items() if 1 <= to <= last and last > 1]


class AtomPage(Atom1Feed):
    """Atom (RFC 4287) with links to the other pages and the number of hits."""

    def root_attributes(self) -> dict[str, str]:
        return {**super().root_attributes(), "xmlns:opensearch": OPENSEARCH}

    def add_root_elements(self, handler: Any) -> None:
        super().add_root_elements(handler)
        page: Page = self.feed["page"]
        for rel, url in page.links:
            handler.addQuickElement("link", "", {"rel": rel, "href": url, "type": "application/atom+xml"})
        _count(handler, page)

    def add_item_elements(self, handler: Any, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        for url in item["licences"]:
            handler.addQuickElement("link", "", {"rel": "license", "href": url})


class RssPage(Rss201rev2Feed):
    """RSS 2.0 with the whole description of each book in the modules of DC-NDL."""

    content_type = "application/rss+xml; charset=utf-8"

    def rss_attributes(self) -> dict[str, str]:
        return {**super().rss_attributes(), "xmlns:opensearch": OPENSEARCH, **MODULES}

    def add_root_elements(self, handler: Any) -> None:
        super().add_root_elements(handler)
        page: Page = self.feed["page"]
        for rel, url in page.links:
            handler.addQuickElement("atom:link", None, {"rel": rel, "href": url})
        _count(handler, page)

    def add_item_elements(self, handler: Any, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        for url in item["licences"]:
            handler.addQuickElement("atom:link", None, {"rel": "license", "href": url})
        for name, value in plain(item["record"]):
            handler.addQuickElement(name, value)
        for child in modules(item["record"]):
            write_module(handler, child)


FEEDS: dict[str, type[AtomPage | RssPage]] = {"atom": AtomPage, "rss": RssPage}
FORMATS = ("rss", "atom", "json")


def search_atom(request: HttpRequest) -> HttpResponse:
    """Return a search as Atom, with the latest additions to the catalogue first."""
    return _answer_or_error(
        lambda: _feed(AtomPage, _page(replace(_query(request, machine=True), sort=ADDED), request.path_info))
    )


def opensearch(request: HttpRequest) -> HttpResponse:
    """Return a search as RSS, Atom or JSON, as `opensearch.xml` describes it."""
    return _answer_or_error(lambda: _in_format(request))


def description(request: HttpRequest) -> HttpResponse:
    """Return the OpenSearch description document."""
    context = {"base": settings.PUBLIC_URL, "entries": ENTRIES}
    return render(
        request, "search/opensearch_description.html", context, "application/opensearchdescription+xml; charset=utf-8"
    )


def _answer_or_error(make: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the answer, or the error as plain text, because feeds are read by programs."""
    try:
        return make()
    except BadParameter as problem:
        return _plain_text(str(problem), 400)
    except QueryError as error:
        return _plain_text(str(refusal(error)), 400)
    except IndexUnavailable:
        response = _plain_text(_("The search is temporarily unavailable."), 503)
        response["Retry-After"] = RETRY_AFTER
        return response


def _plain_text(text: str, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", status)


def _in_format(request: HttpRequest) -> HttpResponse:
    name = request.GET.get("format", FORMATS[0])
    if name not in FORMATS:
        raise BadParameter("format", _("Allowed: %(names)s.") % {"names": ", ".join(FORMATS)})
    query = _query(request, but="format", machine=name == "json")  # in JSON, pages may follow by cursor
    if name == "json":
        return HttpResponse(msgspec.json.encode(found_by(query)), "application/json")
    return _feed(FEEDS[name], _page(query, request.path_info, f"format={name}"))


def _query(request: HttpRequest, but: str = "", machine: bool = False) -> Query:
    """Return the requested search, ignoring the parameter `but`. machine: as in `read_query`."""
    data = request.GET.copy()
    data.pop(but, None)
    query = read_query(data, machine)
    return query if data.get("size", "").strip() else replace(query, page_size=ENTRIES)


def _page(query: Query, base: str, extra: str = "") -> Page:
    results = search_whole(permitted_books.restrict_to_permitted(query), facets=())
    books = permitted_books.books([number for number, _score in results.hits])
    changed = dict(Manifestation.objects.filter(pk__in=list(books)).values_list("pk", "changed_at"))
    entries = tuple((book, changed.get(number) or timezone.now()) for number, book in books.items())
    return Page(query, results, entries, base, extra, by_mark=query.sort == ADDED)


def _feed(kind: type[AtomPage | RssPage], page: Page) -> HttpResponse:
    words = " ".join(filter(None, (page.query.q, page.query.title, page.query.creator)))
    name = _("Library Aggregator")
    feed = kind(
        title=f"{words} – {name}" if words else name,
        link=f"{settings.PUBLIC_URL}{address(replace(page.query, sort='relevance', page=1), reverse('search'))}",
        description=_("The newest additions come first."),
        language=get_language(),
        feed_url=page.own,
        feed_guid=page.url(1),
        author_name=settings.SITE_OPERATOR or name,
        page=page,
    )
    for book, changed in page.entries:
        url = permanent_address(book)
        title = strip_illegal(display_title(book.record) or book.public_id)
        about = _about(book)
        feed.add_item(
            title,
            url,
            about,
            unique_id=url,
            unique_id_is_permalink=True,
            updateddate=changed,
            pubdate=changed,
            record=described(book),
            licences=[url for url in map(safe_href, book.licences) if url],
        )
    return HttpResponse(feed.writeString("utf-8"), feed.content_type)


def _about(book: Book) -> str:
    record = book.record
    people = "; ".join(creator.name for creator in record.creators[:4])
    imprint = ", ".join(filter(None, (*(publisher.name for publisher in record.publishers[:1]), record.issued)))
    libraries = ", ".join(shelf.label for shelf in book.shelves[:NAMED_LIBRARIES])
    further = book.holders.libraries - NAMED_LIBRARIES
    more = f" + {further}" if further > 0 else ""
    return strip_illegal(" / ".join(filter(None, (people, imprint, libraries + more))))


def _count(handler: Any, page: Page) -> None:
    query = page.query
    handler.addQuickElement("opensearch:totalResults", str(page.found.total))
    if not query.after:
        handler.addQuickElement("opensearch:startIndex", str((query.page - 1) * query.page_size + 1))
    handler.addQuickElement("opensearch:itemsPerPage", str(query.page_size))
