"""Reads one OAI-PMH list page by page, from its first page or from a token, to its end, and counts its records.

What happens when a list breaks off, is short or is refused is decided in `full_list` and `windowed_list`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.transports.oai_pmh.loop_detection import LoopDetector
from harvesting.transports.oai_pmh.requests import OaiClient, OaiRequest
from harvesting.transports.oai_pmh.responses import Page, Records
from harvesting.types import Batch, HarvestedRecord, Observation, Recognise, TransportError, recognise_nothing

MAX_SEEN = 200_000  # identifiers of one list that are remembered, about 15 MB
USUAL_ENDS = frozenset({"oai.noRecordsMatch", "oai.badResumptionToken"})
DATE_TOLERANCE = timedelta(days=2)  # between a datestamp and the requested dates, for time zones and overlaps


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A list to read.

    arguments: of the request for its first page. token: where to resume instead, "" = from the beginning.
    requested_set, max_attempts, recognise: as in `OaiRequest`.
    """

    arguments: Mapping[str, str]
    token: str = ""
    requested_set: str = ""
    max_attempts: int = 0
    recognise: Recognise = recognise_nothing


class SeenRecords:
    """The identifiers received so far, as hashes. complete: all identifiers of the list have been remembered."""

    def __init__(self, *, complete: bool) -> None:
        self.complete = complete
        self._hashes: set[int] = set()

    def __len__(self) -> int:
        return len(self._hashes)

    def __contains__(self, identifier: str) -> bool:
        return hash(identifier) in self._hashes

    def add(self, page: Page) -> int:
        """Remember the records of a page. Return how many of them are new."""
        before = len(self._hashes)
        if before >= MAX_SEEN:
            self.complete = False
        elif page.large is not None:
            self._hashes.update(page.hashes)
        else:
            self._hashes.update(hash(record.identifier) for record in page.records)
        return len(self._hashes) - before


class ListProgress:
    """How far one list has been read, and its size according to the provider.

    received: the number of records; None if an earlier run began the list and the provider sends no cursor.
    oldest, newest: the earliest and the latest datestamp among the first and last records of all pages; used only to
    choose date windows for a check, never for the next harvest.
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
        for records in (page.records[:1], page.records[-1:]):
            self._note(records)

    def is_clearly_short(self, seen: SeenRecords | None = None) -> bool:
        """Whether far fewer records were received than the provider announced.

        seen: to count records that were received twice only once. completeListSize may be an estimate (OAI-PMH 2.0,
        section 3.5), so on a list of several pages up to 1 % may be missing.
        """
        if self.size is None or self.received is None:
            return False
        received = min(self.received, len(seen)) if seen is not None and seen.complete else self.received
        missing = self.size - received
        return missing > 0 and (self.pages == 1 or missing * 100 > self.size)

    def is_end(self, code: str) -> bool:
        """Whether an error with this code means the end of the list.

        Some providers send a token on the last page and refuse it then, contrary to OAI-PMH 2.0, section 3.5.
        """
        if code not in USUAL_ENDS:
            is_size_known = self.pages and self.size is not None
            return bool(is_size_known) and code.startswith("oai.") and self.received == self.size
        if self.pages and self.size is not None and self.received is not None:
            return self.received >= self.size
        return code == "oai.noRecordsMatch"

    def is_doubtful(self, page: Page) -> bool:
        """Whether only an error indicates that the list ends with this page."""
        return page.error is not None and self.size is None and (self.pages > 1 or self.resumed)

    def _note(self, records: Records) -> None:
        date = parse_date(records[0].datestamp) if records else None
        if date is not None:
            self.oldest = min(date, self.oldest or date)
            self.newest = max(date, self.newest or date)


def read_pages(client: OaiClient, request: ListRequest, progress: ListProgress) -> Iterator[tuple[str, Page]]:
    """Yield (token of the request, page) for all pages. TransportError, also "oai.loop" and "oai.unrepeatable"."""
    loop_detector = LoopDetector(client.base_url)
    verb = request.arguments["verb"]
    previous_token, token = "", request.token
    while True:
        arguments = {"verb": verb, "resumptionToken": token} if token else request.arguments
        # The token is an exclusive argument (OAI-PMH 2.0, section 3.5). If it does not change, the server itself counts
        # the pages: the same request again would return the page after the one that was lost.
        unrepeatable = bool(token) and token == previous_token
        page = _fetch_page(
            client,
            OaiRequest(
                arguments=arguments,
                is_list_end=progress.is_end,
                requested_set=request.requested_set,
                unrepeatable=unrepeatable,
                max_attempts=request.max_attempts,
                recognise=request.recognise,
            ),
        )
        if page.was_retried and token and (page.resumption_token == token or page.error is not None):
            raise _unrepeatable_error(client.base_url, token)
        if page.error is not None and page.error.code not in USUAL_ENDS:
            page = replace(page, observations=(*page.observations, _odd_end(page.error)))
        previous_token, token = token, page.resumption_token
        if token:
            loop_detector.check(page.entries(), token)
        progress.add(page)
        yield previous_token, page
        if not token:
            return


def _fetch_page(client: OaiClient, request: OaiRequest) -> Page:
    try:
        return client.fetch_page(request)
    except TransportError as error:
        if (
            request.unrepeatable
            and not error.permanent
            and error.code != "oai.badResumptionToken"
            and not error.retry_after
        ):
            raise _unrepeatable_error(client.base_url, request.arguments["resumptionToken"]) from error
        raise


def _odd_end(error: TransportError) -> Observation:
    return Observation(code="oai.odd_end", facts={"reason": str(error.facts.get("reason", error.message))[:300]})


def ended_by_error(page: Page) -> Observation:
    """The observation that only an error marks the end of a list (see `ListProgress.is_doubtful`)."""
    reason = page.error.message if page.error is not None else "-"
    return Observation(code="oai.ended_by_error", facts={"reason": reason[:300]}, incomplete=True)


def _unrepeatable_error(url: str, token: str) -> TransportError:
    return TransportError(
        "a page was lost, and its token leads to the next",
        "oai.unrepeatable",
        permanent=False,
        url=url,
        resumptionToken=token[:500],
    )


def to_batches(page: Page, batch: Batch, page_token: str) -> Iterator[Batch]:
    """Yield the page as one batch, or a large page as several.

    batch: the last batch of the page, still without records. page_token: the token that leads to this page again, for
    all batches before the last one.
    """
    batch = replace(
        batch,
        response_date=page.response_date,
        complete_list_size=page.complete_list_size,
        observations=(*page.observations, *batch.observations),
        broken=(*page.broken, *batch.broken),
    )
    records = page.records
    if page.large is not None:
        parts = page.large()
        records = next(parts, ())
        for next_records in parts:
            yield Batch(records=records, resumption_token=page_token, more=True, response_date=page.response_date)
            records = next_records
    yield replace(batch, records=records)


def find_stray(records: Records, start: datetime | None, end: datetime | None) -> HarvestedRecord | None:
    """Return a record outside the requested dates if more than half of the records are; None otherwise."""
    strays = []
    for record in records:
        date = parse_date(record.datestamp)
        if date and ((start and date < start - DATE_TOLERANCE) or (end and date > end + DATE_TOLERANCE)):
            strays.append(record)
    return strays[0] if 2 * len(strays) > len(records) else None


def dates_ignored(stray: HarvestedRecord, requested_date: str) -> Observation:
    """The observation that the provider ignores from or until."""
    return Observation(
        code="oai.dates_ignored",
        facts={"asked": requested_date, "identifier": stray.identifier[:200], "datestamp": stray.datestamp[:50]},
    )
