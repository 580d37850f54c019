"""A form in which records are written: as one of the formats, or for reference managers and search engines."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from metadata.record import BibliographicRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """One form in which records are written. name: its metadataPrefix, or its name in the API.

    ending: the file extension, without its first dot, also used in URLs. namespace, schema: as OAI-PMH's
    ListMetadataFormats names them; "" for a form that is not XML. accepted: further media types that clients ask for.
    oai: OAI-PMH gives records in this form. books: every book has an address in this form, and SRU gives it.
    download: browsers save it instead of showing it; it is meant for reference managers. sru: identifiers of the record
    schema in SRU besides the namespace, the one in responses first. join: makes one document of several.
    """

    name: str
    label: str
    write: Callable[[BibliographicRecord], bytes]
    media_type: str = "application/xml"
    ending: str = "xml"
    namespace: str = ""
    schema: str = ""
    accepted: tuple[str, ...] = ()
    oai: bool = False
    books: bool = False
    download: bool = False
    sru: tuple[str, ...] = ()
    join: Callable[[Iterable[bytes]], bytes] = b"\n".join
