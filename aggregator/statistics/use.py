"""Counts which books readers open and which links to providers and libraries they follow.

Nothing about the reader is stored: no cookie, no address, no time but the day. A process writes its counts once a
minute. A reader who opens a page twice is counted twice.
"""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date

from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from aggregator.libraries.numbers import library_pk
from aggregator.models import BOOK_ID, Holding, Member, UseCount
from core.database.delayed_counts import DelayedCounts

_PROGRAMS = re.compile(
    r"bot\b|bot[/_;-]|crawl|spider|slurp|archive|scrap|fetch|monitor|uptime|validat|checker|preview|lighthouse|headless"
    r"|facebookexternalhit|whatsapp|embedly|feed|rss|google-|mediapartners|bingpreview|baidu|yandex|bytespider|gptbot"
    r"|claude|perplexity|ccbot|semrush|ahrefs|curl|wget|python|java[/ ]|libwww|perl|ruby|php/|go-http|okhttp|axios"
    r"|node-fetch|undici|httpclient|http_request|postman|insomnia|scrapy|aiohttp|httpx|requests|guzzle",
    re.IGNORECASE,
)
_AHEAD = ("prefetch", "prerender", "preview")
_PURPOSES = ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
WRITE_SECONDS = 60.0  # between two writes of the counts
MOST = 5000  # different counts in memory; more within a minute are a flood, and are not counted
OPENED, FOLLOWED = "opened", "followed"
FULL_TEXT = "text"
_ALL, _BOOK, _PROVIDER, _LIBRARY = UseCount.Kind
_BOOK_ID = re.compile(BOOK_ID)
_ROWS = 500  # in a statement
type Use = tuple[date, str, str]  # day, permanent id of a book or of one of its records, target of a link
type Subject = tuple[str, int]  # kind and number, as in UseCount
type Row = tuple[str, int, date]


class UseCounter(DelayedCounts[Use]):
    """The counts of this process. target: "" if the page was opened; else where a link led: the number of a library or
    provider, or FULL_TEXT.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(_store, WRITE_SECONDS, MOST, clock)

    def count(self, request: HttpRequest, public_id: str, target: str = "") -> None:
        """Count a request, if it is of a person."""
        if is_of_a_person(request.method or "", request.headers):
            self.add((timezone.localdate(), public_id, target))


def _store(counts: Mapping[Use, int]) -> None:
    """Add the counts to the rows of books, and those of links to the providers and libraries that they lead to."""
    books = _books({public_id for _day, public_id, _target in counts})
    followed = {(books[public_id], target) for _day, public_id, target in counts if target and public_id in books}
    targets = _targets(followed) if followed else {}
    sums: dict[str, Counter[Row]] = {OPENED: Counter(), FOLLOWED: Counter()}
    for (day, public_id, target), count in counts.items():
        book = books.get(public_id, 0)
        subject = targets.get((book, target)) if target else (_BOOK, book)
        if book and subject:
            sums[FOLLOWED if target else OPENED].update({(_ALL, 0, day): count, (*subject, day): count})
    for column, rows in sums.items():
        add(rows, column)


def _books(public_ids: Iterable[str]) -> dict[str, int]:
    """Return permanent id -> number of the book; ids of no book are left out."""
    numbers = {public_id: int(public_id[1:]) for public_id in public_ids if _BOOK_ID.fullmatch(public_id)}
    records = Member.objects.filter(source_record__public_id__in=set(public_ids) - numbers.keys())
    return {**numbers, **dict(records.values_list("source_record__public_id", "manifestation"))}


def _targets(links: Collection[tuple[int, str]]) -> dict[tuple[int, str], Subject]:
    """Return book and target -> the provider, library or book to which the link is counted.

    Links to full texts are counted to the book, whose counts are passed on at the end of the day. Links that the book
    does not have are left out, because anybody can send a request.
    """
    books = {book for book, _target in links}
    described = Member.objects.filter(manifestation__in=books)
    owners = {
        (book, number): pk
        for book, number, pk in described.values_list(
            "manifestation", "source_record__repository__number", "source_record__repository"
        )
    }
    known = {book for book, _number in owners}
    held = Holding.objects.filter(manifestation__in=books, library__in={library_pk(target) for _book, target in links})
    libraries = set(held.values_list("manifestation", "library"))
    found: dict[tuple[int, str], Subject] = {}
    for book, target in links:
        if target == FULL_TEXT and book in known:
            found[book, target] = _BOOK, book
        elif (book, target) in owners:
            found[book, target] = _PROVIDER, owners[book, target]
        elif (book, library_pk(target)) in libraries:
            found[book, target] = _LIBRARY, library_pk(target)
    return found


def add(counts: Mapping[Row, int], column: str) -> None:
    """Add to a column of the rows, which are made where they are missing. A few statements, whatever their number."""
    rows = [UseCount(kind=kind, number=number, day=day) for kind, number, day in sorted(counts)]
    UseCount.objects.bulk_create(rows, batch_size=_ROWS, ignore_conflicts=True)
    alike: defaultdict[tuple[str, date, int], list[int]] = defaultdict(list)
    for (kind, number, day), count in counts.items():
        alike[kind, day, count].append(number)
    for (kind, day, count), numbers in sorted(alike.items()):
        for start in range(0, len(numbers), _ROWS):
            same = UseCount.objects.filter(kind=kind, day=day, number__in=numbers[start : start + _ROWS])
            same.update(**{column: F(column) + count})


USE = UseCounter()


def is_of_a_person(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a request counts as use by a person.

    A rule that anybody can check, not a list of addresses: a request does not count if its program calls itself a
    robot, a library of a programming language, a checker or a previewer, if it sends no name at all, or if a browser
    only fetches ahead. Robots that pretend to be browsers are counted as people.
    """
    program = headers.get("User-Agent", "")
    if method == "HEAD" or not program.startswith("Mozilla/") or _PROGRAMS.search(program):
        return False
    purposes = (headers.get(name, "").lower() for name in _PURPOSES)
    return not any(word in purpose for purpose in purposes for word in _AHEAD)
