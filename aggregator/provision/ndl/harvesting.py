"""OAI-PMH as NDL Search has it: sets are data providers and data groups, every list needs `from`, times are those of
Japan. No HTTP.

The lists are those of `provision.oai`; only the providers' own records are given. Its answers differ in the set names
and, as NDL Search's do against the letter of the protocol, in times, which are given and understood as Japanese time.
"""

import re
import time
from calendar import timegm
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from xml.sax.saxutils import quoteattr

from django.conf import settings
from django.urls import reverse

from aggregator.provision import listing
from aggregator.provision.contents import all_terms
from aggregator.provision.description import NAME
from aggregator.provision.ndl.conditions import provider_numbers
from aggregator.provision.oai import lists
from aggregator.provision.oai.arguments import OaiError, OaiRequest, RequestRefused, ignore, parse_request
from aggregator.provision.oai.documents import OAI, printable
from aggregator.provision.oai.naming import admin_email, identifier_prefix
from aggregator.provision.oai.records import text
from aggregator.provision.sets import GROUP, REPOSITORY, group, repositories
from aggregator.provision.timestamps import utc_timestamp
from aggregator.search.materials import COLLECTION
from harvesting.models import Repository
from metadata.formats import WRITERS
from metadata.vocabularies.namespaces import XSI

PREFIXES = ("oai_dc", "dcndl", "dcndl_v3", "dcndl_v1")
PAGE_SIZE = 200
NDL_DOMAIN = "oai:ndlsearch.ndl.go.jp:"  # clients write identifiers with it, whatever the address of the server
JAPAN = 9 * 3600  # seconds ahead of UTC
_HEADER = re.compile(
    rb"(<header[^>]*><identifier>[^<]*</identifier><datestamp>)([^<]*)(</datestamp>)((?:<setSpec>[^<]*</setSpec>)*)"
)
_GROUP_NAMES = {
    "open": "オープンデータ",
    "title": "タイトル書誌",
    "article": "記事書誌",
    "book": "図書・巻号書誌",
    "ARinternet": "インターネット公開",
    "ARkannai": "館内公開",
    "ARsoshin": "送信サービス限定",
    "ARrekion": "歴史的音源館内公開",
}
_SET = re.compile(rb"<setSpec>repository:(R[0-9]{9})</setSpec>")


def answer(arguments: Sequence[tuple[str, str]], on_end: Callable[[str, int, int], None] = ignore) -> bytes:
    """Return the response to the arguments as sent. Raises stamps.barrier.StampingTimeout. on_end: see `OaiRequest`."""
    began, request = int(time.time()), OaiRequest({})
    try:
        request = replace(parse_request(arguments), on_end=on_end)
        if request["verb"] in _LISTS:
            began = listing.begin_list()
        body = _ANSWERS[request["verb"]](_translated(request), began)
    except RequestRefused as refusal:
        body = "".join(f'<error code="{error.code}">{text(error.message)}</error>' for error in refusal.errors).encode()
    attributes = "".join(f" {name}={quoteattr(printable(value))}" for name, value in request.arguments.items())
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<OAI-PMH xmlns="{OAI}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI} {OAI}OAI-PMH.xsd">'
        f"<responseDate>{utc_timestamp(began + JAPAN)}</responseDate>"
        f"<request{attributes}>{text(base_url())}</request>\n"
    )
    return b"".join((head.encode(), _HEADER.sub(_as_ndl, body), b"\n</OAI-PMH>\n"))


def base_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('ndl_oaipmh')}"


def _as_ndl(header: re.Match[bytes]) -> bytes:
    """Return a header with the time of Japan and the provider as its only set."""
    stamp = timegm(datetime.fromisoformat(header[2].decode()).timetuple()) + JAPAN
    sets = b"".join(b"<setSpec>%b</setSpec>" % number for number in _SET.findall(header[4]))
    return b"".join((header[1], utc_timestamp(stamp).encode(), header[3], sets))


def _translated(request: OaiRequest) -> OaiRequest:
    """Return the request in the words of `provision.oai`. Raises RequestRefused."""
    arguments = dict(request.arguments)
    prefix = arguments.get("metadataPrefix", PREFIXES[0])
    if prefix not in PREFIXES:
        known = ", ".join(PREFIXES)
        raise RequestRefused(OaiError("cannotDisseminateFormat", f"{prefix} is not given here. There are: {known}."))
    if arguments.get("identifier", "").startswith(NDL_DOMAIN):
        arguments["identifier"] = identifier_prefix() + arguments["identifier"].removeprefix(NDL_DOMAIN)
    if arguments["verb"] not in _LISTS or "resumptionToken" in arguments:
        return replace(request, arguments=arguments)
    arguments["set"] = _set(arguments.get("set", ""))
    from_, until = _span(request)
    return replace(request, arguments=arguments, from_=from_ - JAPAN, until=until - JAPAN)


def _set(name: str) -> str:
    """Return the set of this site; a set that it does not have leads to noRecordsMatch there."""
    if not name:
        return REPOSITORY
    if name in _GROUP_NAMES or COLLECTION.fullmatch(name):
        return f"{GROUP}:{name}"
    numbers = provider_numbers(name, all_terms().values())
    return repositories(numbers) if numbers else name.replace(":", "-")


def _span(request: OaiRequest) -> tuple[int, int]:
    """Return the span of a list: at most a year, which is also its length without `until`. Raises RequestRefused."""
    if request.from_ is None:
        raise RequestRefused(OaiError("badArgument", "from is required."))
    last = request.from_ + int(timedelta(days=366).total_seconds()) - 1
    if request.until is not None and request.until > last:
        raise RequestRefused(OaiError("badArgument", "from and until must not be more than a year apart."))
    return request.from_, last if request.until is None else request.until


def _identify(_request: OaiRequest, began: int) -> bytes:
    first = listing.earliest()
    return (
        f"<Identify><repositoryName>{text(str(NAME))}</repositoryName><baseURL>{text(base_url())}</baseURL>"
        f"<protocolVersion>2.0</protocolVersion><adminEmail>{text(admin_email())}</adminEmail>"
        f"<earliestDatestamp>{utc_timestamp((began if first is None else first) + JAPAN)}</earliestDatestamp>"
        "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
    ).encode()


def _formats(request: OaiRequest, _began: int) -> bytes:
    if request["identifier"]:
        lists.find_entry(request["identifier"])
    formats = "".join(
        f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix><schema>{WRITERS[prefix].schema}</schema>"
        f"<metadataNamespace>{WRITERS[prefix].namespace}</metadataNamespace></metadataFormat>"
        for prefix in PREFIXES
    )
    return f"<ListMetadataFormats>{formats}</ListMetadataFormats>".encode()


def _sets(request: OaiRequest, _began: int) -> bytes:
    if "resumptionToken" in request.arguments:
        raise RequestRefused(OaiError("badResumptionToken", "ListSets is answered in one response."))
    terms = all_terms()
    rows = [*Repository.objects.public().filter(give_on=True).order_by("number").values_list("number", "name")]
    groups = ((name, label, group(name, terms)) for name, label in _GROUP_NAMES.items())
    rows += [(name, label) for name, label, part in groups if part and not listing.is_empty(part)]
    rows += [(name, f"コレクション {name}") for name in listing.names() if COLLECTION.fullmatch(name)]
    sets = "".join(f"<set><setSpec>{spec}</setSpec><setName>{text(name)}</setName></set>" for spec, name in rows)
    if not sets:
        raise RequestRefused(OaiError("noSetHierarchy", "There is no provider yet."))
    return f"<ListSets>{sets}</ListSets>".encode()


def _identifiers(request: OaiRequest, began: int) -> bytes:
    return lists.list_identifiers(request, began, PAGE_SIZE)


_ANSWERS: dict[str, Callable[[OaiRequest, int], bytes]] = {
    "Identify": _identify,
    "ListMetadataFormats": _formats,
    "ListSets": _sets,
    "ListIdentifiers": _identifiers,
    "ListRecords": lists.list_records,
    "GetRecord": lists.get_record,
}
_LISTS = frozenset({"ListIdentifiers", "ListRecords"})
