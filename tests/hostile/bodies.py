"""Hostile HTTP responses. Each case writes a whole response to a socket."""

# ruff: noqa: E501  (a table with one case per line)

import gzip
import time
import zlib
from collections.abc import Callable
from typing import BinaryIO

type Writer = Callable[[BinaryIO], None]

LIMIT = 1024 * 1024  # bytes that the client allows
DEADLINE = 2.0
HEAD = b"HTTP/1.1 200 OK\r\n"
GZIP = HEAD + b"Content-Encoding: gzip\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ZEROS = bytes(64 * 1024)
BOMB = gzip.compress(bytes(200 * LIMIT), 1)
TWICE = gzip.compress(BOMB, 9)
SMALL = gzip.compress(b"<a/>" * 200)


def once(*parts: bytes) -> Writer:
    def write(out: BinaryIO) -> None:
        for part in parts:
            out.write(part)

    return write


def endless(start: bytes, part: bytes, pause: float = 0.0) -> Writer:
    def write(out: BinaryIO) -> None:
        out.write(start)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            out.write(part)
            out.flush()
            time.sleep(pause)

    return write


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


# (case, what the server does, allowed error codes; "" if a body may be returned)
BODIES: list[tuple[str, Writer, set[str]]] = [
    ("endless body without length", endless(HEAD + b"\r\n", ZEROS), {"net.too_large"}),
    ("endless chunks", endless(CHUNKED, chunk(ZEROS)), {"net.too_large"}),
    ("endless tiny chunks", endless(CHUNKED, chunk(b"x") * 1000), {"net.too_large", "net.timeout"}),
    ("endless body of a failure", endless(b"HTTP/1.1 500 Oops\r\n\r\n", ZEROS), {"net.too_large"}),
    ("huge length announced", once(HEAD, b"Content-Length: 99999999999\r\n\r\n"), {"net.too_large"}),
    ("length of thousands of digits", once(HEAD, b"Content-Length: " + b"9" * 9000 + b"\r\n\r\nx"), {"net.headers", ""}),
    ("negative length", once(HEAD, b"Content-Length: -5\r\n\r\nshort"), {""}),
    ("two lengths", once(HEAD, b"Content-Length: 5\r\nContent-Length: 500\r\n\r\nshort"), {"net.truncated"}),
    ("length too long", once(HEAD, b"Content-Length: 500\r\n\r\nshort"), {"net.truncated"}),
    ("length too short", once(HEAD, b"Content-Length: 5\r\n\r\nlonger than that"), {""}),
    ("length and chunks", once(HEAD, b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(b"hello"), b"0\r\n\r\n"), {""}),
    ("no last chunk", once(CHUNKED, chunk(b"hello")), {"net.truncated"}),
    ("chunk cut short", once(CHUNKED, b"ffff\r\nshort"), {"net.truncated"}),
    ("chunk size that is none", once(CHUNKED, b"zz\r\nhello\r\n0\r\n\r\n"), {"net.truncated"}),
    ("negative chunk size", once(CHUNKED, b"-5\r\nhello\r\n0\r\n\r\n"), {"net.truncated", ""}),
    ("chunk size beyond all", once(CHUNKED, b"f" * 60 + b"\r\nhello"), {"net.truncated"}),
    ("chunk size without end", endless(CHUNKED, b"0" * 4096), {"net.truncated", "net.timeout", "net.headers"}),
    ("chunk extension without end", endless(CHUNKED + b"5;", b"x" * 4096), {"net.truncated", "net.timeout", "net.headers"}),
    ("trailers without end", endless(CHUNKED + chunk(b"hello") + b"0\r\n", b"X-Trailer: 1\r\n" * 100), {"net.timeout", "net.truncated", ""}),
    ("headers without end", endless(HEAD, b"X-A: b\r\n" * 10), {"net.headers"}),
    ("one header without end", endless(HEAD + b"X-A: ", b"x" * 4096), {"net.headers"}),
    ("status line without end", endless(b"HTTP/1.1 200 ", b"x" * 4096), {"net.headers", "net.truncated"}),
    ("a hundred thousand headers", once(HEAD, b"X-A: b\r\n" * 100_000, b"\r\n"), {"net.headers"}),
    ("100 Continue without end", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), {"net.timeout"}),
    ("slow 100 Continue", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.1), {"net.timeout"}),
    ("slow headers", endless(HEAD, b"X-A: b\r\n", 0.1), {"net.timeout"}),
    ("slow header of single bytes", endless(HEAD, b"x", 0.05), {"net.timeout"}),
    ("slow body", endless(HEAD + b"\r\n", b"x", 0.05), {"net.timeout"}),
    ("slow body with length", endless(HEAD + b"Content-Length: 5000\r\n\r\n", b"x", 0.05), {"net.timeout"}),
    ("slow chunks", endless(CHUNKED, chunk(b"x"), 0.05), {"net.timeout"}),
    ("slow gzip", endless(GZIP + SMALL[:10], b"\0", 0.05), {"net.timeout", "net.encoding"}),
    ("silence", endless(b"", b"", 0.2), {"net.timeout"}),
    ("silence after the headers", endless(HEAD + b"Content-Length: 10\r\n\r\n", b"", 0.2), {"net.timeout"}),
    ("nothing", once(b""), {"net.truncated"}),
    ("not HTTP", once(b"SSH-2.0-OpenSSH_9.2\r\n"), {"net.truncated"}),
    ("half a status line", once(b"HTTP/1."), {"net.truncated"}),
    ("status that is no number", once(b"HTTP/1.1 abc OK\r\n\r\n"), {"net.truncated"}),
    ("status of six digits", once(b"HTTP/1.1 200200 OK\r\n\r\nx"), {"net.truncated"}),
    ("gzip bomb", once(GZIP, BOMB), {"net.too_large"}),
    ("gzip bomb unsaid", once(HEAD, b"\r\n", BOMB), {"net.too_large"}),
    ("gzip bomb in chunks", once(CHUNKED, chunk(BOMB), b"0\r\n\r\n"), {"net.too_large"}),
    ("gzip in gzip", once(GZIP, TWICE), {"", "net.too_large"}),
    ("gzip three times said", once(HEAD, b"Content-Encoding: gzip, gzip, gzip\r\n\r\n", gzip.compress(TWICE)), {"", "net.encoding"}),
    ("empty gzip members without end", endless(GZIP, gzip.compress(b"") * 2000), {"net.too_large", "net.timeout"}),
    ("deflate bomb", once(HEAD, b"Content-Encoding: deflate\r\n\r\n", zlib.compress(bytes(200 * LIMIT), 1)), {"net.too_large"}),
    ("gzip cut short", once(GZIP, SMALL[:-9]), {"net.truncated"}),
    ("gzip without its check sum", once(GZIP, SMALL[:-8]), {"net.truncated"}),
    ("gzip with a wrong check sum", once(GZIP, SMALL[:-8] + b"\0" * 8), {"net.encoding"}),
    ("gzip with a wrong length", once(GZIP, SMALL[:-4] + b"\xff" * 4), {"net.encoding"}),
    ("gzip and rubbish", once(GZIP, SMALL, b"rubbish" * 100), {""}),
    ("gzip and a gzip start", once(GZIP, SMALL, b"\x1f\x8b"), {"net.truncated"}),
    ("gzip header with an endless name", endless(GZIP + b"\x1f\x8b\x08\x08\0\0\0\0\0\x03", b"x" * 4096), {"net.too_large"}),
    ("unknown encoding", once(HEAD, b"Content-Encoding: br\r\n\r\nxyz"), {"net.encoding"}),
    ("encoding of a thousand names", once(HEAD, b"Content-Encoding: " + b"gzip," * 1000 + b"\r\n\r\nx"), {"net.encoding", "net.truncated"}),
    ("redirect with an endless body", endless(b"HTTP/1.1 302 F\r\nLocation: ftp://a/\r\n\r\n", ZEROS), {"net.bad_url"}),
    ("redirect with a bomb", once(b"HTTP/1.1 302 F\r\nContent-Encoding: gzip\r\nLocation: ftp://a/\r\n\r\n", BOMB), {"net.bad_url"}),
    ("redirect to a huge address", once(b"HTTP/1.1 302 F\r\nLocation: /" + b"x" * 60_000 + b"\r\n\r\n"), {"net.redirects", "net.headers"}),
    ("redirect to control characters", once(b"HTTP/1.1 302 F\r\nLocation: /\x01\x02\xff\xfe\r\n\r\n"), {"net.redirects"}),
]  # fmt: skip
