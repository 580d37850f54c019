"""One record of a response: header, metadata, about. Writes bytes; asks no database.

A payload is a document of its own with its namespaces, so it stands in the response byte for byte, but for its
declaration. What the protocol wants on its root besides (xsi:schemaLocation) is added where a format leaves it out.
"""

import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from msgspec import structs

from aggregator.provision import written_records
from aggregator.provision.contents import Content
from aggregator.provision.listing import Entry
from aggregator.provision.sets import specs_of
from aggregator.provision.timestamps import moment
from harvesting.records.compression import unpack_record
from metadata.formats import CROSSWALKS
from metadata.vocabularies.namespaces import XSI
from metadata.xml.parsing import legal

PREFIXES = ("oai_dc", "dcndl", "dcndl_simple", "jpcoar", "marcxml")  # that records are given on in
PROVENANCE = "http://www.openarchives.org/OAI/2.0/provenance"
RIGHTS = "http://www.openarchives.org/OAI/2.0/rights/"
_DECLARATION = b"?>\n"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?")
_WEB = re.compile(r"https?://[^\s<>\"{}|\\^`]+", re.ASCII)
# A URI as it is; of anything else, what stays as it is when it is made one.
_CHARS = r"(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.\-]*:(?://[A-Za-z0-9\-.]+(?::[0-9]{{1,5}})?(?:[/?]{_CHARS}*)?|(?!//){_CHARS}+)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_SAFE = "/=&?~+!$,;'@()*"


def text(value: str) -> str:
    """As character data."""
    return escape(legal(value))


def uri(value: str) -> str:
    """A value as xs:anyURI wants it: what is no URI is percent-encoded, but for the part before its first colon."""
    if _URI.fullmatch(value):
        return value
    scheme, colon, rest = value.partition(":")
    if not _SCHEME.fullmatch(scheme + colon):
        scheme, colon, rest = "", "", value
    return f"{scheme}{colon}{quote(rest, safe=_SAFE, errors='replace')}"


def header(entry: Entry, number: str, start: str) -> str:
    """The header element. number: of its repository, "" = merged; start: of every identifier."""
    sets = "".join(f"<setSpec>{each}</setSpec>" for each in specs_of(number, entry.types))
    status = ' status="deleted"' if entry.deleted else ""
    return (
        f"<header{status}><identifier>{start}{entry.name}</identifier>"
        f"<datestamp>{moment(entry.stamp)}</datestamp>{sets}</header>"
    )


def payloads(contents: Mapping[int, Content], prefix: str, names: Mapping[int, str]) -> dict[int, bytes]:
    """The metadata of these items in a format, as they stand in a response; written anew as far as nobody did.

    names: the identifier of each item, for a record that has no address of its own.
    """
    digests = {
        item: written_records.digest(content.packed + names[item].encode()) for item, content in contents.items()
    }
    found = written_records.recall(prefix, digests)
    fresh = {item: _payload(content, prefix, names[item]) for item, content in contents.items() if item not in found}
    written_records.keep(prefix, [(item, digests[item], payload) for item, payload in fresh.items()])
    return found | fresh


def _payload(content: Content, prefix: str, name: str) -> bytes:
    record = unpack_record(content.packed)
    if prefix == "dcndl" and not (record.uri or record.see_also):  # RDF is about something that has a name
        record = structs.replace(record, uri=name)
    payload = CROSSWALKS[prefix].write(record)
    # Each writer puts the same declaration before the root.
    return _located(payload[payload.index(_DECLARATION) + len(_DECLARATION) :], prefix)


def _located(payload: bytes, prefix: str) -> bytes:
    end = payload.index(b">")
    root = payload[:end]
    if b"xsi:schemaLocation=" in root:
        return payload
    place = end - payload[end - 1 : end].count(b"/")
    return b"%b%b%b" % (payload[:place], _location(prefix, b"xmlns:xsi=" in root), payload[place:])


@cache
def _location(prefix: str, is_declared: bool) -> bytes:
    crosswalk = CROSSWALKS[prefix]
    declaration = "" if is_declared else f' xmlns:xsi="{XSI}"'
    return f'{declaration} xsi:schemaLocation="{crosswalk.namespace} {crosswalk.schema}"'.encode()


def about(content: Content, base_url: str) -> str:
    """The about elements: where it comes from, and on which terms. base_url: of the provider, "" = not to be told."""
    provenance = _provenance(content, base_url) if base_url else ""
    return "".join(f"<about>{each}</about>" for each in (provenance, *map(rights, content.licences)) if each)


def _provenance(content: Content, base_url: str) -> str:
    namespace = _namespace(content.prefix)
    if not namespace:
        return ""
    datestamp = content.datestamp if _DATE.fullmatch(content.datestamp) else content.harvested
    return (
        f'<provenance xmlns="{PROVENANCE}" xmlns:xsi="{XSI}" xsi:schemaLocation="{PROVENANCE} {PROVENANCE}.xsd">'
        f'<originDescription harvestDate="{content.harvested}" altered="true">'
        f"<baseURL>{text(uri(base_url))}</baseURL>"
        f"<identifier>{text(uri(content.identifier))}</identifier>"
        f"<datestamp>{datestamp}</datestamp><metadataNamespace>{namespace}</metadataNamespace>"
        "</originDescription></provenance>"
    )


@cache
def _namespace(prefix: str) -> str:
    """Of what was harvested; "" where the prefix does not say it."""
    crosswalk = CROSSWALKS.get(prefix) or CROSSWALKS.get(prefix.partition("_")[0])
    return crosswalk.namespace if crosswalk else ""


@cache
def rights(licence: str) -> str:
    """A rights element: the address of a licence, or its words."""
    opening = f'<rights xmlns="{RIGHTS}" xmlns:xsi="{XSI}" xsi:schemaLocation="{RIGHTS} {RIGHTS[:-1]}.xsd">'
    if _WEB.fullmatch(licence):
        return f"{opening}<rightsReference ref={quoteattr(uri(licence))}/></rights>"
    return f"{opening}<rightsDefinition>{dublin_core(rights=licence)}</rightsDefinition></rights>"


def dublin_core(**texts: str) -> str:
    """An oai_dc:dc with one element for each text."""
    crosswalk = CROSSWALKS["oai_dc"]
    elements = "".join(f"<dc:{name}>{text(value)}</dc:{name}>" for name, value in texts.items())
    return (
        f'<oai_dc:dc xmlns:oai_dc="{crosswalk.namespace}" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:xsi="{XSI}" xsi:schemaLocation="{crosswalk.namespace} {crosswalk.schema}">{elements}</oai_dc:dc>'
    )
