"""The bytes of a resource: the redistributed record as DC-NDL. No database access."""

from hashlib import sha256

from metadata.formats import TARGET
from metadata.record import BibliographicRecord


def serialize(record: BibliographicRecord) -> bytes:
    """Return the bytes of a resource, as served at its address and contained in packages."""
    return TARGET.write(record)


def length_and_digest(record: BibliographicRecord) -> tuple[int, bytes]:
    """Return length and SHA-256 of the bytes of a resource."""
    body = serialize(record)
    return len(body), sha256(body).digest()
