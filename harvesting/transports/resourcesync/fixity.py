"""Whether what was received is what the source lists: hashes and length (ResourceSync 1.1, section 7). Pure."""

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping
from typing import IO

from metadata.issue import Issue

# Names in lists -> names in hashlib. Others are not known and prove nothing.
ALGORITHMS = {
    "md5": "md5",
    "sha-1": "sha1",
    "sha1": "sha1",
    "sha-256": "sha256",
    "sha256": "sha256",
    "sha-384": "sha384",
    "sha-512": "sha512",
}


def listed_hashes(value: str) -> tuple[tuple[str, bytes], ...]:
    """Pairs of algorithm (as hashlib names it) and digest; b"" for a digest that cannot be one, "" for an algorithm
    that is not known."""
    return tuple(_pair(token) for token in value.split())


def check(data: bytes, attributes: Mapping[str, str], sent_length: str = "") -> tuple[Issue, ...]:
    """What speaks against the data: rs.E001 (a hash), rs.W001 (the length only), rs.W002 (a hash nobody can check).

    attributes: of the rs:md or rs:ln that lists it. sent_length: the Content-Length, which counts packed bytes where
    a server packs on the way, and may be what the list means.
    """
    hashes = list(_hash_issues(data, attributes.get("hash", "")))
    return tuple(hashes) + tuple(_length_issues(len(data), attributes.get("length", ""), sent_length))


def check_stream(stream: IO[bytes], attributes: Mapping[str, str]) -> str:
    """The hashes that a large file contradicts, in words, "" for none. The stream ends at its start.

    The length is not asked: a package has check sums of its own.
    """
    sums = [
        (hashlib.new(name, usedforsecurity=False), digest)
        for name, digest in listed_hashes(attributes.get("hash", ""))
        if name and digest
    ]
    stream.seek(0)
    while sums and (chunk := stream.read(1024 * 1024)):
        for found, _ in sums:
            found.update(chunk)
    stream.seek(0)
    return "; ".join(
        f"{found.name} {digest.hex()} ≠ {found.hexdigest()}" for found, digest in sums if found.digest() != digest
    )


def _hash_issues(data: bytes, listed: str) -> Iterator[Issue]:
    for token, (algorithm, digest) in zip(listed.split(), listed_hashes(listed), strict=True):
        if not algorithm or not digest:
            yield Issue(code="rs.W002", field="rs:md/@hash", value=token[:200])
            continue
        found = hashlib.new(algorithm, data, usedforsecurity=False).digest()
        if found != digest:
            yield Issue(code="rs.E001", field="rs:md/@hash", value=f"{token[:150]} ≠ {found.hex()}")


def _length_issues(found: int, listed: str, sent_length: str) -> Iterator[Issue]:
    listed = listed.strip()
    if listed.isascii() and listed.isdigit() and len(listed) < 19 and int(listed) not in {found, _number(sent_length)}:
        yield Issue(code="rs.W001", field="rs:md/@length", value=f"{listed} ≠ {found}")


def _pair(token: str) -> tuple[str, bytes]:
    name, _, text = token.partition(":")
    algorithm = ALGORITHMS.get(name.strip().lower(), "")
    if not algorithm:
        return "", b""
    size = hashlib.new(algorithm, usedforsecurity=False).digest_size
    return algorithm, next((each for each in _decodings(text) if len(each) == size), b"")


def _decodings(text: str) -> Iterator[bytes]:
    """Hexadecimal, as section 7 says; base64, as some of its own examples have it."""
    try:
        yield bytes.fromhex(text)
    except ValueError:
        try:
            yield base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
        except binascii.Error:
            return


def _number(text: str) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
