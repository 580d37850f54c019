"""On-disk cache of records serialized in a format: serializing takes ten times as long as reading from this cache.

An entry is valid only for the bytes from which it was made (by digest) and for the code that made it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from django.core.cache import caches

import metadata
from aggregator.catalogue import identity
from aggregator.libraries import items
from harvesting.records.compression import document_packer, unpack_payload

CACHE = "written"  # in settings.CACHES

type Written = dict[int, bytes]  # item -> payload


def load(kept_as: str, digests: Mapping[int, bytes]) -> Written:
    """Return the cached payloads that are valid.

    kept_as: the name under which they were stored. digests: by item, of what its payload is made from now.
    """
    item_of = {_key(kept_as, item, digest): item for item, digest in digests.items()}
    found = caches[CACHE].get_many(item_of)
    return {item_of[key]: unpack_payload(payload) for key, payload in found.items()}


def store(kept_as: str, prefix: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Cache payloads. kept_as, digest: as for `load`. prefix: the format. rows: (item, digest, payload)."""
    pack = document_packer(prefix)
    packed = {_key(kept_as, item, digest): pack(payload) for item, digest, payload in rows}
    caches[CACHE].set_many(packed)


def _key(kept_as: str, item: int, digest: bytes) -> str:
    return f"{code_digest()}-{kept_as.replace(' ', '-')}-{item}-{digest.hex()}"


@cache
def code_digest() -> str:
    """Return a digest of the code that serializes records, and of the code that decides what is in them."""
    code_hash = hashlib.blake2b(digest_size=8)
    folder = Path(metadata.__file__).parent
    writers = sorted(path for path in folder.rglob("*") if path.suffix in {".py", ".json"})
    for path in (*writers, Path(identity.__file__), Path(items.__file__)):
        code_hash.update(path.read_bytes())
    return code_hash.hexdigest()
