"""Harvests all records of an OAI-PMH list: as one list, restarted if it breaks off, or by date windows.

This module decides which way is taken. A single list is read in `paging`, date windows in `windowed_list`; whether a
list was complete is checked in `completeness`.
"""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import msgspec

from harvesting.transports.oai_pmh.completeness import Answer, identifiers_agree, is_suspicious, probe_for_more
from harvesting.transports.oai_pmh.date_windows import (
    DAY,
    PLAN_PREFIX,
    RESTART_TOKEN,
    YEAR,
    Dates,
    Plan,
    decode_plan,
    epoch_seconds,
    make_plan,
    other_granularity,
    start_of_day,
)
from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.transports.oai_pmh.paging import (
    ListProgress,
    ListRequest,
    SeenRecords,
    dates_ignored,
    ended_by_error,
    find_stray,
    read_pages,
    to_batches,
)
from harvesting.transports.oai_pmh.requests import OaiClient
from harvesting.transports.oai_pmh.responses import Page
from harvesting.transports.oai_pmh.windowed_list import DatesRefused, WindowedList, list_arguments
from harvesting.types import Batch, HarvestRequest, Identity, OaiSet, Observation, TransportError

MAX_RESTARTS = 2  # of a list that breaks off; after that it is read by date windows
LIST_INTERRUPTED = frozenset({"oai.badResumptionToken", "oai.unrepeatable", "oai.ended_by_error"})
# The provider cannot deliver the whole list; smaller lists may be possible.
TOO_LARGE = frozenset({"http.413", "http.500", "http.502", "http.504", "net.too_large"})
REFUSED_FIRST_REQUEST = TOO_LARGE | {"http.400", "oai.badArgument"}


class ProviderInfo:
    """What a harvest asks the provider besides the list itself: Identify and ListSets.

    A provider need not answer Identify or ListSets: NDL guideline 3.1.2 requires only ListRecords.
    """

    def __init__(self, identify: Callable[[], Identity], sets: Callable[[], Iterator[tuple[OaiSet, ...]]]) -> None:
        self._identify = identify
        self._sets = sets

    def identity(self) -> Identity:
        """Return the response to Identify, an empty one if there is none."""
        try:
            return self._identify()
        except TransportError:
            return Identity()

    def has_lost(self, set_spec: str) -> bool:
        """Whether the provider no longer has the set: ListSets names neither the set nor a subset, or it has no sets.

        False if ListSets fails otherwise.
        """
        try:
            for page in self._sets():
                if any(oai_set.spec == set_spec or oai_set.spec.startswith(f"{set_spec}:") for oai_set in page):
                    return False
        except TransportError as error:
            return error.code == "oai.noSetHierarchy"
        return True


class ListHarvest:
    """One harvest of the list that a request describes."""

    def __init__(
        self, client: OaiClient, request: HarvestRequest, provider: ProviderInfo, clock: Callable[[], float] = time.time
    ) -> None:
        self._client = client
        self._request = request
        self._provider = provider
        self._clock = clock
        self._observations: list[Observation] = []
        self._progress = ListProgress(resumed=False)
        self._seen = SeenRecords(complete=False)
        self._restarted = False

    def batches(self) -> Iterator[Batch]:
        """As `Transport.batches`. The list is restarted if the token of an earlier run has expired."""
        self._client.start_list()
        token = self._request.resumption_token
        plan, cause = decode_plan(token), None
        if plan is None:
            try:
                plan = yield from self._read_whole_list("" if token.startswith(PLAN_PREFIX) else token)
            except TransportError as error:
                plan, cause = self._plan_after_error(error), error
        if plan is None:
            return
        self._observations.append(Observation(code="oai.windows", facts={"why": plan.why}))
        try:
            yield from WindowedList(self._client, self._request, plan, self._seen, self._observations).batches()
        except DatesRefused as refused:
            yield from self._read_without_dates(plan, cause, refused)

    def _read_whole_list(self, token: str) -> Generator[Batch, None, Plan | None]:
        """Read the list as a whole, restarting it if it breaks off. Return a plan if date windows must be read too."""
        restarts_left = MAX_RESTARTS
        while True:
            try:
                return (yield from self._read_in_either_granularity(token))
            except TransportError as error:
                if error.code not in LIST_INTERRUPTED or not (token or self._progress.pages) or not restarts_left:
                    raise
                self._observations.append(Observation(code="oai.restarted", facts={"reason": error.message[:300]}))
                self._restarted = True
                restarts_left -= 1
                token = ""

    def _read_in_either_granularity(self, token: str) -> Generator[Batch, None, Plan | None]:
        """Read the list with the requested dates; if they are refused, with dates in the other granularity."""
        requested_dates = Dates(from_=self._request.from_, until=self._request.until)
        try:
            return (yield from self._read_list(requested_dates, token))
        except TransportError as error:
            if error.code != "oai.badArgument" or token or self._progress.pages:
                raise
            self._raise_if_set_is_lost(error)
            if requested_dates == Dates():
                raise
            self._observations.append(
                Observation(code="oai.granularity", facts={"asked": requested_dates.from_ or requested_dates.until})
            )
            try:
                return (yield from self._read_list(other_granularity(requested_dates), token))
            except TransportError:
                self._observations = [
                    observation for observation in self._observations if observation.code != "oai.granularity"
                ]
                raise

    def _read_list(self, dates: Dates, token: str) -> Generator[Batch, None, Plan | None]:
        self._progress, self._seen = ListProgress(resumed=bool(token)), SeenRecords(complete=not token)
        request = ListRequest(
            arguments=list_arguments(self._request, dates),
            token=token,
            requested_set=self._request.set_spec,
            recognise=self._request.recognise,
        )
        for page_token, page in read_pages(self._client, request, self._progress):
            self._seen.add(page)
            if self._progress.pages == 1 and not token:
                self._check_first_page(page, dates)
            resume_token = RESTART_TOKEN if page_token and page_token == page.resumption_token else page_token
            if not page.resumption_token:
                return (yield from self._finish_list(page, resume_token))
            # A later run cannot resume from a token that stays the same on all pages.
            batch = Batch(
                records=(), resumption_token=RESTART_TOKEN if resume_token == RESTART_TOKEN else page.resumption_token
            )
            yield from to_batches(page, self._with_observations(batch), resume_token)
        return None

    def _check_first_page(self, page: Page, dates: Dates) -> None:
        if page.error is not None and self._restarted:
            raise page.error  # the list had records before the restart, so it is not empty
        stray = find_stray(page.records, parse_date(dates.from_), parse_date(dates.until))
        if stray is not None:
            self._observations.append(dates_ignored(stray, dates.from_ or dates.until))
        set_spec = self._request.set_spec
        if page.error is not None and set_spec and self._provider.has_lost(set_spec):
            self._observations.append(Observation(code="oai.set_gone", facts={"set": set_spec}, incomplete=True))

    def _finish_list(self, page: Page, page_token: str) -> Generator[Batch, None, Plan | None]:
        """Yield the last page. Return a plan if the list was incomplete."""
        progress = self._progress
        is_short = progress.is_clearly_short(self._seen)
        is_doubtful = progress.is_doubtful(page)
        if is_short or is_doubtful or is_suspicious(progress, page, self._request):
            answer = probe_for_more(self._client, self._request, progress, self._seen)
            if is_doubtful and answer is Answer.UNKNOWN and not self._restarted:
                reason = str(ended_by_error(page).facts["reason"])
                raise TransportError(reason, "oai.ended_by_error", permanent=False, reason=reason)
            if answer is Answer.MORE or (is_short and progress.resumed):
                plan = self._new_plan("oai.list_short")
                yield from to_batches(
                    page, self._with_observations(Batch(records=(), resumption_token=plan.encode())), page_token
                )
                return plan
            if is_short and not self._is_complete_despite_size(answer, page):
                yield from to_batches(
                    page, self._with_observations(Batch(records=(), resumption_token=page_token, more=True)), page_token
                )
                raise self._list_short_error()
        if is_doubtful:
            self._observations.append(ended_by_error(page))
        self._observations += self._count_observations()
        is_unrestricted = not (self._request.from_ or self._request.until)
        incomplete = any(observation.incomplete for observation in (*self._observations, *page.observations))
        yield from to_batches(
            page, self._with_observations(Batch(records=(), exhaustive=is_unrestricted and not incomplete)), page_token
        )
        return None

    def _is_complete_despite_size(self, answer: Answer, page: Page) -> bool:
        """Whether the list is complete and the announced size is wrong."""
        is_confirmed = page.is_explicit_end and self._progress.pages > 1 and answer is Answer.NO_MORE
        return is_confirmed or identifiers_agree(self._client, self._request, self._seen)

    def _count_observations(self) -> Iterator[Observation]:
        """Yield observations if the number of records differs from the announced one, or records came twice."""
        size, received, seen = self._progress.size, self._progress.received, len(self._seen)
        if received is None:
            return
        if size is not None and received != size:
            facts = {"received": received, "size": size}
            yield Observation(code="oai.size_differs", facts=facts, incomplete=received < size)
        if self._seen.complete and seen < received:
            facts = {"count": received - seen, "records": seen}
            yield Observation(code="oai.duplicates", facts=facts, incomplete=size is not None and seen < size)

    def _read_without_dates(self, plan: Plan, cause: TransportError | None, refused: DatesRefused) -> Iterator[Batch]:
        """Read the list without dates, if the refused dates were the only reason for date windows.

        If there was another reason, or the request had no dates, raises the error that made date windows necessary.
        """
        dates = Dates(from_=self._request.from_, until=self._request.until)
        self._observations = [observation for observation in self._observations if observation.code != "oai.windows"]
        if plan.why == "oai.list_short":
            raise self._list_short_error() from refused
        if dates == Dates() or plan.why != "oai.badArgument":
            raise cause or TransportError(plan.why, plan.why, permanent=False) from refused
        facts = {"asked": dates.from_ or dates.until}
        self._observations.append(Observation(code="oai.dates_refused", facts=facts))
        yield from self._read_list(Dates(), "")

    def _plan_after_error(self, error: TransportError) -> Plan:
        """Return a plan of date windows. Raises the error if they cannot help."""
        has_begun = bool(self._progress.pages or self._progress.resumed)
        if error.code not in (LIST_INTERRUPTED | TOO_LARGE if has_begun else REFUSED_FIRST_REQUEST):
            raise error
        return self._new_plan(error.code)

    def _new_plan(self, why: str) -> Plan:
        identity = self._provider.identity()
        now = int(self._clock())
        earliest = epoch_seconds(identity.earliest_datestamp)
        candidates = [now - 20 * YEAR if earliest is None or not 0 <= earliest <= now else earliest]
        if self._progress.oldest is not None:
            candidates.append(int(self._progress.oldest.timestamp()))
        oldest = max(0, min(candidates))
        plan = make_plan(
            why,
            Dates(from_=self._request.from_, until=self._request.until),
            now=now,
            oldest=start_of_day(oldest),
            finest=1 if "s" in identity.granularity.lower() else DAY,
        )
        return msgspec.structs.replace(plan, size=self._progress.size or 0)

    def _raise_if_set_is_lost(self, error: TransportError) -> None:
        set_spec = self._request.set_spec
        if set_spec and self._provider.has_lost(set_spec):
            message = f"the set {set_spec} is gone"
            raise TransportError(message, "oai.set_gone", permanent=True, set=set_spec) from error

    def _list_short_error(self) -> TransportError:
        return TransportError(
            "the list ended too early",
            "oai.list_short",
            permanent=True,
            received=self._progress.received or len(self._seen),
            size=self._progress.size or 0,
        )

    def _with_observations(self, batch: Batch) -> Batch:
        """Return the batch with the observations collected since the last one."""
        observations = tuple(self._observations)
        self._observations.clear()
        return replace(batch, observations=observations)
