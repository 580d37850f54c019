"""Noticing a provider that sends the same page for ever. Pure; knows no protocol.

The text of the token tells nothing: stateful servers repeat it and still go on. So the content is compared.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable

from harvesting.types import TransportError

MOST_REPEATS = 3  # of one page under changing tokens: lists that change while they are read do repeat some
MOST_EMPTY_PAGES = 10


class Repetition:
    """The pages of one list so far, each kept as a few bytes."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pages: Counter[bytes] = Counter()
        self._steps: set[tuple[bytes, str]] = set()
        self._empty = 0

    def check(self, entries: Iterable[str], token: str) -> None:
        """A page with what stood on it and the token for the next. TransportError "oai.loop" if it goes in circles."""
        text = "\n".join(entries)
        page = hashlib.blake2b(text.encode(), digest_size=16).digest()
        self._empty = 0 if text else self._empty + 1
        if (page, token) in self._steps:
            raise self._loop("the same page with the same token")
        if self._empty >= MOST_EMPTY_PAGES:
            raise self._loop(f"{self._empty} empty pages in a row")
        self._steps.add((page, token))
        if text:
            self._pages[page] += 1
            if self._pages[page] >= MOST_REPEATS:
                raise self._loop(f"the same page {MOST_REPEATS} times")

    def _loop(self, reason: str) -> TransportError:
        return TransportError(
            f"{self._url} repeats itself: {reason}", "oai.loop", permanent=True, url=self._url, reason=reason
        )
