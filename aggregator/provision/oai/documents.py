"""The responses: a request's arguments in, one XML document out. Reads what is given on; no HTTP."""

import time
from collections.abc import Callable, Sequence
from xml.sax.saxutils import quoteattr

from django.conf import settings
from django.urls import reverse

from aggregator.provision import listing
from aggregator.provision.oai.arguments import Asked, OaiError, Refused, checked
from aggregator.provision.oai.lists import found, get_record, list_identifiers, list_records
from aggregator.provision.oai.naming import admin_email, identifier_start, namespace
from aggregator.provision.oai.records import PREFIXES, dublin_core, text
from aggregator.provision.sets import MERGED_SET, REPOSITORY, TYPE
from aggregator.provision.timestamps import moment
from aggregator.search.documents import OTHER_TYPE, TYPES
from harvesting.models import Repository
from metadata.formats import CROSSWALKS
from metadata.vocabularies.dcndl import MATERIAL_TYPES
from metadata.vocabularies.namespaces import XSI

OAI = "http://www.openarchives.org/OAI/2.0/"
IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"


def answer(sent: Sequence[tuple[str, str]]) -> bytes:
    """The response to the arguments as they were sent, repeated ones included. Raises barrier.StampingHangs."""
    began, asked = int(time.time()), Asked({})
    try:
        asked = checked(sent)
        if asked["verb"] in _OF_A_MOMENT:
            began = listing.began()
        body = _ANSWERS[asked["verb"]](asked, began)
    except Refused as refused:
        body = b"".join(_error(each) for each in refused.faults)
    # Beside badVerb and badArgument no attributes (section 3.2): they leave the arguments empty.
    attributes = "".join(f" {name}={quoteattr(text_of(value))}" for name, value in asked.arguments.items())
    return b"".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<OAI-PMH xmlns="{OAI}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI} {OAI}OAI-PMH.xsd">\n'
            f"<responseDate>{moment(began)}</responseDate>\n<request{attributes}>{text(base_url())}</request>\n".encode(),
            body,
            b"\n</OAI-PMH>\n",
        )
    )


def text_of(value: str) -> str:
    """An argument that passed the checks holds nothing illegal but perhaps in a token, which is free text."""
    return "".join(char for char in value if char.isprintable())


def base_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('oai')}"


def _error(fault: OaiError) -> bytes:
    return f'<error code="{fault.code}">{text(fault.message)}</error>\n'.encode()


def identify(_asked: Asked, began: int) -> bytes:
    operator = f" ({settings.SITE_OPERATOR})" if settings.SITE_OPERATOR else ""
    first = listing.earliest()
    return (
        f"<Identify><repositoryName>{text(f'Library Aggregator{operator}')}</repositoryName>"
        f"<baseURL>{text(base_url())}</baseURL><protocolVersion>2.0</protocolVersion>"
        f"<adminEmail>{text(admin_email())}</adminEmail>"
        f"<earliestDatestamp>{moment(began if first is None else first)}</earliestDatestamp>"
        "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"
        f"<compression>gzip</compression>{_identifiers()}<description>{_about_us()}</description></Identify>"
    ).encode()


def _identifiers() -> str:
    """How identifiers are made (guidelines, oai-identifier)."""
    return (
        f'<description><oai-identifier xmlns="{IDENTIFIER}" xmlns:xsi="{XSI}" '
        f'xsi:schemaLocation="{IDENTIFIER} {IDENTIFIER}.xsd"><scheme>oai</scheme>'
        f"<repositoryIdentifier>{namespace()}</repositoryIdentifier><delimiter>:</delimiter>"
        f"<sampleIdentifier>{identifier_start()}R900000001-Iabcdefghijklmnop</sampleIdentifier></oai-identifier>"
        "</description>"
    )


def _about_us() -> str:
    return dublin_core(
        title="Library Aggregator",
        description="Records of many libraries, as each of them describes what it has (set repository), and one merged "
        "record for each book (set merged). 各機関のレコード（セット repository）と、同じ本の記述を1件にまとめた書誌"
        "（セット merged）を提供します。",
        rights="The rights in a record are those of its provider. A licence that it names stands in the about "
        "container of each record. レコードの権利は提供元にあります。提供元が示すライセンスは各レコードの about に"
        "あります。",
        relation=settings.PUBLIC_URL,
    )


def list_metadata_formats(asked: Asked, _began: int) -> bytes:
    """Every record is given in every format."""
    if asked["identifier"]:
        found(asked["identifier"])
    formats = "".join(
        f"<metadataFormat><metadataPrefix>{each.prefix}</metadataPrefix><schema>{each.schema}</schema>"
        f"<metadataNamespace>{each.namespace}</metadataNamespace></metadataFormat>\n"
        for each in (CROSSWALKS[prefix] for prefix in PREFIXES)
    )
    return f"<ListMetadataFormats>\n{formats}</ListMetadataFormats>".encode()


def list_sets(asked: Asked, _began: int) -> bytes:
    """All in one response."""
    if "resumptionToken" in asked.arguments:
        raise Refused(
            OaiError("badResumptionToken", "ListSets is answered in one response: no resumptionToken is given.")
        )
    sets = [
        _set(REPOSITORY, "各機関のレコード / Records of the providers"),
        _set(MERGED_SET, "まとめた書誌 / Merged records, one for each book"),
        _set(TYPE, "資料の種類 / By type"),
        *(_set(f"{TYPE}:{name}", label) for name, label in TYPE_NAMES.items()),
    ]
    rows = Repository.objects.order_by("number").values_list("number", "name", "name_en", "home_page")
    for number, name, name_en, home_page in rows:
        about = dublin_core(description=name, relation=home_page) if home_page else ""
        sets.append(_set(f"{REPOSITORY}:{number}", f"{name} / {name_en}" if name_en else name, about))
    return "\n".join(("<ListSets>", *sets, "</ListSets>")).encode()


def _set(spec: str, name: str, description: str = "") -> str:
    about = f"<setDescription>{description}</setDescription>" if description else ""
    return f"<set><setSpec>{spec}</setSpec><setName>{text(name)}</setName>{about}</set>"


_LABELS = {uri.rsplit("/", 1)[-1]: label for uri, label in MATERIAL_TYPES.items()}
TYPE_NAMES = {name: f"{_LABELS[name].ja} / {_LABELS[name].en}" for name in TYPES if name != OTHER_TYPE} | {
    OTHER_TYPE: "その他 / Other"
}
_ANSWERS: dict[str, Callable[[Asked, int], bytes]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "ListIdentifiers": list_identifiers,
    "ListRecords": list_records,
    "GetRecord": get_record,
}
_OF_A_MOMENT = frozenset({"ListIdentifiers", "ListRecords"})
