"""Readers, staff and programs that request pages of the site throughout a soak test."""

import contextlib
import http.client
import random
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode, urlsplit

WORDS = ("図書館", "歴史", "入門", "科学", "の", "日本", "978466", "著者:田中 -入門", "history")
PAGES = (
    "/",
    "/search?q={word}",
    "/search?q={word}&page=2",
    "/api/search?q={word}",
    "/feeds/search.atom?q={word}",
    "/repositories/",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "/oai?verb=ListIdentifiers&metadataPrefix=dcndl&set=merged",
    "/sru?operation=searchRetrieve&version=1.2&query={word}",
    "/.well-known/resourcesync",
    "/sitemap.xml",
    "/healthz",
    "/manage/",
    "/manage/harvests/",
    "/manage/issues/",
    "/manage/matches/",
)
LINK = re.compile(r'href="(/(?:en/)?books/[^"/?.]+)"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(slots=True)
class Reader:
    """A thread that requests pages, keeps cookies and follows links to books. pause: seconds between two requests."""

    port: int
    rng: random.Random
    pause: float = 0.5
    statuses: Counter[int] = field(default_factory=Counter)
    worst: list[str] = field(default_factory=list)  # failed requests
    seconds: list[float] = field(default_factory=list)
    logins: int = 0
    _cookies: dict[str, str] = field(default_factory=dict)
    _books: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._read, daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._over.set()

    def login(self, name: str, password: str) -> None:
        """Log in again, with a new session."""
        self._cookies = {}
        form = TOKEN.search(self.ask("/login")[1])
        values = {"username": name, "password": password, "csrfmiddlewaretoken": form[1] if form else ""}
        status, _text = self.ask("/login", urlencode(values))
        self.logins += status == 302

    def ask(self, path: str, body: str = "") -> tuple[int, str]:
        """Request a page. Return its status (0: no response) and text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if body:
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Referer": f"http://127.0.0.1:{self.port}/",
            }
        begun = time.perf_counter()
        try:
            connection.request("POST" if body else "GET", path, body or None, headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            self._note(path, 0, repr(error))
            return 0, ""
        finally:
            connection.close()
        self.seconds.append(time.perf_counter() - begun)
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name] = value
        self._note(path, answer.status, text)
        return answer.status, text

    def _note(self, path: str, status: int, text: str) -> None:
        self.statuses[status] += 1
        if status == 0 or (status >= 500 and status != 503):
            self.worst.append(f"{status} {path} {text[:200]}")

    def _read(self) -> None:
        while not self._over.wait(self.pause):
            with contextlib.suppress(IndexError):
                path = self._next()
                text = self.ask(path)[1]
                found = [urlsplit(link).path for link in LINK.findall(text)]
                self._books = (found + self._books)[:50] if found else self._books

    def _next(self) -> str:
        if self._books and self.rng.random() < 0.4:
            return self.rng.choice(self._books) + self.rng.choice(["", "", ".json", ".rdf", "/why"])
        return self.rng.choice(PAGES).format(word=quote(self.rng.choice(WORDS)))
