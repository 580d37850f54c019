"""Checks resources against the hashes and lengths in the lists (ResourceSync 1.1, section 7). Pure functions."""

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping
from typing import IO

from metadata.issue import Issue

# Names in lists -> names in hashlib. A hash of another algorithm cannot be checked.
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
    """Return pairs of algorithm (named as in hashlib) and digest.

    The algorithm is "" if it is unknown; the digest is b"" if it is invalid.
    """
    return tuple(_algorithm_and_digest(token) for token in value.split())


def check_data(data: bytes, attributes: Mapping[str, str], sent_length: str = "") -> tuple[Issue, ...]:
    """Return issues of the data: rs.E001 (wrong hash), rs.W001 (wrong length), rs.W002 (hash that cannot be checked).

    attributes: of the rs:md or rs:ln that lists the resource. sent_length: the Content-Length, which counts compressed
    bytes if the server compresses the response; the list may give that length.
    """
    hashes = list(_hash_issues(data, attributes.get("hash", "")))
    return tuple(hashes) + tuple(_length_issues(len(data), attributes.get("length", ""), sent_length))


def check_stream(stream: IO[bytes], attributes: Mapping[str, str]) -> str:
    """Return a text about the wrong hashes of a large file, "" if all are right. Rewinds the stream.

    The length is not checked, because a package has checksums of its own.
    """
    hashers = [
        (hashlib.new(name, usedforsecurity=False), digest)
        for name, digest in listed_hashes(attributes.get("hash", ""))
        if name and digest
    ]
    stream.seek(0)
    while hashers and (chunk := stream.read(1024 * 1024)):
        for hasher, _ in hashers:
            hasher.update(chunk)
    stream.seek(0)
    return "; ".join(
        f"{hasher.name} {digest.hex()} ≠ {hasher.hexdigest()}"
        for hasher, digest in hashers
        if hasher.digest() != digest
    )


def _hash_issues(data: bytes, listed: str) -> Iterator[Issue]:
    for token, (algorithm, digest) in zip(listed.split(), listed_hashes(listed), strict=True):
        if not algorithm or not digest:
            yield Issue(code="rs.W002", field="rs:md/@hash", value=token[:200])
            continue
        actual = hashlib.new(algorithm, data, usedforsecurity=False).digest()
        if actual != digest:
            yield Issue(code="rs.E001", field="rs:md/@hash", value=f"{token[:150]} ≠ {actual.hex()}")


def _length_issues(actual: int, listed: str, sent_length: str) -> Iterator[Issue]:
    listed = listed.strip()
    if listed.isascii() and listed.isdigit() and len(listed) < 19 and int(listed) not in {actual, _number(sent_length)}:
        yield Issue(code="rs.W001", field="rs:md/@length", value=f"{listed} ≠ {actual}")


def _algorithm_and_digest(token: str) -> tuple[str, bytes]:
    name, _, text = token.partition(":")
    algorithm = ALGORITHMS.get(name.strip().lower(), "")
    if not algorithm:
        return "", b""
    size = hashlib.new(algorithm, usedforsecurity=False).digest_size
    return algorithm, next((candidate for candidate in _decodings(text) if len(candidate) == size), b"")


def _decodings(text: str) -> Iterator[bytes]:
    """Yield the digest decoded as hexadecimal, as section 7 requires, else as base64, as in some of its examples."""
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
