"""Reading one response body: whole, decoded and within its budget, or an error. Knows no addresses or policy.

requests decodes gzip too, but takes a stream that was cut short for a shorter body.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from harvesting.types import TransportError

CHUNK = 64 * 1024
SLICE = 32 * 1024  # compressed bytes at once: what follows a finished member is copied, thousands of times in a bomb
# "<", a byte order mark, white space: XML, whatever a header such as "Content-Encoding: UTF-8" says.
PLAIN_STARTS = frozenset({b"<", b"\xef", b"\xfe", b"\xff", b" ", b"\n", b"\r", b"\t"})
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """What the headers say of a body, and what is allowed.

    encoding: Content-Encoding, lower case. length: Content-Length, -1 = not given. budget: bytes after decoding.
    gzip_file: the resource is itself a gzip file, which is handed on as it is.
    """

    encoding: str = ""
    length: int = -1
    budget: int
    gzip_file: bool = False


class Decoder(Protocol):
    found: str

    def decode(self, data: bytes) -> Iterator[bytes]:
        """What this data holds, in pieces of bounded size, so that a bomb can be left unexploded."""

    def finish(self) -> None:
        """Raise BodyError if the stream is not complete."""


class Plain:
    """Identity encoding."""

    found = ""

    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        return


class Inflate:
    """gzip (also several members, RFC 1952 section 2.2), zlib and raw deflate streams."""

    def __init__(self, window: int) -> None:
        self.found = "gzip" if window > zlib.MAX_WBITS else "deflate"
        self._window = window
        self._stream = zlib.decompressobj(window)

    def decode(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), SLICE):
            yield from self._decode(data[start : start + SLICE])

    def _decode(self, data: bytes) -> Iterator[bytes]:
        pending = True
        while data or pending:
            if self._stream.eof:
                if data[:1] != GZIP_MAGIC[:1]:
                    return  # padding after the end
                self._stream = zlib.decompressobj(self._window)
            piece = self._inflate(data)
            yield piece
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            pending = len(piece) == CHUNK  # there may be more of it, although all input is taken

    def _inflate(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, CHUNK)
        except zlib.error as error:
            raise BodyError("net.encoding", str(error), permanent=False) from error

    def finish(self) -> None:
        if not self._stream.eof:
            raise BodyError("net.truncated", "compressed stream without its end", permanent=False)


def choose_decoder(framing: Framing, start: bytes) -> Decoder:
    """By what the first bytes are; the header is believed only where they do not tell.

    Servers say gzip and send plain text, and send gzip unasked and unsaid (seen with real providers).
    """
    if start.startswith(GZIP_MAGIC):
        return Plain() if framing.gzip_file else Inflate(16 + zlib.MAX_WBITS)
    if framing.encoding == "deflate":
        has_header = len(start) >= 2 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
        return Inflate(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    if framing.encoding in {"", "identity", "gzip", "x-gzip"} or start[:1] in PLAIN_STARTS:
        return Plain()
    raise BodyError("net.encoding", f"unknown Content-Encoding {framing.encoding[:40]}", permanent=True)


def read_body(read: Callable[[int], bytes], write: Callable[[bytes], object], framing: Framing) -> str:
    """Hand the decoded body to `write`, chunk by chunk. Returns the encoding it really had: "gzip", "deflate" or "".

    read: as of a file. BodyError where the body is not complete, not readable or over the budget; what has been
    written by then is of no use.
    """
    if framing.length > framing.budget:
        raise _too_large(framing.budget)
    received = 0
    room = framing.budget
    decoder: Decoder | None = None
    for chunk in _chunks(read):
        received += len(chunk)
        decoder = decoder or choose_decoder(framing, chunk[:2])
        if received > framing.budget + CHUNK:  # a stream of empty gzip members never fills the room
            raise _too_large(framing.budget)
        for piece in decoder.decode(chunk):
            room -= len(piece)
            if room < 0:
                raise _too_large(framing.budget)
            write(piece)
    if framing.length not in {-1, received}:
        raise BodyError("net.truncated", f"{received} of {framing.length} bytes", permanent=False)
    if decoder is None:
        return ""
    decoder.finish()
    return decoder.found


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
