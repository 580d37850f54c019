"""A cheap HTTP/1.1 client that requests pages from a web server on this machine and notes how long they take.

It runs in one process, so that its own use of the processors is a single figure. Connections are kept alive where the
server allows it.
"""

import asyncio
import random
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

HOST = "127.0.0.1"
TIMEOUT = 30.0
LONGEST_HEAD = 64 * 1024


@dataclass
class Answers:
    """The responses to one kind of request. times: milliseconds by status; 0 = no response."""

    times: dict[int, list[float]] = field(default_factory=dict)
    without_wait: int = 0  # refusals without Retry-After

    def add(self, status: int, milliseconds: float, head: str = "") -> None:
        self.times.setdefault(status, []).append(milliseconds)
        self.without_wait += status in (429, 503) and "\r\nretry-after:" not in head

    @property
    def good(self) -> list[float]:
        """The milliseconds of the successful responses."""
        return [milliseconds for status in (200, 304) for milliseconds in self.times.get(status, [])]

    @property
    def failed(self) -> int:
        return sum(map(len, self.times.values())) - len(self.good)

    def line(self, name: str, seconds: float = 0.0) -> str:
        parts = [
            f"{status or 'failed'}: {len(times)} ({figures(times)})" for status, times in sorted(self.times.items())
        ]
        rate = f"; {len(self.good) / seconds:.0f} a second" if seconds else ""
        return f"{name:28} " + "; ".join(parts) + rate


class Connection:
    """A connection to the server, which is opened again after it was closed."""

    def __init__(self, port: int, headers: Mapping[str, str], keeps: bool = True) -> None:
        sent = {"Host": HOST, "Accept": "text/html", "Accept-Language": "ja", **headers}
        self._head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        self._port, self._keeps = port, keeps
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str, headers: str = "") -> tuple[int, str, float, bytes]:
        """Return status (0: no response), head, milliseconds until the end of the response, and body.

        The names of the headers are in lower case.
        """
        started = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT):
                head, body = await self._exchange(path, headers)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            self.close()
            head, body = "", b""
        spent = (time.perf_counter() - started) * 1000
        return (int(head.split(" ")[1]) if head else 0), head, spent, body

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _exchange(self, path: str, headers: str) -> tuple[str, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(HOST, self._port, limit=LONGEST_HEAD)
        reader, writer = self._streams
        kept = "keep-alive" if self._keeps else "close"
        writer.write(f"GET {path} HTTP/1.1\r\n{self._head}{headers}Connection: {kept}\r\n\r\n".encode())
        head = _lower_names((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        length = head.partition("\r\ncontent-length:")[2].partition("\r\n")[0]
        if length:
            body = await reader.readexactly(int(length))
        elif "\r\ntransfer-encoding: chunked" in head:
            body = await _chunks(reader)
        else:
            body = await reader.read(-1)
            self.close()
        if not self._keeps or "\r\nconnection: close" in head:
            self.close()
        return head, body


def _lower_names(head: str) -> str:
    return re.sub(r"\r\n[^:\r\n]+:", lambda name: name[0].lower(), head)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    found = []
    while size := int((await reader.readline()).partition(b";")[0], 16):
        found.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(found)


async def ask_again_and_again(
    port: int, paths: Sequence[Iterator[str]], end: float, pause: float = 0.0, **options: object
) -> Answers:
    """Open a connection for every iterator in `paths` and request its paths one by one until `end` (monotonic)."""
    answers = Answers()
    keeps, headers = bool(options.get("keeps", True)), options.get("headers") or {}
    assert isinstance(headers, dict)

    async def one(mine: Iterator[str]) -> None:
        connection = Connection(port, headers, keeps)
        for path in mine:
            if time.monotonic() >= end:
                break
            status, head, spent, _body = await connection.get(path)
            answers.add(status, spent, head)
            if pause:
                await asyncio.sleep(pause)
        connection.close()

    await asyncio.gather(*map(one, paths))
    return answers


async def until_normal(ask: Callable[[int], Awaitable[int]], row: int = 10, most: float = 60.0) -> float:
    """Return the seconds until `row` requests in succession are answered with status 200, at most `most`."""
    started, done = time.monotonic(), 0
    while done < row and time.monotonic() - started < most:
        done = done + 1 if await ask(done) == 200 else 0
    return time.monotonic() - started


def drawn(words: Sequence[str], seed: int) -> Iterator[str]:
    """Yield words at random, without end."""
    pick = random.Random(seed)
    while True:
        yield pick.choice(words)


def quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def figures(times: Sequence[float]) -> str:
    return f"p50 {statistics.median(times):.0f}, p95 {percentile(times):.0f}, max {max(times):.0f} ms"


def percentile(times: Sequence[float], share: float = 0.95) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] if times else float("nan")
