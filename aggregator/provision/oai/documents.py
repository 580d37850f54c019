"""The responses of OAI-PMH: makes one XML document from the arguments of a request, and HTML of it. No HTTP."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from lxml import etree

from aggregator.catalogue.identity import domain
from aggregator.provision import listing
from aggregator.provision.oai.arguments import OaiError, OaiRequest, RequestRefused, ignore, parse_request
from aggregator.provision.oai.lists import find_entry, get_record, list_identifiers, list_records
from aggregator.provision.oai.naming import admin_email, identifier_prefix
from aggregator.provision.oai.records import dublin_core, prefixes, text
from aggregator.provision.pending import MERGED
from aggregator.provision.sets import COPIES, COPIES_SET, MERGED_SET, REPOSITORY, TYPE, Part
from aggregator.provision.timestamps import utc_timestamp
from aggregator.search.materials import OTHER_TYPE, TYPES
from metadata.formats import WRITERS
from metadata.vocabularies.dcndl import MATERIAL_TYPES
from metadata.vocabularies.namespaces import XSI
from metadata.xml.parsing import PARSER_OPTIONS

_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # the stubs lack it
OAI = "http://www.openarchives.org/OAI/2.0/"
IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"


def answer(arguments: Sequence[tuple[str, str]], on_end: Callable[[str, int, int], None] = ignore) -> bytes:
    """Return the response to the arguments as sent, including repeated ones. Raises stamps.barrier.StampingTimeout.

    on_end: see `OaiRequest`.
    """
    began, request = int(time.time()), OaiRequest({})
    try:
        request = replace(parse_request(arguments), on_end=on_end)
        if request["verb"] in _LIST_VERBS:
            began = listing.begin_list()
        body = _ANSWERS[request["verb"]](request, began)
    except RequestRefused as refusal:
        body = b"".join(_error(error) for error in refusal.errors)
    # For badVerb and badArgument the request element has no attributes (section 3.2): `request` is still empty then.
    attributes = "".join(f" {name}={quoteattr(printable(value))}" for name, value in request.arguments.items())
    return b"".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<OAI-PMH xmlns="{OAI}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI} {OAI}OAI-PMH.xsd">\n'
            f"<responseDate>{utc_timestamp(began)}</responseDate>\n<request{attributes}>{text(base_url())}</request>\n".encode(),
            body,
            b"\n</OAI-PMH>\n",
        )
    )


def printable(value: str) -> str:
    """Return an argument without characters that XML forbids; after the checks only a token may contain any."""
    return "".join(char for char in value if char.isprintable())


def base_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('oai')}"


def _error(error: OaiError) -> bytes:
    return f'<error code="{error.code}">{text(error.message)}</error>\n'.encode()


def identify(_request: OaiRequest, began: int) -> bytes:
    operator = f" ({settings.SITE_OPERATOR})" if settings.SITE_OPERATOR else ""
    first = listing.earliest()
    return (
        f"<Identify><repositoryName>{text(f'Library Aggregator{operator}')}</repositoryName>"
        f"<baseURL>{text(base_url())}</baseURL><protocolVersion>2.0</protocolVersion>"
        f"<adminEmail>{text(admin_email())}</adminEmail>"
        f"<earliestDatestamp>{utc_timestamp(began if first is None else first)}</earliestDatestamp>"
        "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"
        f"<compression>gzip</compression>{_identifiers()}<description>{_self_description()}</description></Identify>"
    ).encode()


def _identifiers() -> str:
    """Return the description of the identifiers (implementation guidelines, oai-identifier)."""
    return (
        f'<description><oai-identifier xmlns="{IDENTIFIER}" xmlns:xsi="{XSI}" '
        f'xsi:schemaLocation="{IDENTIFIER} {IDENTIFIER}.xsd"><scheme>oai</scheme>'
        f"<repositoryIdentifier>{domain()}</repositoryIdentifier><delimiter>:</delimiter>"
        f"<sampleIdentifier>{identifier_prefix()}R900000001-Iabcdefghijklmnop</sampleIdentifier></oai-identifier>"
        "</description>"
    )


def _self_description() -> str:
    return dublin_core(
        title="Library Aggregator",
        description="Records of many libraries, as each of them describes what it has (set repository), and one merged "
        "record for each book (set merged). The set copies has one record for each copy of a book. "
        "各機関のレコード（セット repository）と、同じ本の記述を1件にまとめた書誌（セット merged）を提供します。"
        "セット copies では、書誌を冊（個別資料）ごとに1レコードとして提供します。",
        rights="The rights in a record are those of its provider. A licence that it names stands in the about "
        "container of each record. レコードの権利は提供元にあります。提供元が示すライセンスは各レコードの about に"
        "あります。",
        relation=settings.PUBLIC_URL,
    )


def list_metadata_formats(request: OaiRequest, _began: int) -> bytes:
    """Return all formats, also for a single identifier, because every record is available in every format."""
    if request["identifier"]:
        find_entry(request["identifier"])
    formats = "".join(
        f"<metadataFormat><metadataPrefix>{writer.name}</metadataPrefix><schema>{writer.schema}</schema>"
        f"<metadataNamespace>{writer.namespace}</metadataNamespace></metadataFormat>\n"
        for writer in (WRITERS[prefix] for prefix in prefixes())
    )
    return f"<ListMetadataFormats>\n{formats}</ListMetadataFormats>".encode()


def list_sets(request: OaiRequest, _began: int) -> bytes:
    """All sets that have records, in one response."""
    if "resumptionToken" in request.arguments:
        raise RequestRefused(
            OaiError("badResumptionToken", "ListSets is answered in one response: no resumptionToken is given.")
        )
    by_type = [
        _set(f"{TYPE}:{name}", label) for name, label in TYPE_NAMES.items() if not listing.is_empty(Part(type=name))
    ]
    providers = list(_provider_sets())
    merged = _set(MERGED_SET, "まとめた書誌 / Merged records, one for each book")
    copies = _set(COPIES_SET, "冊ごとのレコード / One record for each copy of a book (this set only)")
    sets = [
        *([_set(REPOSITORY, "各機関のレコード / Records of the providers")] if providers else []),
        *([merged] if not (providers or by_type) or not listing.is_empty(Part(origin=MERGED)) else []),
        *([copies] if not listing.is_empty(Part(origin=COPIES)) else []),
        *([_set(TYPE, "資料の種類 / By type")] if by_type else []),
        *by_type,
        *providers,
    ]
    return "\n".join(("<ListSets>", *sets, "</ListSets>")).encode()  # the schema requires at least one set


def _provider_sets() -> Iterator[str]:
    rows = listing.providers().values_list("number", "name", "name_en", "home_page")
    for number, name, name_en, home_page in rows:
        description = dublin_core(description=name, relation=home_page) if home_page else ""
        yield _set(f"{REPOSITORY}:{number}", f"{name} / {name_en}" if name_en else name, description)


def _set(spec: str, name: str, description: str = "") -> str:
    element = f"<setDescription>{description}</setDescription>" if description else ""
    return f"<set><setSpec>{spec}</setSpec><setName>{text(name)}</setName>{element}</set>"


_LABELS = {uri.rsplit("/", 1)[-1]: label for uri, label in MATERIAL_TYPES.items()}
TYPE_NAMES = {name: f"{_LABELS[name].ja} / {_LABELS[name].en}" for name in TYPES if name != OTHER_TYPE} | {
    OTHER_TYPE: "その他 / Other"
}
_ANSWERS: dict[str, Callable[[OaiRequest, int], bytes]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "ListIdentifiers": list_identifiers,
    "ListRecords": list_records,
    "GetRecord": get_record,
}
_LIST_VERBS = frozenset({"ListIdentifiers", "ListRecords"})


def as_html(response: bytes, following: str) -> SafeString:
    """Return the response as an HTML fragment, for people with a browser. following: the label of the link to the next
    part of a list.

    The XSLT is applied here, since browsers are removing their support for it. It escapes the texts of records.
    """
    root = etree.fromstring(response, etree.XMLParser(**PARSER_OPTIONS))
    page = _stylesheet()(root, next=etree.XSLT.strparam(following))
    return mark_safe(str(page))  # noqa: S308 written by the stylesheet, which escapes


@cache
def _stylesheet() -> etree.XSLT:
    return etree.XSLT(etree.parse(Path(__file__).with_name("page.xsl")), access_control=_NOTHING)
