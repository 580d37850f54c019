"""Checks by a few additional requests whether an OAI-PMH list that has ended was complete. Stores nothing.

A resumptionToken that is missing in the middle of a list silently loses the rest of a repository (scenario T12 of
the sample provider); a wrong completeListSize is harmless (T7). At the end of a list both look the same.
"""

from datetime import timedelta
from enum import Enum
from itertools import chain

from harvesting.transports.oai_pmh.date_windows import Dates
from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.transports.oai_pmh.paging import ListProgress, ListRequest, SeenRecords, find_stray, read_pages
from harvesting.transports.oai_pmh.requests import OaiClient
from harvesting.transports.oai_pmh.responses import Page, Records
from harvesting.transports.oai_pmh.windowed_list import list_arguments
from harvesting.types import HarvestRequest, TransportError

# A list of one page may be cut off if the number of its records is round, as page sizes are, and not very small.
PAGE_SIZE_MULTIPLE = 10
MIN_PAGE_SIZE = 20
MAX_ATTEMPTS = 2
MAX_PROBED_PAGES = 3  # of one date window


class Answer(Enum):
    """Whether there are records that have not been received."""

    MORE = "more"
    NO_MORE = "no more"
    UNKNOWN = "unknown"


def is_suspicious(progress: ListProgress, page: Page, request: HarvestRequest) -> bool:
    """Whether a full list may have been cut off after its only page, because the provider left out the resumptionToken.

    This is possible if the list has neither an empty resumptionToken nor a completeListSize, and the number of its
    records may be a page size.
    """
    received = progress.received or 0
    has_no_end_mark = progress.pages == 1 and progress.size is None and not page.is_explicit_end and page.error is None
    return has_no_end_mark and not request.from_ and received >= MIN_PAGE_SIZE and received % PAGE_SIZE_MULTIPLE == 0


def probe_for_more(client: OaiClient, request: HarvestRequest, progress: ListProgress, seen: SeenRecords) -> Answer:
    """Read the first pages of four date windows and look for records that were not in the list.

    The answer is UNKNOWN if all datestamps are the same: a window might then be cut off just as the list was.
    """
    if not seen.complete or progress.oldest is None or progress.newest is None:
        return Answer.UNKNOWN
    first, second, last = (progress.oldest + (progress.newest - progress.oldest) * third / 3 for third in (1, 2, 3))
    date_format = "%Y-%m-%d" if last - first > timedelta(days=3) else "%Y-%m-%dT%H:%M:%SZ"
    if last - first < timedelta(seconds=3):
        return Answer.UNKNOWN
    answers = set()
    if request.from_ or request.until:
        date_format = "%Y-%m-%d" if len(request.from_ or request.until) <= len("YYYY-MM-DD") else "%Y-%m-%dT%H:%M:%SZ"
    for start, end in ((None, first), (first, second), (second, last), (last, None)):
        from_ = request.from_ if start is None else start.strftime(date_format)
        until = request.until if end is None else end.strftime(date_format)
        answers.add(_probe_window(client, request, seen, Dates(from_=from_, until=until)))
    return next(answer for answer in (Answer.MORE, Answer.UNKNOWN, Answer.NO_MORE) if answer in answers)


def _probe_window(client: OaiClient, request: HarvestRequest, seen: SeenRecords, dates: Dates) -> Answer:
    """Read the first pages of one date window. NO_MORE if these are all its pages and they contain nothing new."""
    list_request = ListRequest(arguments=list_arguments(request, dates), max_attempts=MAX_ATTEMPTS)
    progress = ListProgress(resumed=False)
    try:
        for _token, page in read_pages(client, list_request, progress):
            records = all_records(page)
            if any(record.identifier not in seen for record in records):
                return Answer.MORE
            if find_stray(records, parse_date(dates.from_), parse_date(dates.until)) is not None:
                return Answer.UNKNOWN
            if progress.pages == MAX_PROBED_PAGES:
                return Answer.UNKNOWN if page.resumption_token else Answer.NO_MORE
    except TransportError as error:
        if error.code.startswith(("oai.", "xml.")):
            return Answer.UNKNOWN
        raise
    return Answer.NO_MORE


def identifiers_agree(client: OaiClient, request: HarvestRequest, seen: SeenRecords) -> bool:
    """Whether ListIdentifiers, read to an end that the provider marks, has exactly the identifiers received."""
    arguments = list_arguments(request, Dates(from_=request.from_, until=request.until), "ListIdentifiers")
    listed, progress = SeenRecords(complete=True), ListProgress(resumed=False)
    try:
        for _token, page in read_pages(client, ListRequest(arguments=arguments), progress):
            listed.add(page)
            if len(listed) > len(seen):
                return False
    except TransportError as error:
        if error.code.startswith(("oai.", "xml.")):
            return False
        raise
    return seen.complete and page.is_explicit_end and len(listed) == len(seen)


def all_records(page: Page) -> Records:
    """Return all records of a page, also of a large one."""
    return page.records if page.large is None else tuple(chain.from_iterable(page.large()))
