"""What readers of single books notice while very many search: record pages beside 200 connections on the search.

    python benchmarks/overload.py --connections 200 --seconds 20

Starts the web server with the options of `run.py serve` on a folder of its own, over made-up books, on loopback only.
Measures record pages alone, during the flood, and after it; the last line is their p95 during the flood.
"""

import argparse
import asyncio
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import batched
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from aggregator.launch import HOST, WEB_SERVER, first_free, is_open, module  # noqa: E402  after the path
from aggregator.search.base import Query  # noqa: E402
from aggregator.search.tantivy_index import TantivyIndex  # noqa: E402
from benchmarks.bibliography import Bibliography  # noqa: E402
from benchmarks.search_classes import classes  # noqa: E402

TIMEOUT = 30.0
PAUSE = 0.05  # seconds between two record pages of one reader
READERS = 4


@dataclass
class Answers:
    """What one kind of request met. times: milliseconds by status; 0 = no answer."""

    times: dict[int, list[float]] = field(default_factory=dict)
    without_wait: int = 0  # refusals that do not say when to come back

    def add(self, status: int, milliseconds: float) -> None:
        self.times.setdefault(status, []).append(milliseconds)

    def line(self, name: str) -> str:
        parts = [f"{status or 'failed'}: {len(each)} ({figures(each)})" for status, each in sorted(self.times.items())]
        return f"{name:28} " + "; ".join(parts)


def main() -> None:
    options = arguments()
    folder = Path(tempfile.mkdtemp(prefix="overload-", dir=options.folder))
    try:
        sample = prepare(folder, options.documents)
        port = first_free(range(8600, 8700))
        with serving(folder, port):
            asyncio.run(measure(port, sample, options))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--folder", type=Path, default=None, help="where the catalogue is made (default: the system's)")
    return parser.parse_args()


def prepare(folder: Path, documents: int) -> list[str]:
    """The catalogue, made by a process of its own so that this one stays small; paths of searches to ask."""
    code = f"from benchmarks import search_view; search_view.fill({documents})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(folder), check=True)
    with TantivyIndex(folder / "search").build_beside() as fresh:
        for batch in batched(Bibliography().documents(documents), 1000):
            fresh.update(batch)
    words = [next(queries) for _name, queries in classes(list(Bibliography().documents(500))) for _ in range(20)]
    return [each.q for each in words if each == Query(q=each.q) and each.q]


def environment(folder: Path) -> dict[str, str]:
    made = {"AGGREGATOR_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "aggregator.settings", "LOG_LEVEL": "ERROR"}
    return {**os.environ, **made}


class serving:
    """granian as `run.py serve` starts it."""

    def __init__(self, folder: Path, port: int) -> None:
        self._command = module(*WEB_SERVER, "--port", str(port), "aggregator.wsgi:application")
        self._folder, self._port = folder, port

    def __enter__(self) -> None:
        self._process = subprocess.Popen(self._command, cwd=ROOT, env=environment(self._folder))
        while not is_open(self._port):
            if self._process.poll() is not None:
                raise SystemExit("the web server ended at once")
            time.sleep(0.1)

    def __exit__(self, *_exception: object) -> None:
        self._process.terminate()
        self._process.wait(20)


async def measure(port: int, words: list[str], options: argparse.Namespace) -> None:
    quiet = await read_books(port, options.documents, time.monotonic() + min(5.0, options.seconds))
    print(quiet.line("record pages, quiet"), flush=True)
    end = time.monotonic() + options.seconds
    searches, books = Answers(), Answers()
    flood = [search(port, words, end, searches, seed) for seed in range(options.connections)]
    *_none, books = await asyncio.gather(*flood, read_books(port, options.documents, end))
    print(searches.line(f"searches, {options.connections} at once"), flush=True)
    print(f"{'refusals without Retry-After':28} {searches.without_wait}")
    print(books.line("record pages meanwhile"), flush=True)
    print(f"{'back to normal after':28} {await recovery(port, words):.1f} s")
    times = [each for status, all_times in books.times.items() if status == 200 for each in all_times]
    failed = sum(len(each) for status, each in books.times.items() if status != 200)
    print(f"record pages that failed: {failed}")
    print(f"p95 ms: {percentile(times):.0f}")


async def search(port: int, words: list[str], end: float, answers: Answers, seed: int) -> None:
    """One connection after another that searches, and comes back at once whatever it is told."""
    pick = random.Random(seed)
    while time.monotonic() < end:
        status, headers, spent = await ask(port, f"/search?q={quoted(pick.choice(words))}")
        answers.add(status, spent)
        answers.without_wait += status in (429, 503) and "retry-after" not in headers


async def read_books(port: int, documents: int, end: float) -> Answers:
    answers, pick = Answers(), random.Random(1)

    async def reader() -> None:
        while time.monotonic() < end:
            status, _headers, spent = await ask(port, f"/books/R100000000-I{pick.randint(2, documents)}")
            answers.add(status, spent)
            await asyncio.sleep(PAUSE)

    await asyncio.gather(*(reader() for _ in range(READERS)))
    return answers


async def recovery(port: int, words: list[str]) -> float:
    """Seconds until ten searches in a row are answered."""
    started, row = time.monotonic(), 0
    while row < 10 and time.monotonic() - started < 60:
        status, _headers, _spent = await ask(port, f"/search?q={quoted(words[row])}")
        row = row + 1 if status == 200 else 0
    return time.monotonic() - started


async def ask(port: int, path: str) -> tuple[int, str, float]:
    """Status (0: no answer), headers in lower case, and milliseconds until the whole answer was there."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(TIMEOUT):
            head = await _exchange(port, path)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError, IndexError):
        head = ""
    spent = (time.perf_counter() - started) * 1000
    return (int(head.split(" ")[1]) if head else 0), head.lower(), spent


async def _exchange(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAccept: text/html\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        answer = await reader.read(-1)
    finally:
        writer.close()
    return answer.partition(b"\r\n\r\n")[0].decode("latin-1")


def quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def figures(times: list[float]) -> str:
    return f"p50 {statistics.median(times):.0f}, p95 {percentile(times):.0f}, max {max(times):.0f} ms"


def percentile(times: list[float], share: float = 0.95) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


if __name__ == "__main__":
    main()
