"""robots.txt and the sitemaps: which addresses crawlers must not visit, and which pages they should read. Each sitemap
of books covers one range of manifestation numbers, so no query reads the whole table.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import batched
from xml.sax.saxutils import escape

from django.conf import settings
from django.db.models import Exists, Max, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse

from aggregator.catalogue import providers
from aggregator.catalogue.library_lists import open_libraries
from aggregator.libraries.addresses import library_url
from aggregator.middleware.refusals import bulk_interfaces
from aggregator.models import Manifestation, Resource, ResourceSet
from aggregator.provision.resourcesync import naming

PAGES = (
    *("home", "browse", "browse_classes", "help", "libraries", "repositories", "rules", "guide", "validate", "data"),
    *("statistics", "terms", "privacy"),
    "api_docs",
)
TEXTS = ("about", "accessibility", "contact")  # URL names of pages that are only text
# Manifestation numbers covered by one file, so that it has at most as many addresses (sitemaps.org allows 50,000). The
# files divide the numbers, not the addresses, because then the index needs only the highest number.
SPAN = 50_000
CHUNK = 2_000
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

# Search and facet pages multiply endlessly, and the sitemap has every book that they lead to.
ROBOTS = """# Every record has one permanent page, and all of them are listed in the sitemap: please read that,
# not search results. Search pages, feeds and machine interfaces answer people and their programs.
# For collecting records: {interfaces}
User-agent: *
{rules}
Sitemap: {sitemap}
# The same for programs that synchronise (ResourceSync): the merged records and those of each provider, in DC-NDL.
{resources}
"""
MOST_SETS = 2000  # of ResourceSync that robots.txt names; crawlers read 500 kB of it
_CLOSED = (
    "/search",
    "/suggest",
    "/own-libraries",
    "/books/*/availability",
    "/openurl",
    "/feeds/",
    "/oai",
    "/opensearch",
    "/list",
    "/alerts/",
    "/api/search",
    "/api/records",
    "/api/usage",
    "/api/live",
    "/sru?",
    "/admin/",
    "/repositories/*/links",
    "/books/*/slip",
    "/libraries/?q=",
)


def robots(_request: HttpRequest) -> HttpResponse:
    """Return the addresses that crawlers must not visit, in every language, and where to find the sitemap."""
    starts = ["", *(f"/{code}" for code, _name in settings.LANGUAGES)]
    rules = [f"Disallow: {start}{path}" for start in starts for path in _CLOSED]
    interfaces = ", ".join(f"{name} {settings.PUBLIC_URL}{path}" for path, name in bulk_interfaces())
    text = ROBOTS.format(
        interfaces=interfaces,
        rules="\n".join([*rules, "Disallow: /*?source="]),
        sitemap=_address("sitemap"),
        resources="\n".join(f"Sitemap: {naming.base(name)}resourcelist.xml" for name in _sets()),
    )
    return HttpResponse(text, "text/plain; charset=utf-8")


def _sets() -> list[str]:
    """Return the sets of ResourceSync that have resources, the merged records first."""
    live = Resource.objects.filter(origin=OuterRef("origin"), deleted=False)
    found = ResourceSet.objects.filter(Exists(live)).order_by("origin").values_list("name", flat=True)
    return list(found[:MOST_SETS])


def index(_request: HttpRequest) -> HttpResponse:
    """Return the list of sitemaps: one of pages, one of libraries, and one for each span of manifestation numbers."""
    last = Manifestation.objects.aggregate(last=Max("pk"))["last"]
    files = [_address("sitemap_pages"), *([_address("sitemap_libraries")] if open_libraries().exists() else [])]
    files += [_address("sitemap_books", number) for number in range(last // SPAN + 1)] if last else []
    lines = (f"<sitemap><loc>{escape(url)}</loc></sitemap>\n" for url in files)
    return HttpResponse("".join(_document("sitemapindex", lines)), "application/xml")


def pages(_request: HttpRequest) -> HttpResponse:
    """Return the sitemap of all other pages: those about the site, and one for every provider."""
    own = [_address(name) for name in (*PAGES, *TEXTS)]
    own += [_address("repository", provider.number) for provider in providers.listed()]
    return HttpResponse("".join(_document("urlset", (_url(url) for url in own))), "application/xml")


def libraries(_request: HttpRequest) -> HttpResponse:
    """Return the sitemap of the pages of libraries: as many as one file may list, which is more than there are."""
    numbers = open_libraries().order_by("pk").values_list("pk", flat=True)[:SPAN]
    return HttpResponse("".join(_document("urlset", (_url(library_url(pk)) for pk in numbers))), "application/xml")


def books(_request: HttpRequest, number: int) -> StreamingHttpResponse:
    """Stream the sitemap of the book pages in one range of numbers; 404 for a range without books."""
    first = number * SPAN
    if first > (Manifestation.objects.aggregate(last=Max("pk"))["last"] or 0) or not first < 2**63 - SPAN:
        raise Http404(str(number))
    rows = Manifestation.objects.filter(pk__gte=first, pk__lt=first + SPAN).exclude(record=b"").order_by("pk")
    numbered = rows.values_list("pk", "changed_at").iterator(chunk_size=CHUNK)
    start = f"{settings.PUBLIC_URL}{reverse('home')}books/M"
    lines = (_url(f"{start}{pk}", changed) for pk, changed in numbered)
    # The server writes every piece separately, so a piece has many lines.
    pieces = ("".join(piece) for piece in batched(_document("urlset", lines), CHUNK))
    return StreamingHttpResponse(pieces, content_type="application/xml")


def _document(root: str, lines: Iterable[str]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{NAMESPACE}">\n'
    yield from lines
    yield f"</{root}>\n"


def _url(address: str, changed: datetime | None = None) -> str:
    when = f"<lastmod>{changed.isoformat(timespec='seconds')}</lastmod>" if changed else ""
    return f"<url><loc>{escape(address)}</loc>{when}</url>\n"


def _address(name: str, *arguments: object) -> str:
    return f"{settings.PUBLIC_URL}{reverse(name, args=arguments)}"
