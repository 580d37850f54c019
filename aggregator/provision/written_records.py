"""On-disk cache of records serialized in a format: serializing takes ten times as long as reading from this cache.

An entry is valid only for the bytes from which it was made (by digest) and for the code that made it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import metadata
from aggregator.catalogue import identity
from aggregator.libraries import items
from core.disk_cache import DiskCache
from harvesting.records.compression import pack_payload, unpack_payload

type Written = dict[int, bytes]  # item -> payload


def load(prefix: str, digests: Mapping[int, bytes]) -> Written:
    """Return the cached payloads that are valid. digests: by item, of what its payload is made from now."""
    return {item: unpack_payload(payload) for item, payload in _CACHE.get_many(prefix, digests).items()}


def store(prefix: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Cache payloads: item, digest, payload."""
    _CACHE.set_many(prefix, [(item, source_digest, pack_payload(payload)) for item, source_digest, payload in rows])


@cache
def code_digest() -> str:
    """Return a digest of the code that serializes records, and of the code that decides what is in them."""
    code_hash = hashlib.blake2b(digest_size=8)
    folder = Path(metadata.__file__).parent
    writers = sorted(path for path in folder.rglob("*") if path.suffix in {".py", ".json"})
    for path in (*writers, Path(identity.__file__), Path(items.__file__)):
        code_hash.update(path.read_bytes())
    return code_hash.hexdigest()


_CACHE = DiskCache("written", code_digest)
