"""The records in a file of samples: one, or those of a list of OAI-PMH."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

METADATA = "{http://www.openarchives.org/OAI/2.0/}metadata"


def payloads_of(path: Path) -> Iterator[bytes]:
    """Yield each record as a provider sends it."""
    content = path.read_bytes()
    found = etree.fromstring(content).findall(f".//{METADATA}/*")
    yield from (etree.tostring(element, with_tail=False) for element in found) if found else (content,)
