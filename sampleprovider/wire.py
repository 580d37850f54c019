"""Replies that violate HTTP: cut off, trickled, with a wrong length or content coding. Opens no sockets.

A function either sends a reply over the open connection, or changes a reply.
"""

import gzip
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from http import HTTPStatus

from sampleprovider.replies import Connection, Reply, Request

BLOCK = b" " * 65536
PAUSE = 0.2  # seconds between two bytes; short enough that no single read times out
PATIENCE = 120.0  # seconds after which a hanging connection is closed
BOMB = 256 * 1024 * 1024  # size of the body after decompression, in bytes


def head(reply: Reply, *extra: str) -> bytes:
    """Return status line and headers without a length. extra: more header lines."""
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", f"Content-Type: {reply.content_type}"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    return "\r\n".join([*lines, *extra, "Connection: close", "", ""]).encode("latin-1", "replace")


def sent_by(wire: Callable[[Reply, Connection], None]) -> Callable[[Request, Reply], Reply]:
    """Return a change that lets `wire` send the reply over the open connection."""
    return lambda request, reply: replace(reply, wire=wire)


def cut(reply: Reply, connection: Connection) -> None:
    """The body is shorter than Content-Length says."""
    connection.write(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) * 2 // 3])


def cut_chunks(reply: Reply, connection: Connection) -> None:
    """Chunked, but the connection ends before the last chunk."""
    part = reply.body[: len(reply.body) * 2 // 3]
    connection.write(head(reply, "Transfer-Encoding: chunked") + f"{len(part):x}\r\n".encode() + part + b"\r\n")


def chunks(reply: Reply, connection: Connection) -> None:
    """Correctly chunked, in small chunks."""
    connection.write(head(reply, "Transfer-Encoding: chunked"))
    for start in range(0, len(reply.body), 1000):
        piece = reply.body[start : start + 1000]
        connection.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    connection.write(b"0\r\n\r\n")


def until_close(reply: Reply, connection: Connection) -> None:
    """Without a length, as in HTTP/1.0: the body ends with the connection."""
    connection.write(head(reply) + reply.body)


def reset(reply: Reply, connection: Connection) -> None:
    """The connection is reset in the middle of the body."""
    connection.write(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) // 2])
    connection.reset()


def reset_at_once(reply: Reply, connection: Connection) -> None:
    """The connection is reset before a byte is sent."""
    connection.reset()


def closed_at_once(reply: Reply, connection: Connection) -> None:
    """The connection is closed before a byte is sent."""


def trickle(reply: Reply, connection: Connection) -> None:
    """The body is sent one byte at a time, very slowly."""
    connection.write(head(reply, f"Content-Length: {len(reply.body)}"))
    for start in range(min(len(reply.body), int(PATIENCE / PAUSE))):
        connection.write(reply.body[start : start + 1])
        connection.wait(PAUSE)


def slow_head(reply: Reply, connection: Connection) -> None:
    """The headers are sent one byte at a time."""
    for start in range(int(PATIENCE / PAUSE)):
        connection.write(head(reply)[start : start + 1] or b"x")
        connection.wait(PAUSE)


def hang(reply: Reply, connection: Connection) -> None:
    """The request is accepted, but there is no reply."""
    connection.wait(PATIENCE)


def stall(reply: Reply, connection: Connection) -> None:
    """Half of the body is sent, then nothing more."""
    connection.write(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) // 2])
    connection.wait(PATIENCE)


def endless(reply: Reply, connection: Connection) -> None:
    """The body does not end; it grows beyond every limit."""
    connection.write(head(reply) + reply.body[: len(reply.body) // 2])
    for _ in range(4 * BOMB // len(BLOCK)):
        connection.write(BLOCK)


def only_continues(reply: Reply, connection: Connection) -> None:
    """Status 100 Continue, again and again."""
    for _ in range(int(PATIENCE / PAUSE)):
        connection.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.wait(PAUSE)


def many_headers(reply: Reply, connection: Connection) -> None:
    """More header lines than any client accepts."""
    connection.write(head(reply, *(f"X-Filler-{number}: x" for number in range(500))) + reply.body)


def huge_header(reply: Reply, connection: Connection) -> None:
    """One header of 200 kB."""
    connection.write(head(reply, f"X-Filler: {'x' * 200_000}") + reply.body)


def garbage(reply: Reply, connection: Connection) -> None:
    """Bytes that are not HTTP."""
    connection.write(b"\x00\x01\x02 SSH-2.0-OpenSSH_9.9\r\n" + b"\xff" * 100)


def coded(reply: Reply, name: str, body: bytes) -> Reply:
    """Return the reply with another body and a Content-Encoding header ("" = none)."""
    headers = (("Content-Encoding", name),) if name else ()
    return replace(reply, body=body, headers=reply.headers + headers)


def gzipped(request: Request, reply: Reply) -> Reply:
    """Correctly compressed with gzip."""
    return coded(reply, "gzip", gzip.compress(reply.body))


def gzip_unsaid(request: Request, reply: Reply) -> Reply:
    """Compressed, but without Content-Encoding."""
    return coded(reply, "", gzip.compress(reply.body))


def gzip_untrue(request: Request, reply: Reply) -> Reply:
    """Content-Encoding says gzip, but the body is not compressed."""
    return coded(reply, "gzip", reply.body)


def gzip_cut(request: Request, reply: Reply) -> Reply:
    """Compressed and cut off, with the Content-Length of what is sent."""
    packed = gzip.compress(reply.body)
    return coded(reply, "gzip", packed[: len(packed) * 2 // 3])


def gzip_twice(request: Request, reply: Reply) -> Reply:
    """Compressed twice, but Content-Encoding names gzip once."""
    return coded(reply, "gzip", gzip.compress(gzip.compress(reply.body)))


def deflated(request: Request, reply: Reply) -> Reply:
    """The deflate coding of RFC 9110: with zlib header and checksum."""
    return coded(reply, "deflate", zlib.compress(reply.body))


def deflated_bare(request: Request, reply: Reply) -> Reply:
    """The deflate coding as many servers send it: without zlib header and checksum."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return coded(reply, "deflate", packer.compress(reply.body) + packer.flush())


def bomb(request: Request, reply: Reply) -> Reply:
    """A small compressed body that is very large after decompression."""
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    start = packer.compress(reply.body[: len(reply.body) // 2]) + packer.flush(zlib.Z_FULL_FLUSH)
    return coded(reply, "gzip", start + _bomb_end())


@cache
def _bomb_end() -> bytes:
    """The end of the gzip body of `bomb`, made once. Its checksum is wrong, but no client should get so far."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = [packer.compress(BLOCK) for _ in range(BOMB // len(BLOCK))]
    return b"".join([*packed, packer.flush(), bytes(8)])
