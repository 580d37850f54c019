"""Lists every address of a poisoned site, with its name in the table of permissions."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.urls import reverse

from aggregator.access.permissions import TABLE
from aggregator.browse.kinds import CLASS, IDENTITY, KINDS, PATHS
from aggregator.libraries.identify import NAME
from aggregator.libraries.numbers import library_number
from aggregator.models import Heading, Library, LibraryCode
from aggregator.presentation.representations import ENDINGS, xml_forms
from aggregator.provision import dumps
from aggregator.views.statistics.files import TABLES
from harvesting.joining.application import STEPS
from harvesting.models import BulkAction, DoctoralThesis, DoiDelivery, Feed, RequestedDoi
from harvesting.transports.registry import live_protocols
from tests.hostile.poisoned_site import Site

type Arguments = list[dict[str, Any] | list[Any]]


def _files(site: Site) -> Arguments:
    return [[dump.name, file.name] for dump in dumps.finished_dumps() for file in dump.files]


def _live_sources() -> Iterable[Feed]:
    return Feed.objects.filter(protocol__in=live_protocols()).select_related("repository")


def _validated(site: Site) -> Arguments:
    return [[self_test.token] for self_test in site.rows["validations"]]


def _drafts(site: Site) -> Arguments:
    return [[draft.pk, step] for draft, step in product(site.rows["drafts"], STEPS)]


def _books(site: Site) -> Arguments:
    return [[name] for name in site.names]


def _repositories(site: Site) -> Arguments:
    return [[number] for number in site.numbers]


def _libraries(_site: Site) -> Arguments:
    codes = LibraryCode.objects.exclude(scheme=NAME).order_by("pk").values_list("value", flat=True)
    numbers = Library.objects.order_by("pk").values_list("pk", flat=True)
    return [*([library_number(pk)] for pk in numbers[:20]), *([code] for code in codes[:20])]


def _numbered_libraries(_site: Site) -> Arguments:
    return [[library_number(pk)] for pk in Library.objects.current().order_by("pk").values_list("pk", flat=True)[:20]]


def _numbered_books(site: Site) -> Arguments:
    return [[name] for name in site.names if name.startswith("M")]


def _runs(site: Site) -> Arguments:
    return [[run.pk] for run in site.runs]


def _loans(site: Site) -> Arguments:
    return [[loan.pk] for loan in site.rows["loans"]]


def _headings(_site: Site) -> Arguments:
    rows = Heading.objects.exclude(kind__in=(CLASS, IDENTITY)).order_by("kind", "pk").values_list("kind", "label")
    return [[PATHS[kind], label] for kind, label in rows[:200]]


def _identities(_site: Site) -> Arguments:
    codes = Heading.objects.filter(kind=IDENTITY).order_by("pk").values_list("code", flat=True)
    return [code[1:].split(" ") for code in codes[:50]]


# The arguments of addresses that need some
PARTS: dict[str, Callable[[Site], Arguments]] = {
    "search_values": lambda site: [["creator"], ["subject"], ["repository"], ["publisher"]],
    "book": _books, "slip": _books, "why": _books, "report": _books, "api_record": _books, "record": _books,
    "book_as": lambda site: [{"public_id": name, "suffix": ending} for name in site.names for ending in ENDINGS],
    "repository": _repositories, "link_trial": _repositories, "api_repository": _repositories,
    "harvests_of": _repositories, "harvest_start": _repositories, "provider": _repositories,
    "provider_erase": lambda site: [[number] for number in (*site.numbers, site.rows["erased"].number)],
    "provider_feed_new": _repositories, "provider_issues": _repositories, "issue_letter": _repositories,
    "provider_feed": lambda site: [[feed.repository.number, feed.pk] for feed in (*site.feeds, *_live_sources())],
    "issue_letter_text": lambda site: [{"number": number, "suffix": "txt"} for number in site.numbers],
    "thumbnail": lambda site: [["9784003101117"], ["9999999999100011000A"], ["<x>"]],
    "library": _libraries, "library_json": _libraries,
    "cover": _books, "book_images": _books,
    "book_image": lambda site: [[name, 1] for name, in _numbered_books(site)],
    "book_image_file": lambda site: [[name, 1, 900] for name, in _numbered_books(site)],
    "browse_list": lambda site: [[path] for path in KINDS],
    "browse_class": lambda site: [["9"], ["91"]],
    "browse_heading": _headings, "identity": _identities,
    "availability": _numbered_books, "availability_json": _numbered_books, "book_holdings": _numbered_books,
    "book_records": _numbered_books, "book_copy": _numbered_books, "holders_json": _numbered_books,
    "manage_library": _numbered_libraries, "manage_library_merge": _numbered_libraries,
    "manage_library_availability": _numbered_libraries,
    "rule": lambda site: [["dcndl.W004"]],
    "validation": _validated, "validation_json": _validated, "validation_state": _validated,
    "validation_record": lambda site: [[site.rows["validations"][0].token, place] for place in (1, 2)],
    "statistics_csv": lambda site: [[name] for name in TABLES],
    "api_unknown": lambda site: [["x<script>"]],
    "resourcesync_description": lambda site: [[]],
    "resourcesync_resource": lambda site: [],
    "resourcesync_package": lambda site: [],
    "resourcesync_channel": lambda site: [["merged"], [site.numbers[0]]],
    "resourcesync_document": lambda site: [[set_name, document] for set_name in ("merged", site.numbers[0])
                                           for document in ("capabilitylist.xml", "resourcelist.xml",
                                                            "changelist.xml")],
    "dump_file": _files,
    "sitemap_books": lambda site: [[0]],
    "oidc": lambda site: [], "oidc_back": lambda site: [],
    "password_new": lambda site: [["x<b>", "y-z<b>"]],
    "alert_confirm": lambda site: [["x<b>"], [site.rows["alert_tokens"][0]]],
    "alert_stop": lambda site: [["x<b>"], [site.rows["alert_tokens"][1]]],
    "invitation": lambda site: [["x<b>"]], "notices_confirm": lambda site: [["x<b>"]],
    "notices_stop": lambda site: [["x<b>"]], "websub": lambda site: [["x" * 32]],
    "notice_letter": lambda site: [[letter.pk] for letter in site.rows["letters"]],
    "person": lambda site: [[site.rows["person"].pk]],
    "harvest": _runs, "harvest_progress": _runs,
    "harvest_log": lambda site: [{"pk": run.pk, "ending": ending} for run in site.runs for ending in ("csv", "jsonl")],
    "harvest_issues": lambda site: [{"pk": run.pk, "ending": ending}
                                    for run in site.runs for ending in ("csv", "jsonl")],
    "harvest_broken_page": lambda site: [[site.runs[-1].pk, site.rows["page"].pk]],
    "join_step": _drafts,
    "providers_export": lambda site: [{"form": "csv"}, {"form": "json"}],
    "issue_file": lambda site: [{"suffix": suffix} for suffix in ("csv", "json", "xlsx")],
    "enrichment": _repositories, "enrichment_file": _repositories, "enrichment_rule": _repositories,
    "provider_dois": _repositories, "doi_zip": _repositories, "thesis_zip": _repositories,
    "doi_xml": lambda site: [[pk] for pk in RequestedDoi.objects.values_list("pk", flat=True)],
    "thesis_xml": lambda site: [[pk] for pk in DoctoralThesis.objects.values_list("pk", flat=True)],
    "doi_delivery": lambda site: [[pk] for pk in DoiDelivery.objects.values_list("pk", flat=True)],
    "bulk": lambda site: [[pk] for pk in BulkAction.objects.values_list("pk", flat=True)],
    "issue_check": lambda site: [[site.runs[0].pk]],
    "loans_csv": lambda site: [{"which": "made"}, {"which": "received"}],
    "loan": _loans, "loan_print": _loans,
    "loan_edit": lambda site: [[loan.pk] for loan in site.rows["loan_drafts"]],
    "loan_answer": lambda site: [["x<b>"], *([token] for token in site.rows["loan_tokens"])],
    "person_libraries": lambda site: [[site.rows["person"].pk]],
    "provider_push": _repositories, "push": _repositories,
    "push_report": lambda site: [[push.feed.repository.number, push.pk] for push in site.rows["pushes"]],
    "manage_key": lambda site: [[site.rows["key"].pk]],
}  # fmt: skip

# The query parameters with which an address is also requested
QUERIES: dict[str, Callable[[Site], list[dict[str, Any]]]] = {
    "loan_new": lambda site: [{"book": site.rows["loans"][0].book, "library": site.rows["lender"].pk}],
    "search": lambda site: [{"q": "alert"}, {"q": "9784003101018"}, {"repository": site.numbers[0]}],
    "api_search": lambda site: [{"q": "alert"}], "search_atom": lambda site: [{"q": "alert"}],
    "opensearch": lambda site: [{"q": "alert", "format": feed_format} for feed_format in ("rss", "atom", "json")],
    "search_live": lambda site: [{"q": "alert"}, {"q": "<b>", "waited": "9999"}],
    "api_live": lambda site: [{"q": "alert", "source": number} for number in site.numbers],
    "libraries": lambda site: [{"q": "alert"}, {"region": "none"}],
    "suggest": lambda site: [{"q": text} for text in ("a", "x", "<")],
    "sru": lambda site: [{"operation": "searchRetrieve", "version": "1.2", "query": "isbn=9784003101018",
                          "recordSchema": schema} for schema in ("dcndl", "dc", "oai_dc", "jpcoar", "dcndl_simple")],
    "oai": lambda site: [{"verb": verb} for verb in ("Identify", "ListSets", "ListMetadataFormats")]
                        + [{"verb": "ListRecords", "metadataPrefix": prefix}
                           for prefix in ("oai_dc", "dcndl", "dcndl_simple", "jpcoar")],
    "openurl": lambda site: [{"rft.isbn": "9784003101018"}, {"rft.btitle": "alert"}],
    "book": lambda site: [{"source": 1}],
    "match_review": lambda site: [{"kind": "joined", "pattern": "none"}, {"kind": "readers"}],
    "match_pair": lambda site: [{"first": first.public_id, "second": second.public_id}
                                for first, second in (site.rows["pair"],)],
    "match_group": lambda site: [{"of": site.names[0]}],
    "records": lambda site: [{"q": site.names[0]}, {"q": "oai:x:0"}],
    "record": lambda site: [{"issue": site.rows["issue"].pk, "version": site.rows["version"].pk}],
    "issue_list": lambda site: [{"repository": number} for number in site.numbers]
                               + [{"code": "dcndl.W004", "state": state} for state in ("open", "ignored", "resolved")],
    "issue_file": lambda site: [{"repository": site.numbers[0]}],
    "enrichment_rule": lambda site: [{"kind": kind} for kind in ("fixed", "replace", "codes", "split")],
}  # fmt: skip


def paths(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the name and path of every page and file."""
    for name, form in product(site.names, xml_forms()):
        yield "book_as", f"{reverse('book_as', kwargs={'public_id': name, 'suffix': 'xml'})}?format={form}"
    for name, methods in TABLE.items():
        if "GET" in methods and name[0] != "^" and not name.startswith("admin/"):
            for parts in PARTS.get(name, lambda _site: [[]])(site):
                path = reverse(name, kwargs=parts) if isinstance(parts, dict) else reverse(name, args=parts)
                yield name, path
                for query in QUERIES.get(name, lambda _site: [])(site):
                    yield name, f"{path}?{urlencode(query)}"


def admin_paths() -> Iterator[tuple[str, str]]:
    """Yield the lists of Django's admin, and the pages of their first rows."""
    yield "admin:index", reverse("admin:index")
    for model in admin.site._registry:
        if model._meta.app_label not in {"harvesting", "aggregator", "auth"}:
            continue
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield base, reverse(f"{base}_changelist")
        yield base, f"{reverse(f'{base}_changelist')}?q=alert"
        for pk in model._base_manager.order_by("pk").values_list("pk", flat=True)[:2]:
            yield from ((base, reverse(f"{base}_{page}", args=[pk])) for page in ("change", "history", "delete"))
