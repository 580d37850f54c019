"""The effect on others of clients that send or read very slowly: 500 slow heads, then slow bodies, then slow readers.

    python3 run.py bench load.slow --site /somewhere/site1m --clients 500

A client with a slow head sends a byte of its request now and then; one with a slow body announces a form and sends it
in the same way; a slow reader requests a large page and reads a little at a time. Goal: every other request is answered
within 100 ms. The same requests without slow clients are measured first, since an uncached record page takes time too.
"""

import argparse
import asyncio
import resource
import socket
import time
from contextlib import suppress
from itertools import repeat

from benchmarks.load import running, site
from benchmarks.load.client import HOST, Answers, ask_again_and_again, percentile
from benchmarks.load.made_books import public_id
from benchmarks.load.results import note

PAUSE = 0.05  # seconds between two requests of an ordinary client
OTHERS = 2  # ordinary clients
STEP = 2.0  # seconds between two bytes of a slow client
SMALL = 2048  # bytes of a slow client's receive buffer, which keeps the rest of the page at the server
BOOKS = 50  # books that the ordinary clients request repeatedly


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--clients", type=int, default=500)
    options = parser.parse_args()
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, options.clients * 2 + 1000), hard))
    with site.opened(options) as made, running.running(made, options) as everything:
        worst = {name: asyncio.run(measure(everything, options, name)) for name in ("baseline", *KINDS)}
    note("slow", books=made.books, clients=options.clients, **worst)
    slowest_answers = ", ".join(f"{name} {slowest:.0f}" for name, slowest in worst.items())
    print(f"slowest answer to others, ms: {slowest_answers}")


async def measure(everything: running.Running, options: argparse.Namespace, name: str) -> float:
    """Return the slowest response to the ordinary clients in milliseconds; infinity if a request failed."""
    end = time.monotonic() + options.seconds
    slow = [asyncio.create_task(client(everything.port, name, end)) for _ in range(options.clients * (name in KINDS))]
    await asyncio.sleep(1)
    everything.begin()
    paths = (f"/books/{public_id(1 + number % BOOKS)}" for number in range(1_000_000))
    found: Answers = await ask_again_and_again(everything.port, list(repeat(paths, OTHERS)), end, PAUSE, keeps=False)
    held = sum([task.result() if task.done() else True for task in slow])
    print(found.line(f"others, slow clients: {name}"), f"; still held: {held}", sep="", flush=True)
    print(everything.report())
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    print(f"p95 ms: {percentile(found.good):.0f}; failed: {found.failed}", flush=True)
    return float("inf") if found.failed else max(found.good)


async def client(port: int, name: str, end: float) -> bool:
    """Behave as a slow client. Return whether the server still held the connection at the end."""
    begin, drip = KINDS[name]
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    plain.setblocking(False)
    loop = asyncio.get_running_loop()
    with suppress(OSError), plain:
        await loop.sock_connect(plain, (HOST, port))
        await loop.sock_sendall(plain, begin)
        while time.monotonic() < end:
            await asyncio.sleep(STEP)
            if drip:
                await loop.sock_sendall(plain, drip)
            elif not await loop.sock_recv(plain, 64):
                return False
        return True
    return False


_FORM = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\nrecord="
KINDS = {
    "heads": (b"GET /about HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b"a"),
    "bodies": (b"POST /validate/ HTTP/1.1\r\nHost: 127.0.0.1\r\n" + _FORM, b"a"),
    "readers": (b"GET /oai?verb=ListRecords&metadataPrefix=oai_dc HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b""),
}

if __name__ == "__main__":
    main()
