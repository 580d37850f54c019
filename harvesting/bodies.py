"""Reading one response body: whole, decoded and within its budget, or an error. Knows no addresses or policy.

requests decodes gzip too, but takes a stream that was cut short for a shorter body.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from harvesting.transports.base import TransportError

CHUNK = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"


class BodyError(Exception):
    """code and permanent as in TransportError; the caller knows the URL."""

    def __init__(self, code: str, reason: str, *, permanent: bool) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.permanent = permanent

    def at(self, url: str) -> TransportError:
        return TransportError(f"{url}: {self}", self.code, permanent=self.permanent, url=url, reason=self.reason)


class Decoder(Protocol):
    def decode(self, data: bytes, room: int) -> bytes:
        """At most room + 1 bytes, so that going over the budget is seen without unpacking it all."""

    def finish(self) -> None:
        """Raise BodyError if the stream is not complete."""


class Plain:
    """Identity encoding."""

    def decode(self, data: bytes, room: int) -> bytes:
        return data

    def finish(self) -> None:
        return


class Inflate:
    """gzip (also several members, RFC 1952 section 2.2), zlib and raw deflate streams."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window)

    def decode(self, data: bytes, room: int) -> bytes:
        parts = []
        while data:
            if self._stream.eof:
                if data[:1] != GZIP_MAGIC[:1]:
                    break  # padding after the end
                self._stream = zlib.decompressobj(self._window)
            parts.append(self._inflate(data, room + 1))
            room -= len(parts[-1])
            if room < 0:
                break
            data = self._stream.unused_data
        return b"".join(parts)

    def _inflate(self, data: bytes, most: int) -> bytes:
        try:
            return self._stream.decompress(data, most)
        except zlib.error as error:
            raise BodyError("net.encoding", str(error), permanent=False) from error

    def finish(self) -> None:
        if not self._stream.eof:
            raise BodyError("net.truncated", "compressed stream without its end", permanent=False)


def choose_decoder(encoding: str, start: bytes) -> Decoder:
    """By what the first bytes are; the header is believed only where they do not tell.

    Servers say gzip and send plain text, and send gzip unasked and unsaid (seen with real providers).
    """
    if start.startswith(GZIP_MAGIC):
        return Inflate(16 + zlib.MAX_WBITS)
    if encoding == "deflate":
        has_header = len(start) >= 2 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
        return Inflate(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    if encoding in {"", "identity", "gzip", "x-gzip"}:
        return Plain()
    raise BodyError("net.encoding", f"unknown Content-Encoding {encoding[:40]}", permanent=True)


def read_body(read: Callable[[int], bytes], encoding: str, length: int | None, budget: int) -> bytes:
    """The decoded body. read: as of a file; length: Content-Length; budget: bytes after decoding."""
    if length is not None and length > budget:
        raise _too_large(budget)
    received = 0
    parts: list[bytes] = []
    room = budget
    decoder: Decoder | None = None
    for chunk in _chunks(read):
        received += len(chunk)
        decoder = decoder or choose_decoder(encoding, chunk[:2])
        parts.append(decoder.decode(chunk, room))
        room -= len(parts[-1])
        if room < 0:
            raise _too_large(budget)
    if length is not None and received != length:
        raise BodyError("net.truncated", f"{received} of {length} bytes", permanent=False)
    if decoder:
        decoder.finish()
    return b"".join(parts)


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Never fewer than two bytes at first, or the kind of stream cannot be told."""
    first = read(CHUNK)
    if len(first) == 1:
        first += read(CHUNK)
    while first:
        yield first
        first = read(CHUNK)


def _too_large(budget: int) -> BodyError:
    return BodyError("net.too_large", f"more than {budget} bytes", permanent=True)
