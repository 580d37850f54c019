"""On-disk cache of records serialized in a format: serializing takes ten times as long as reading from this cache.

An entry is valid only for the bytes from which it was made (by digest) and for the code that made it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import metadata
from core.disk_cache import DiskCache
from harvesting.records.compression import pack_payload, unpack_payload

type Written = dict[int, bytes]  # item -> payload


def digest(packed: bytes) -> bytes:
    """Return the digest of the bytes from which a payload is made."""
    return hashlib.blake2b(packed, digest_size=12).digest()


def load(prefix: str, items: Mapping[int, bytes]) -> Written:
    """Return the cached payloads that are valid. items: item -> digest of the bytes that the item has now."""
    return {item: unpack_payload(payload) for item, payload in _CACHE.get_many(prefix, items).items()}


def store(prefix: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Cache payloads: item, digest, payload."""
    _CACHE.set_many(prefix, [(item, source_digest, pack_payload(payload)) for item, source_digest, payload in rows])


@cache
def code_digest() -> str:
    """Return a digest of the code that serializes records."""
    code_hash = hashlib.blake2b(digest_size=8)
    folder = Path(metadata.__file__).parent
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".py", ".json"}):
        code_hash.update(path.read_bytes())
    return code_hash.hexdigest()


_CACHE = DiskCache("written", code_digest)
