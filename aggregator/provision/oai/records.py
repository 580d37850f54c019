"""One record of a response: header, metadata, about. No database access.

A payload is a complete document with its own namespaces. It is copied into the response without its XML declaration;
xsi:schemaLocation, which the protocol requires on its root, is added if the payload lacks it.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import batched, takewhile
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from aggregator.catalogue.identity import site
from aggregator.provision import written_records
from aggregator.provision.contents import Content, records_of
from aggregator.provision.listing import Entry
from aggregator.provision.sets import specs_of
from aggregator.provision.timestamps import utc_timestamp
from metadata.about import Origin
from metadata.formats import OAI_REQUIRED, WRITERS, format_named
from metadata.vocabularies.namespaces import XSI
from metadata.xml.parsing import strip_illegal

PROVENANCE = "http://www.openarchives.org/OAI/2.0/provenance"
RIGHTS = "http://www.openarchives.org/OAI/2.0/rights/"
PORTION = 40  # records of a page that are written at a time, so that few are in vain if the page is full
MOST_PACKED = 1_000_000  # bytes of packed records that are unpacked at once; a page with more is written one by one
_DECLARATION = b"?>\n"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?")
_WEB = re.compile(r"https?://[^\s<>\"{}|\\^`]+", re.ASCII)
# Syntax of a URI (RFC 3986), and the characters that are not percent-encoded when a URI is made from other text.
_CHARS = r"(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]++|%[0-9A-Fa-f]{2})"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.\-]*:(?://[A-Za-z0-9\-.]+(?::[0-9]{{1,5}})?(?:[/?]{_CHARS}*+)?|(?!//){_CHARS}++)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_SAFE = "/=&?~+!$,;'@()*"


def prefixes() -> list[str]:
    """Return the metadataPrefixes in which records are redistributed; the one that OAI-PMH requires first."""
    offered = (writer.name for writer in WRITERS.values() if writer.oai)
    return sorted(offered, key=lambda name: name != OAI_REQUIRED.prefix)


def text(value: str) -> str:
    """Return text as XML character data."""
    return escape(strip_illegal(value))


def uri(value: str) -> str:
    """Return a value as xs:anyURI. A value that is no URI is percent-encoded, except for its scheme."""
    if _URI.fullmatch(value):
        return value
    scheme, colon, rest = value.partition(":")
    if not _SCHEME.fullmatch(scheme + colon):
        scheme, colon, rest = "", "", value
    return f"{scheme}{colon}{quote(rest, safe=_SAFE, errors='replace')}"


def header(entry: Entry, number: str, start: str) -> str:
    """Return the header element. number: as for `specs_of`. start: the beginning of identifiers."""
    status = ' status="deleted"' if entry.deleted else ""
    return (
        f"<header{status}><identifier>{start}{entry.name}</identifier>"
        f"<datestamp>{utc_timestamp(entry.stamp)}</datestamp>{_sets(number, entry.types)}</header>"
    )


@lru_cache(maxsize=1024)  # most entries of a page are in the same few sets
def _sets(number: str, types: str) -> str:
    return "".join(f"<setSpec>{spec}</setSpec>" for spec in specs_of(number, types))


class Payloads:
    """The metadata of the items of one page in a format, ready for a response; from the cache where possible.

    kept_as: the name under which the cache has them. What it lacks is written, and `keep` stores it.
    """

    def __init__(self, prefix: str, kept_as: str) -> None:
        self._prefix = prefix
        self._kept_as = kept_as
        self._fresh: list[tuple[int, bytes, bytes]] = []

    def of(self, contents: Mapping[int, Content]) -> dict[int, bytes]:
        """Return the metadata of a portion of the items."""
        here = site()
        digests = {item: content.digest(here) for item, content in contents.items()}
        cached = written_records.load(self._kept_as, digests)
        fresh: dict[int, bytes] = {}
        lacking = [item for item in contents if item not in cached]
        is_large = sum(len(contents[item].packed) for item in lacking) > MOST_PACKED
        for items in batched(lacking, 1 if is_large else PORTION):
            written = WRITERS[self._prefix].documents(records_of([contents[item] for item in items]))
            fresh |= {item: _payload(document, self._prefix) for item, document in zip(items, written, strict=True)}
        self._fresh += ((item, digests[item], payload) for item, payload in fresh.items())
        return cached | fresh

    def keep(self) -> None:
        """Store what was written. Once for a page: a transaction costs as much as writing several records."""
        written_records.store(self._kept_as, self._prefix, self._fresh)
        self._fresh = []


def _payload(document: bytes, prefix: str) -> bytes:
    # All writers put the same XML declaration before the root.
    start = document.index(_DECLARATION) + len(_DECLARATION)
    end = document.index(b">", start)
    return _with_schema_location(document[start:end], prefix) + document[end:]


@lru_cache(maxsize=256)  # the documents of a format have few roots
def _with_schema_location(root: bytes, prefix: str) -> bytes:
    """Return the start tag of a root with xsi:schemaLocation. root: without its ">"."""
    if b"xsi:schemaLocation=" in root:
        return root
    tag = root.removesuffix(b"/")
    return tag + _schema_location(prefix, b"xmlns:xsi=" in root) + root[len(tag) :]


def _schema_location(prefix: str, is_declared: bool) -> bytes:
    writer = WRITERS[prefix]
    declaration = "" if is_declared else f' xmlns:xsi="{XSI}"'
    return f'{declaration} xsi:schemaLocation="{writer.namespace} {writer.schema}"'.encode()


def about(content: Content, base_url: str) -> str:
    """Return the about elements: provenance and rights. base_url: of the provider; "" = no provenance."""
    provenance = _provenance(content, base_url) if base_url else ""
    return "".join(f"<about>{element}</about>" for element in (provenance, *map(rights, content.licences)) if element)


def _provenance(content: Content, base_url: str) -> str:
    namespace = _namespace(content.prefix)
    if not namespace:
        return ""
    datestamp = content.datestamp if is_date(content.datestamp) else content.harvested
    return (
        f'<provenance xmlns="{PROVENANCE}" xmlns:xsi="{XSI}" xsi:schemaLocation="{PROVENANCE} {PROVENANCE}.xsd">'
        f'<originDescription harvestDate="{content.harvested}" altered="true">'
        f"<baseURL>{text(uri(base_url))}</baseURL>"
        f"<identifier>{text(uri(content.identifier))}</identifier>"
        f"<datestamp>{datestamp}</datestamp><metadataNamespace>{namespace}</metadataNamespace>"
        f"{_origins(content.origins)}</originDescription></provenance>"
    )


def _origins(origins: Sequence[Origin]) -> str:
    """Return the descriptions of earlier origins, each nested in the one before.

    They end before the first that lacks what the schema requires.
    """
    complete = list(takewhile(_is_complete, origins))
    openings = (
        f'<originDescription harvestDate="{origin.harvested}" altered="{str(origin.altered).lower()}">'
        f"<baseURL>{text(uri(origin.base_url))}</baseURL><identifier>{text(uri(origin.identifier))}</identifier>"
        f"<datestamp>{origin.datestamp}</datestamp>"
        f"<metadataNamespace>{text(uri(origin.namespace))}</metadataNamespace>"
        for origin in complete
    )
    return "".join((*openings, "</originDescription>" * len(complete)))


def _is_complete(origin: Origin) -> bool:
    dates = all(map(is_date, (origin.harvested, origin.datestamp)))
    return dates and bool(origin.base_url and origin.identifier and origin.namespace)


def is_date(value: str) -> bool:
    """Whether a value is a date that exists, as OAI-PMH writes dates."""
    try:
        return bool(_DATE.fullmatch(value) and datetime.fromisoformat(value))
    except ValueError:
        return False


def _namespace(prefix: str) -> str:
    """Return the namespace of the harvested format, or "" if the prefix is unknown."""
    harvested = format_named(prefix)
    return harvested.namespace if harvested else ""


@lru_cache(maxsize=1024)  # providers name the same few licences
def rights(licence: str) -> str:
    """Return a rights element with the address of a licence, or with its text."""
    opening = f'<rights xmlns="{RIGHTS}" xmlns:xsi="{XSI}" xsi:schemaLocation="{RIGHTS} {RIGHTS[:-1]}.xsd">'
    if _WEB.fullmatch(licence):
        return f"{opening}<rightsReference ref={quoteattr(uri(licence))}/></rights>"
    return f"{opening}<rightsDefinition>{dublin_core(rights=licence)}</rightsDefinition></rights>"


def dublin_core(**texts: str) -> str:
    """Return an oai_dc:dc element with one child per text."""
    elements = "".join(f"<dc:{name}>{text(value)}</dc:{name}>" for name, value in texts.items())
    return (
        f'<oai_dc:dc xmlns:oai_dc="{OAI_REQUIRED.namespace}" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI_REQUIRED.namespace} {OAI_REQUIRED.schema}">{elements}</oai_dc:dc>'
    )
