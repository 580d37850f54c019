"""The bytes of a resource: the canonical record as DC-NDL. Pure."""

from hashlib import sha256

from aggregator.provision.resourcesync.naming import PREFIX
from harvesting.records.compression import unpack_record
from metadata.formats import CROSSWALKS


def written(packed: bytes) -> bytes:
    """What stands under a resource's address, in its package, and what its hash and length are of."""
    return CROSSWALKS[PREFIX].write(unpack_record(packed))


def measured(packed: bytes) -> tuple[int, bytes]:
    """Length and SHA-256 of what is written."""
    body = written(packed)
    return len(body), sha256(body).digest()
