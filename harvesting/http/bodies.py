"""Reads one response body: complete, decoded and within its byte budget, or a BodyError. No addresses and no policy.

requests could decode gzip too, but accepts a truncated stream as a shorter body.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from harvesting.types import TransportError

CHUNK = 64 * 1024
# Compressed bytes per call of zlib, which copies the rest of its input after each gzip member: that would be expensive
# in a bomb of thousands of tiny members.
INPUT_SLICE = 32 * 1024
# "<", a byte order mark or white space: plain text such as XML, even under a header "Content-Encoding: UTF-8".
PLAIN_STARTS = frozenset({b"<", b"\xef", b"\xfe", b"\xff", b" ", b"\n", b"\r", b"\t"})
GZIP_MAGIC = b"\x1f\x8b"


class BodyError(Exception):
    """A failure to read a body. code, permanent: as in TransportError, which the caller makes of it with the URL."""

    def __init__(self, code: str, reason: str, *, permanent: bool) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.permanent = permanent

    def as_transport_error(self, url: str) -> TransportError:
        return TransportError(f"{url}: {self}", self.code, permanent=self.permanent, url=url, reason=self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """What the headers announce about a body, and how large it may be.

    encoding: Content-Encoding, lower case. length: Content-Length, -1 = not given. budget: maximum of decoded bytes.
    gzip_file: the resource is itself a gzip file, which is passed on without decoding.
    """

    encoding: str = ""
    length: int = -1
    budget: int
    gzip_file: bool = False


class Decoder(Protocol):
    encoding_found: str

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded data in pieces of bounded size, so that a bomb is noticed before it fills the memory."""

    def finish(self) -> None:
        """Raise BodyError if the stream is not complete."""


class IdentityDecoder:
    """The identity encoding: passes data on unchanged."""

    encoding_found = ""

    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        return


class InflateDecoder:
    """Decodes gzip (also of several members, RFC 1952 section 2.2), zlib and raw deflate streams.

    window: wbits as of `zlib.decompressobj`.
    """

    def __init__(self, window: int) -> None:
        self.encoding_found = "gzip" if window > zlib.MAX_WBITS else "deflate"
        self._window = window
        self._stream = zlib.decompressobj(window)

    def decode(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), INPUT_SLICE):
            yield from self._decode(data[start : start + INPUT_SLICE])

    def _decode(self, data: bytes) -> Iterator[bytes]:
        more_output = True
        while data or more_output:
            if self._stream.eof:
                if data[:1] != GZIP_MAGIC[:1]:
                    return  # padding after the end of the stream
                self._stream = zlib.decompressobj(self._window)
            piece = self._inflate(data)
            yield piece
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            more_output = len(piece) == CHUNK  # zlib may hold more output although it has consumed all input

    def _inflate(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, CHUNK)
        except zlib.error as error:
            raise BodyError("net.encoding", str(error), permanent=False) from error

    def finish(self) -> None:
        if not self._stream.eof:
            raise BodyError("net.truncated", "compressed stream without its end", permanent=False)


def choose_decoder(framing: Framing, start: bytes) -> Decoder:
    """Choose the decoder by the first bytes of the body, and by the header only where they are ambiguous.

    Real providers declare gzip and send plain text, or send gzip without declaring it.
    """
    if start.startswith(GZIP_MAGIC):
        return IdentityDecoder() if framing.gzip_file else InflateDecoder(16 + zlib.MAX_WBITS)
    if framing.encoding == "deflate":
        has_header = len(start) >= 2 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
        return InflateDecoder(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    if framing.encoding in {"", "identity", "gzip", "x-gzip"} or start[:1] in PLAIN_STARTS:
        return IdentityDecoder()
    raise BodyError("net.encoding", f"unknown Content-Encoding {framing.encoding[:40]}", permanent=True)


def read_body(read: Callable[[int], bytes], write: Callable[[bytes], object], framing: Framing) -> str:
    """Pass the decoded body to `write` in chunks. Return the encoding that it really had: "gzip", "deflate" or "".

    read: as `read` of a file. BodyError if the body is incomplete, unreadable or over the budget; what has been
    written by then must be discarded.
    """
    if framing.length > framing.budget:
        raise _too_large(framing.budget)
    received = 0
    remaining = framing.budget
    decoder: Decoder | None = None
    for chunk in _chunks(read):
        received += len(chunk)
        decoder = decoder or choose_decoder(framing, chunk[:2])
        if received > framing.budget + CHUNK:  # empty gzip members add no decoded bytes
            raise _too_large(framing.budget)
        for piece in decoder.decode(chunk):
            remaining -= len(piece)
            if remaining < 0:
                raise _too_large(framing.budget)
            write(piece)
    if framing.length not in {-1, received}:
        raise BodyError("net.truncated", f"{received} of {framing.length} bytes", permanent=False)
    if decoder is None:
        return ""
    decoder.finish()
    return decoder.encoding_found


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the chunks; the first has at least two bytes (if there are two), which identify the kind of stream."""
    first = read(CHUNK)
    if len(first) == 1:
        first += read(CHUNK)
    while first:
        yield first
        first = read(CHUNK)


def _too_large(budget: int) -> BodyError:
    return BodyError("net.too_large", f"more than {budget} bytes", permanent=True)
