"""One OAI-PMH list from its first page, or a token, to its end: page by page, counted. Decides nothing beyond it.

What is done when a list breaks off, is short or is refused: `oai_harvest`, `oai_slices`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.transports.oai_pmh.requests import Asker, Question
from harvesting.transports.oai_pmh.responses import Page, Records
from harvesting.transports.repetition import Repetition
from harvesting.types import Batch, HarvestedRecord, Observation, TransportError

MOST_SEEN = 200_000  # identifiers that are remembered of one list, about 15 MB
USUAL_ENDS = frozenset({"oai.noRecordsMatch", "oai.badResumptionToken"})
SLACK = timedelta(days=2)  # between a datestamp and the dates asked for: time zones, overlaps


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A list to read. arguments: of its first page. token: where to go on instead, "" = from the beginning."""

    arguments: Mapping[str, str]
    token: str = ""
    asked_set: str = ""
    tries: int = 0


class Seen:
    """Which records have come, as far as that can be remembered. complete: nothing was forgotten or missed."""

    def __init__(self, *, complete: bool) -> None:
        self.complete = complete
        self._hashes: set[int] = set()

    def __len__(self) -> int:
        return len(self._hashes)

    def __contains__(self, identifier: str) -> bool:
        return hash(identifier) in self._hashes

    def add(self, page: Page) -> int:
        """Remember the records of a page; returns how many had not come before."""
        before = len(self._hashes)
        if before >= MOST_SEEN:
            self.complete = False
        elif page.large is not None:
            self._hashes.update(page.hashes)
        else:
            self._hashes.update(hash(each.identifier) for each in page.records)
        return len(self._hashes) - before


class Tally:
    """How far one list has been read, and what the provider says that it holds.

    received: None where an earlier run began the list and the provider gives no cursor. newest, oldest: datestamps
    at the ends of pages, for choosing where to cut; never for what is asked next time.
    """

    def __init__(self, *, resumed: bool) -> None:
        self.resumed = resumed
        self.pages = 0
        self.received: int | None = None if resumed else 0
        self.size: int | None = None
        self.oldest: datetime | None = None
        self.newest: datetime | None = None

    def add(self, page: Page) -> None:
        self.pages += 1
        self.size = page.complete_list_size or self.size
        if self.received is None and page.cursor is not None:
            self.received = page.cursor
        if self.received is not None:
            self.received += page.count
        for each in (page.records[:1], page.records[-1:]):
            self._note(each)

    def is_clearly_short(self, seen: Seen | None = None) -> bool:
        """Whether many fewer records came than the provider announced; seen: those that came twice count once.

        completeListSize is an estimate (section 3.5): one in a hundred is nothing on several pages.
        """
        if self.size is None or self.received is None:
            return False
        received = min(self.received, len(seen)) if seen is not None and seen.complete else self.received
        missing = self.size - received
        return missing > 0 and (self.pages == 1 or missing * 100 > self.size)

    def is_end(self, code: str) -> bool:
        """Some providers give a token behind the end, and refuse it then. Section 3.5 knows no such end."""
        if code not in USUAL_ENDS:
            known = self.pages and self.size is not None
            return bool(known) and code.startswith("oai.") and self.received == self.size
        if self.pages and self.size is not None and self.received is not None:
            return self.received >= self.size
        return code == "oai.noRecordsMatch"

    def is_doubtful(self, page: Page) -> bool:
        """Whether nothing but an error says that the list ends at this page, its last."""
        return page.error is not None and self.size is None and (self.pages > 1 or self.resumed)

    def _note(self, records: Records) -> None:
        moment = parse_date(records[0].datestamp) if records else None
        if moment is not None:
            self.oldest = min(moment, self.oldest or moment)
            self.newest = max(moment, self.newest or moment)


def walk(asker: Asker, request: ListRequest, tally: Tally) -> Iterator[tuple[str, Page]]:
    """The pages, each with the token that it was asked by. TransportError, also "oai.loop" and "oai.unrepeatable"."""
    repetition = Repetition(asker.base_url)
    verb = request.arguments["verb"]
    before, token = "", request.token
    while True:
        arguments = {"verb": verb, "resumptionToken": token} if token else request.arguments
        # The token is an exclusive argument (section 3.5). One that does not change belongs to a server that counts
        # for itself: asked once more, it would give the page behind the one that was lost.
        once = bool(token) and token == before
        page = _asked(
            asker,
            Question(
                arguments=arguments, ends=tally.is_end, asked_set=request.asked_set, once=once, tries=request.tries
            ),
        )
        if page.repeated and token and (page.resumption_token == token or page.error is not None):
            raise _unrepeatable(asker.base_url, token)
        if page.error is not None and page.error.code not in USUAL_ENDS:
            page = replace(page, observations=(*page.observations, _odd_end(page.error)))
        before, token = token, page.resumption_token
        if token:
            repetition.check(page.entries(), token)
        tally.add(page)
        yield before, page
        if not token:
            return


def _asked(asker: Asker, question: Question) -> Page:
    try:
        return asker.page(question)
    except TransportError as error:
        if question.once and not error.permanent and error.code != "oai.badResumptionToken" and not error.retry_after:
            raise _unrepeatable(asker.base_url, question.arguments["resumptionToken"]) from error
        raise


def _odd_end(error: TransportError) -> Observation:
    return Observation(code="oai.odd_end", facts={"reason": str(error.facts.get("reason", error.message))[:300]})


def ended_by_error(page: Page) -> Observation:
    """That the end of a list is only an error (see `Tally.is_doubtful`)."""
    reason = page.error.message if page.error is not None else "-"
    return Observation(code="oai.ended_by_error", facts={"reason": reason[:300]}, incomplete=True)


def _unrepeatable(url: str, token: str) -> TransportError:
    return TransportError(
        "a page was lost, and its token leads to the next",
        "oai.unrepeatable",
        permanent=False,
        url=url,
        resumptionToken=token[:500],
    )


def deliver(page: Page, batch: Batch, asked: str) -> Iterator[Batch]:
    """The page as batches, the last of which is `batch` with the page's records.

    asked: the token for going back to this page, for the parts of a large one.
    """
    batch = replace(
        batch,
        response_date=page.response_date,
        complete_list_size=page.complete_list_size,
        observations=(*page.observations, *batch.observations),
        broken=(*page.broken, *batch.broken),
    )
    last = page.records
    if page.large is not None:
        parts = page.large()
        last = next(parts, ())
        for part in parts:
            yield Batch(records=last, resumption_token=asked, more=True, response_date=page.response_date)
            last = part
    yield replace(batch, records=last)


def outside(records: Records, start: datetime | None, end: datetime | None) -> HarvestedRecord | None:
    """A record that the dates asked for exclude, if most of those on the page are such; None if dates are heeded."""
    strays = []
    for each in records:
        moment = parse_date(each.datestamp)
        if moment and ((start and moment < start - SLACK) or (end and moment > end + SLACK)):
            strays.append(each)
    return strays[0] if 2 * len(strays) > len(records) else None


def ignored_dates(stray: HarvestedRecord, asked: str) -> Observation:
    """That the provider pays no attention to from or until."""
    return Observation(
        code="oai.dates_ignored",
        facts={"asked": asked, "identifier": stray.identifier[:200], "datestamp": stray.datestamp[:50]},
    )
