"""The bytes of a resource: the canonical record as DC-NDL. No database access."""

from hashlib import sha256

from aggregator.provision.resourcesync.naming import PREFIX
from harvesting.records.compression import unpack_record
from metadata.formats import CROSSWALKS


def serialize(packed: bytes) -> bytes:
    """Return the bytes of a resource, as served at its address and contained in packages."""
    return CROSSWALKS[PREFIX].write(unpack_record(packed))


def length_and_digest(packed: bytes) -> tuple[int, bytes]:
    """Return length and SHA-256 of the bytes of a resource."""
    body = serialize(packed)
    return len(body), sha256(body).digest()
