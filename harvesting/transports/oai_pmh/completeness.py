"""Whether an OAI-PMH list that has ended was the whole list: second questions that cost little. Stores nothing.

A token that is missing in the middle loses the rest of a repository without a word (catalogue T12); a wrong
completeListSize is harmless (T7). Both look the same at the end of a list.
"""

from datetime import timedelta
from enum import Enum
from itertools import chain

from harvesting.transports.oai_pmh.date_windows import Dates
from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.transports.oai_pmh.paging import ListRequest, Seen, Tally, outside, walk
from harvesting.transports.oai_pmh.requests import Asker
from harvesting.transports.oai_pmh.responses import Page, Records
from harvesting.transports.oai_pmh.windowed_list import list_arguments
from harvesting.types import HarvestRequest, TransportError

ROUND = 10  # a single page whose count is a multiple of this may be the first of a list without tokens
FEWEST = 20
TRIES = 2
LOOKED_AT = 3  # pages of a window


class Answer(Enum):
    """Whether records exist that have not come."""

    MORE = "more"
    NO_MORE = "no more"
    UNKNOWN = "unknown"


def is_suspicious(tally: Tally, page: Page, request: HarvestRequest) -> bool:
    """A full list of one page that ends without a word, with as many records as a page may have."""
    received = tally.received or 0
    silent = tally.pages == 1 and tally.size is None and not page.ends and page.error is None
    return silent and not request.from_ and received >= FEWEST and received % ROUND == 0


def look_for_more(asker: Asker, request: HarvestRequest, tally: Tally, seen: Seen) -> Answer:
    """The first pages of a few date windows: is there a record among them that the list did not bring?

    Windows tell nothing where all datestamps are the same: then each of them may end as early as the list did.
    """
    if not seen.complete or tally.oldest is None or tally.newest is None:
        return Answer.UNKNOWN
    first, second, last = (tally.oldest + (tally.newest - tally.oldest) * part / 3 for part in (1, 2, 3))
    form = "%Y-%m-%d" if last - first > timedelta(days=3) else "%Y-%m-%dT%H:%M:%SZ"
    if last - first < timedelta(seconds=3):
        return Answer.UNKNOWN
    answers = set()
    if request.from_ or request.until:
        form = "%Y-%m-%d" if len(request.from_ or request.until) <= len("YYYY-MM-DD") else "%Y-%m-%dT%H:%M:%SZ"
    for start, end in ((None, first), (first, second), (second, last), (last, None)):
        from_ = request.from_ if start is None else start.strftime(form)
        until = request.until if end is None else end.strftime(form)
        answers.add(_look(asker, request, seen, Dates(from_=from_, until=until)))
    return next(each for each in (Answer.MORE, Answer.UNKNOWN, Answer.NO_MORE) if each in answers)


def _look(asker: Asker, request: HarvestRequest, seen: Seen, dates: Dates) -> Answer:
    """The first pages of one window. Known to have no more if they are all of it, or if the list ended properly."""
    asked = ListRequest(arguments=list_arguments(request, dates), tries=TRIES)
    tally = Tally(resumed=False)
    try:
        for _token, page in walk(asker, asked, tally):
            records = all_records(page)
            if any(each.identifier not in seen for each in records):
                return Answer.MORE
            if outside(records, parse_date(dates.from_), parse_date(dates.until)) is not None:
                return Answer.UNKNOWN
            if tally.pages == LOOKED_AT:
                return Answer.UNKNOWN if page.resumption_token else Answer.NO_MORE
    except TransportError as error:
        if error.code.startswith(("oai.", "xml.")):
            return Answer.UNKNOWN
        raise
    return Answer.NO_MORE


def identifiers_agree(asker: Asker, request: HarvestRequest, seen: Seen) -> bool:
    """Whether ListIdentifiers, read to an end that the provider itself marks, names exactly what has come."""
    arguments = list_arguments(request, Dates(from_=request.from_, until=request.until), "ListIdentifiers")
    found, tally = Seen(complete=True), Tally(resumed=False)
    try:
        for _token, page in walk(asker, ListRequest(arguments=arguments), tally):
            found.add(page)
            if len(found) > len(seen):
                return False
    except TransportError as error:
        if error.code.startswith(("oai.", "xml.")):
            return False
        raise
    return seen.complete and page.ends and len(found) == len(seen)


def all_records(page: Page) -> Records:
    """The records of a page that is not delivered."""
    return page.records if page.large is None else tuple(chain.from_iterable(page.large()))
