"""Records that were written once in a format, kept on this machine, so that the next who asks is answered sooner.

Writing a record costs ten times what reading it here does. What is kept is good only for the very bytes that it was
written from, and for the code that wrote it.
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
    """Of what a payload is written from."""
    return hashlib.blake2b(packed, digest_size=12).digest()


def recall(prefix: str, items: Mapping[int, bytes]) -> Written:
    """What is kept of these items. items: with the digest of what they would be written from now."""
    return {item: unpack_payload(payload) for item, payload in _KEPT.recall(prefix, items).items()}


def keep(prefix: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Keep payloads: item, digest, payload."""
    _KEPT.keep(prefix, [(item, seen, pack_payload(payload)) for item, seen, payload in rows])


@cache
def code() -> str:
    """Another one for other code that writes."""
    found = hashlib.blake2b(digest_size=8)
    folder = Path(metadata.__file__).parent
    for path in sorted(each for each in folder.rglob("*") if each.suffix in {".py", ".json"}):
        found.update(path.read_bytes())
    return found.hexdigest()


_KEPT = DiskCache("written", code)
