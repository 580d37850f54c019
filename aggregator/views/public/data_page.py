"""The page “use our data”: which interface serves which need, with examples from this catalogue."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.encoding import iri_to_uri
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator.catalogue import providers
from aggregator.middleware.refusals import is_served
from harvesting.models import Repository, SourceRecord
from metadata.links import safe_href

MOST_PROVIDERS = 100  # listed with their licence; the list of providers has all of them
SOME_WORD = "夏目漱石"


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface for taking data. path: where it is, used to ask whether it is enabled. need: what it is for.

    examples: paths on this site. {record} (public id) and {number} (of a repository) are filled from the catalogue,
    {isbn} with a fixed one.
    """

    key: str
    name: str | Promise
    path: str
    need: str | Promise
    about: str | Promise
    examples: tuple[str, ...] = ()


INTERFACES = (
    Interface(
        "oai-pmh",
        "OAI-PMH",
        "/oai",
        _("An up-to-date copy of all data or of one provider’s data"),
        _(
            "OAI-PMH 2.0 with each provider’s own records and the merged records as sets. Deletions "
            "are reported permanently, so a copy can always be kept in step."
        ),
        (
            "/oai?verb=Identify",
            "/oai?verb=ListSets",
            "/oai?verb=ListRecords&metadataPrefix=oai_dc",
            "/oai?verb=ListRecords&metadataPrefix=dcndl&set=merged",
        ),
    ),
    Interface(
        "resourcesync",
        "ResourceSync",
        "/.well-known/resourcesync",
        _("A mirror from lists and packages of files, with change notifications"),
        _("ResourceSync 1.1: resource lists, change lists, packages with manifests, and notifications by WebSub."),
        ("/.well-known/resourcesync",),
    ),
    Interface(
        "dumps",
        _("Dumps"),
        "/dumps/",
        _("All data at once, as files"),
        _("All records in a few files, with dates and checksums. Best for statistics and research."),
        ("/dumps/",),
    ),
    Interface(
        "api",
        _("JSON interface"),
        "/api/search",
        _("Search and records in your own program or web page"),
        _("Search, records and providers as JSON. No key is needed, and any web page may read the responses (CORS)."),
        (f"/api/search?q={SOME_WORD}", "/api/records/{record}", "/api/repositories", "/api/openapi.json"),
    ),
    Interface(
        "sru",
        "SRU",
        "/sru",
        _("Federated search from a library system"),
        _(
            "SRU 1.1 and 1.2 with CQL. “explain” lists the searchable fields. Records are available "
            "as DC-NDL, Dublin Core, MARCXML, MODS or JPCOAR, and every result set can be read to "
            "its last record."
        ),
        (
            "/sru?operation=explain&version=1.2",
            "/sru?operation=searchRetrieve&version=1.2&query=title=こころ&recordSchema=dc",
            '/sru?operation=searchRetrieve&version=1.2&query=creator="夏目 漱石" and date within "1900 1950" '
            "sortBy dc.date/sort.descending&recordSchema=marcxml",
        ),
    ),
    Interface(
        "opensearch",
        "OpenSearch",
        "/opensearch",
        _("This search in a browser, a portal or a feed reader"),
        _("Results as RSS, Atom or JSON, and the description document by which programs discover the search."),
        (
            "/opensearch.xml",
            f"/opensearch?q={SOME_WORD}&format=rss",
            f"/opensearch?q={SOME_WORD}&format=atom",
        ),
    ),
    Interface(
        "openurl",
        "OpenURL",
        "/openurl",
        _("Links to a book by its ISBN, title or author"),
        _("OpenURL 1.0 and 0.1, as sent by link resolvers: leads to the page of the book, or to a list of candidates."),
        ("/openurl?rft.isbn={isbn}", "/openurl?rft.btitle=こころ&rft.aulast=夏目"),
    ),
    Interface(
        "ndl",
        _("The API of NDL Search"),
        "/api/opensearch",
        _("Programs that were written for NDL Search"),
        _(
            "OpenSearch, SRU, OAI-PMH and OpenURL with the parameters, defaults and limits of NDL Search: such "
            "programs need only this site’s address instead."
        ),
        (
            "/api/opensearch?title=こころ&cnt=10",
            '/api/sru?operation=searchRetrieve&query=title="こころ"&recordSchema=dcndl&recordPacking=xml',
            "/api/oaipmh?verb=ListSets",
            "/api/openurl?btitle=こころ",
        ),
    ),
    Interface(
        "links",
        _("Permanent links and linked data"),
        "/",
        _("The data of one book, and a permanent link to it"),
        _(
            "Every record has one permanent address. The same address returns a page, DC-NDL (RDF), "
            "JSON-LD and more, depending on the Accept header; a file extension also selects the "
            "format."
        ),
        (
            "/books/{record}",
            "/books/{record}.rdf",
            "/books/{record}.jsonld",
            "/books/{record}.json",
            "/books/{record}.xml?format=oai_dc",
            "/books/{record}.ris",
        ),
    ),
    Interface(
        "feeds",
        _("Feeds"),
        "/feeds/search.atom",
        _("Following new books on a subject"),
        _("Any search as an Atom feed, newest additions first."),
        (f"/feeds/search.atom?q={SOME_WORD}",),
    ),
    Interface(
        "providers",
        _("Providers"),
        "/repositories.json",
        _("Participating libraries and their licences"),
        _("The list of providers with state, licence, counts and last harvest, as JSON and CSV."),
        ("/repositories.json", "/repositories.csv", "/api/repositories/{number}"),
    ),
)


@dataclass(frozen=True, slots=True)
class Licence:
    """The terms of use of a provider's records. url: "" if the licence is only words."""

    repository: Repository
    url: str


def data(request: HttpRequest) -> HttpResponse:
    """Show every enabled interface, and the terms of use."""
    repositories = providers.listed()
    names = example_names()
    context = {
        "interfaces": [
            (interface, list(examples(interface.examples, names)))
            for interface in INTERFACES
            if is_served(interface.path)
        ],
        "licences": [
            Licence(repository, safe_href(repository.licence)) for repository in repositories[:MOST_PROVIDERS]
        ],
        "more_providers": max(len(repositories) - MOST_PROVIDERS, 0),
        "base": settings.PUBLIC_URL,
        "burst": int(settings.SEARCH_BURST),
        "minute": int(settings.SEARCH_RATE * 60),
    }
    return render(request, "pages/data.html", context)


def example_names() -> dict[str, str]:
    """Return placeholder -> value for the examples, from the first redistributable book; {} if there is none."""
    rows = SourceRecord.objects.filter(
        member__isnull=False, deleted=False, suppressed_at=None, repository__give_on=True
    )
    found = rows.order_by("pk").values_list("public_id", "repository__number").first()
    return {"record": found[0], "number": found[1]} if found else {}


def examples(templates: Iterable[str], known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (text as printed, address to follow) for every example whose placeholders can be filled."""
    for template in templates:
        named = template.format_map({"isbn": "9784003101018", **dict.fromkeys(("record", "number"), ""), **known})
        if known or "{record}" not in template and "{number}" not in template:
            yield named, iri_to_uri(named.replace(" ", "%20").replace('"', "%22"))
