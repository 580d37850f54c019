"""Detects a provider that sends the same pages for ever. No network access, no protocol.

The content of the pages is compared, not the resumption token: some stateful servers always send the same token and
still advance.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable

from harvesting.types import TransportError

MAX_PAGE_REPEATS = 3  # a page that comes so often means a loop; a list that changes while it is read may repeat one
MAX_EMPTY_PAGES = 10


class LoopDetector:
    """Remembers a hash of each page of one list."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pages: Counter[bytes] = Counter()
        self._steps: set[tuple[bytes, str]] = set()
        self._empty = 0

    def check(self, entries: Iterable[str], token: str) -> None:
        """Check the next page of the list. TransportError "oai.loop" if the list repeats itself.

        entries: the identifiers or names on the page. token: the resumption token for the page after it.
        """
        text = "\n".join(entries)
        page = hashlib.blake2b(text.encode(), digest_size=16).digest()
        self._empty = 0 if text else self._empty + 1
        if (page, token) in self._steps:
            raise self._loop("the same page with the same token")
        if self._empty >= MAX_EMPTY_PAGES:
            raise self._loop(f"{self._empty} empty pages in a row")
        self._steps.add((page, token))
        if text:
            self._pages[page] += 1
            if self._pages[page] >= MAX_PAGE_REPEATS:
                raise self._loop(f"the same page {MAX_PAGE_REPEATS} times")

    def _loop(self, reason: str) -> TransportError:
        return TransportError(
            f"{self._url} repeats itself: {reason}", "oai.loop", permanent=True, url=self._url, reason=reason
        )
