"""Downloads the official XSD schemas into a folder: each is fetched, checked, then replaced atomically.

http://host/path becomes host/path in the folder, where `metadata.validation.xsd.folder` looks for it.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lxml import etree

from harvesting.http.fetch import Fetcher
from harvesting.types import TransportError
from metadata.formats import FORMATS
from metadata.validation.xsd.folder import MAX_FILE_BYTES
from metadata.xml.parsing import PARSER_OPTIONS

_SCHEMA = "{http://www.w3.org/2001/XMLSchema}schema"


class State(StrEnum):
    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Result:
    """The result for one address. error: why it failed; the earlier file then stays."""

    address: str
    path: Path
    state: State
    error: TransportError | None = None


def xsd_addresses() -> list[str]:
    """The addresses of the official schemas of all formats."""
    return list(dict.fromkeys(address for known in FORMATS.values() for address in known.xsd_addresses))


def relative_path(address: str) -> Path:
    """The path of an address inside the folder."""
    return Path(re.sub(r"^https?://", "", address))


def fetch_all(fetcher: Fetcher, folder: Path, mirror: str = "") -> Iterator[Result]:
    """Fetch every address and yield the results. mirror: a URL below which the files lie as host/path."""
    for address in xsd_addresses():
        place = relative_path(address)
        url = f"{mirror.rstrip('/')}/{place.as_posix()}" if mirror else address
        path = folder / place
        try:
            state = replace_file(path, _schema(fetcher, url))
        except TransportError as error:
            yield Result(address, path, State.FAILED, error)
        else:
            yield Result(address, path, state)


def replace_file(path: Path, data: bytes) -> State:
    """Replace a file atomically: readers see either the old content or the new, never a part."""
    known = path.read_bytes() if path.is_file() else None
    if known == data:
        return State.UNCHANGED
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_bytes(data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return State.NEW if known is None else State.REPLACED


def _schema(fetcher: Fetcher, url: str) -> bytes:
    """Fetch a schema. Raises TransportError, with the code "schema.none" if the response is no XSD."""
    data = fetcher.fetch(url, max_bytes=MAX_FILE_BYTES).checked().body
    try:
        root = etree.fromstring(data, etree.XMLParser(**PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise TransportError("no XML", "schema.none", permanent=True, url=url, reason=str(error)[:200]) from error
    if root.tag != _SCHEMA:
        raise TransportError("no schema", "schema.none", permanent=True, url=url, reason=f"<{root.tag}>"[:200])
    return data
