"""Catalogues for the benchmark of the live search: each on an address of its own of this machine, some of them hostile.

A catalogue answers with SRU after a moment, or too late, or redirects to a forbidden address. It records when it was
asked.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SRW = "http://www.loc.gov/zing/srw/"
DC = "http://purl.org/dc/elements/1.1/"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
HANGING = 20.0  # seconds
FIRST = 11  # last number of the first address, 127.0.0.11
FORBIDDEN = "127.0.0.99"  # not among the allowed networks


@dataclass
class Catalogue:
    """hangs: answers after HANGING. leads_to: the address to which every request is redirected, "" for none."""

    host: str
    delay: float = 0.1
    hangs: bool = False
    leads_to: str = ""
    hits: int = 50
    port: int = 0
    asked: list[float] = field(default_factory=list)  # moments, on the monotonic clock

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}/sru"

    def most_within(self, seconds: float) -> int:
        """Return the largest number of requests within any window of this length."""
        moments = sorted(self.asked)
        return max((sum(first <= moment < first + seconds for moment in moments) for first in moments), default=0)


@contextmanager
def serving(catalogues: list[Catalogue]) -> Iterator[Catalogue]:
    """Serve the catalogues, and yield one more that nobody may ask, to which others may lead."""
    inside = Catalogue(FORBIDDEN)
    with ExitStack() as stack:
        for catalogue in (inside, *catalogues):
            server = ThreadingHTTPServer((catalogue.host, 0), _handler(catalogue))
            server.daemon_threads = True
            catalogue.port = server.server_port
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
        yield inside


def _handler(catalogue: Catalogue) -> type[BaseHTTPRequestHandler]:
    body = _answer(catalogue.hits)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            catalogue.asked.append(time.monotonic())
            time.sleep(HANGING if catalogue.hangs else catalogue.delay)
            self.send_response(302 if catalogue.leads_to else 200)
            if catalogue.leads_to:
                self.send_header("Location", catalogue.leads_to)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Log nothing."""

    return Handler


def _answer(hits: int) -> bytes:
    records = "".join(
        f"<record><recordSchema>dc</recordSchema><recordData>"
        f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}"><dc:title>図書館の研究 {number}</dc:title>'
        f"<dc:creator>見本, 花子</dc:creator><dc:publisher>見本書店</dc:publisher><dc:date>{1950 + number}</dc:date>"
        f"</oai_dc:dc></recordData></record>"
        for number in range(hits)
    )
    return (
        f'<searchRetrieveResponse xmlns="{SRW}"><version>1.1</version><numberOfRecords>10000</numberOfRecords>'
        f"<records>{records}</records></searchRetrieveResponse>"
    ).encode()
