"""Replies that break HTTP itself: cut short, trickled, lying about their length or coding. Knows no socket.

Each function either sends (a reply and the open line) or changes a reply into one that is sent so.
"""

import gzip
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from http import HTTPStatus

from sampleprovider.replies import Asked, Line, Reply

BLOCK = b" " * 65536
PAUSE = 0.2  # seconds between two bytes: no single read ever waits long
PATIENCE = 120.0  # seconds after which a line that hangs is closed after all
BOMB = 256 * 1024 * 1024  # bytes that a small compressed body becomes


def head(reply: Reply, *extra: str) -> bytes:
    """Status line and headers without a length; extra: more header lines."""
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", f"Content-Type: {reply.content_type}"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    return "\r\n".join([*lines, *extra, "Connection: close", "", ""]).encode("latin-1", "replace")


def sent_by(wire: Callable[[Reply, Line], None]) -> Callable[[Asked, Reply], Reply]:
    """A change: the same reply, sent this way."""
    return lambda asked, reply: replace(reply, wire=wire)


def cut(reply: Reply, line: Line) -> None:
    """Content-Length promises more than what comes."""
    line.write(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) * 2 // 3])


def cut_chunks(reply: Reply, line: Line) -> None:
    """Chunked, and the line ends without the last chunk."""
    kept = reply.body[: len(reply.body) * 2 // 3]
    line.write(head(reply, "Transfer-Encoding: chunked") + f"{len(kept):x}\r\n".encode() + kept + b"\r\n")


def chunks(reply: Reply, line: Line) -> None:
    """Chunked as it should be, in small chunks."""
    line.write(head(reply, "Transfer-Encoding: chunked"))
    for start in range(0, len(reply.body), 1000):
        piece = reply.body[start : start + 1000]
        line.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    line.write(b"0\r\n\r\n")


def until_close(reply: Reply, line: Line) -> None:
    """Without any length, as in HTTP/1.0: the end of the line is the end of the body."""
    line.write(head(reply) + reply.body)


def reset(reply: Reply, line: Line) -> None:
    """The connection is reset in the middle of the body."""
    line.write(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) // 2])
    line.reset()


def reset_at_once(reply: Reply, line: Line) -> None:
    """The connection is reset before a byte is sent."""
    line.reset()


def closed_at_once(reply: Reply, line: Line) -> None:
    """The connection is closed before a byte is sent."""


def trickle(reply: Reply, line: Line) -> None:
    """A byte at a time, for ever."""
    line.write(head(reply, f"Content-Length: {len(reply.body)}"))
    for start in range(min(len(reply.body), int(PATIENCE / PAUSE))):
        line.write(reply.body[start : start + 1])
        line.wait(PAUSE)


def slow_head(reply: Reply, line: Line) -> None:
    """The headers come a byte at a time."""
    for start in range(int(PATIENCE / PAUSE)):
        line.write(head(reply)[start : start + 1] or b"x")
        line.wait(PAUSE)


def hang(reply: Reply, line: Line) -> None:
    """The request is taken, and nothing happens."""
    line.wait(PATIENCE)


def stall(reply: Reply, line: Line) -> None:
    """Half of the body, then nothing."""
    line.write(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) // 2])
    line.wait(PATIENCE)


def endless(reply: Reply, line: Line) -> None:
    """A body that never ends; it grows beyond every limit."""
    line.write(head(reply) + reply.body[: len(reply.body) // 2])
    for _ in range(4 * BOMB // len(BLOCK)):
        line.write(BLOCK)


def only_continues(reply: Reply, line: Line) -> None:
    """100 Continue, again and again."""
    for _ in range(int(PATIENCE / PAUSE)):
        line.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        line.wait(PAUSE)


def many_headers(reply: Reply, line: Line) -> None:
    """More header lines than anybody accepts."""
    line.write(head(reply, *(f"X-Filler-{number}: x" for number in range(500))) + reply.body)


def huge_header(reply: Reply, line: Line) -> None:
    """One header of 200 kB."""
    line.write(head(reply, f"X-Filler: {'x' * 200_000}") + reply.body)


def garbage(reply: Reply, line: Line) -> None:
    """No HTTP at all."""
    line.write(b"\x00\x01\x02 SSH-2.0-OpenSSH_9.9\r\n" + b"\xff" * 100)


def coded(reply: Reply, name: str, body: bytes) -> Reply:
    """The reply with another body and a Content-Encoding ("" = none said)."""
    said = (("Content-Encoding", name),) if name else ()
    return replace(reply, body=body, headers=reply.headers + said)


def gzipped(asked: Asked, reply: Reply) -> Reply:
    """Compressed, and said so."""
    return coded(reply, "gzip", gzip.compress(reply.body))


def gzip_unsaid(asked: Asked, reply: Reply) -> Reply:
    """Compressed without a word."""
    return coded(reply, "", gzip.compress(reply.body))


def gzip_untrue(asked: Asked, reply: Reply) -> Reply:
    """Said to be compressed, and is not."""
    return coded(reply, "gzip", reply.body)


def gzip_cut(asked: Asked, reply: Reply) -> Reply:
    """Compressed and cut short, under a Content-Length that fits."""
    packed = gzip.compress(reply.body)
    return coded(reply, "gzip", packed[: len(packed) * 2 // 3])


def gzip_twice(asked: Asked, reply: Reply) -> Reply:
    """Compressed twice, said once."""
    return coded(reply, "gzip", gzip.compress(gzip.compress(reply.body)))


def deflated(asked: Asked, reply: Reply) -> Reply:
    """The deflate coding as RFC 9110 means it: with the zlib frame."""
    return coded(reply, "deflate", zlib.compress(reply.body))


def deflated_bare(asked: Asked, reply: Reply) -> Reply:
    """The deflate coding as many servers send it: without the zlib frame."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return coded(reply, "deflate", packer.compress(reply.body) + packer.flush())


def bomb(asked: Asked, reply: Reply) -> Reply:
    """A small compressed body that becomes a very large one."""
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    start = packer.compress(reply.body[: len(reply.body) // 2]) + packer.flush(zlib.Z_FULL_FLUSH)
    return coded(reply, "gzip", start + _powder())


@cache
def _powder() -> bytes:
    """The end of a gzip body, made once; its check sum is wrong, for whoever gets so far."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = [packer.compress(BLOCK) for _ in range(BOMB // len(BLOCK))]
    return b"".join([*packed, packer.flush(), bytes(8)])
