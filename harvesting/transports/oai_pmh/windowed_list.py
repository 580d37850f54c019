"""Reads an OAI-PMH list by date windows; a window that cannot be read is split until it can, or given up.

Every window is a checkpoint. The order of the windows does not matter: the halves of a failed window go to the end of
the queue, so that a provider that is down is soon distinguished from one that fails on a few records.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec

from harvesting.transports.oai_pmh.date_windows import (
    MAX_WINDOWS,
    STEPS,
    Dates,
    Plan,
    Window,
    dates_of,
    halves,
    is_before_oldest,
    is_in_the_future,
    with_closed_windows,
)
from harvesting.transports.oai_pmh.paging import (
    ListProgress,
    ListRequest,
    SeenRecords,
    ended_by_error,
    find_stray,
    read_pages,
    to_batches,
)
from harvesting.transports.oai_pmh.requests import OaiClient
from harvesting.transports.oai_pmh.responses import Page
from harvesting.types import Batch, Gap, HarvestRequest, Observation, TransportError

# The provider works but refuses the window.
REFUSED = frozenset({"http.413", "oai.badArgument", "http.400"})
# Errors that a smaller window may avoid.
SPLITTABLE = REFUSED | {
    "http.500",
    "http.502",
    "http.504",
    "net.too_large",
    "net.truncated",
    "net.timeout",
    "oai.badResumptionToken",
    "oai.unrepeatable",
    "oai.unknown",
    "oai.not_oai",
    "oai.no_answer",
    "xml.malformed",
}
# Consecutive failures after which the provider is considered down: before and after it has answered a first window.
MAX_FIRST_FAILURES, MAX_FAILURES = 4, 6
MAX_FRUITLESS = 40  # consecutive splits without new records; no window can be halved so often
MAX_ATTEMPTS = 2  # of one request in a window, after the provider has answered a first window


class DatesRefused(Exception):
    """The provider refuses dates in every granularity and width, or ignores them."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of reading or giving up a window. plan: what remains. was_split: the window is read again in parts."""

    plan: Plan
    gap: Gap | None = None
    was_split: bool = False


def list_arguments(request: HarvestRequest, dates: Dates, verb: str = "ListRecords") -> dict[str, str]:
    """Return the arguments of the first request of a list."""
    arguments = {
        "verb": verb,
        "metadataPrefix": request.metadata_prefix,
        "from": dates.from_,
        "until": dates.until,
        "set": request.set_spec,
    }
    return {name: value for name, value in arguments.items() if value}


class WindowedList:
    """One list that is read by windows. observations: to be passed on with the next batch."""

    def __init__(
        self, client: OaiClient, request: HarvestRequest, plan: Plan, seen: SeenRecords, observations: list[Observation]
    ) -> None:
        self._client = client
        self._request = request
        self._plan = plan
        self._seen = seen
        self._observations = observations
        self._has_answered = False  # whether the first page of the current window has been read

    def batches(self) -> Iterator[Batch]:
        """Read all windows of the plan. Raises DatesRefused or TransportError."""
        failures = windows_tried = 0
        while self._plan.todo:
            windows_tried += 1
            self._has_answered = False
            try:
                self._plan = yield from self._read_window()
                failures = 0
            except TransportError as error:
                failures = 0 if self._has_answered else failures + (error.code not in REFUSED)
                max_failures = MAX_FAILURES if self._plan.accepted else MAX_FIRST_FAILURES
                if error.code not in SPLITTABLE or failures >= max_failures or windows_tried > MAX_WINDOWS:
                    raise
                outcome = self._after_failure(error)
                self._plan = outcome.plan
                if outcome.gap is not None or not self._plan.todo:
                    yield self._with_observations(self._closing_batch(outcome))

    def _read_window(self) -> Generator[Batch, None, Plan]:
        """Read the first window. Return the remaining plan."""
        plan, window = self._plan, self._plan.todo[0]
        dates = dates_of(plan, window)
        arguments = list_arguments(self._request, dates)
        request = ListRequest(
            arguments=arguments,
            token=plan.token,
            requested_set=self._request.set_spec,
            max_attempts=MAX_ATTEMPTS if plan.accepted else 1,
            recognise=self._request.recognise,
        )
        progress = ListProgress(resumed=bool(plan.token))
        outcome = _Outcome(plan)
        new_records = 0
        for page_token, page in read_pages(self._client, request, progress):
            if progress.pages == 1:
                _check_dates(page, window)
                self._has_answered = True
                self._plan = msgspec.structs.replace(self._plan, accepted=True)
            new_records += self._seen.add(page)
            plan = msgspec.structs.replace(plan, token=page_token, accepted=True)
            if page.resumption_token:
                continued = msgspec.structs.replace(plan, token=page.resumption_token)
                batch = Batch(records=(), resumption_token=continued.encode())
            else:
                outcome = self._after_reading(plan, progress, new_records, page)
                batch = self._closing_batch(outcome, dates, page.observations)
            yield from to_batches(page, self._with_observations(batch), plan.encode())
        return outcome.plan

    def _after_reading(self, plan: Plan, progress: ListProgress, new_records: int, page: Page) -> _Outcome:
        """Decide what follows after the first window was read to its end.

        new_records: how many of its records had not been received before. page: its last page.
        """
        window = plan.todo[0]
        if window.exact and not new_records and not progress.received:
            return self._give_up(plan, plan.why, {})  # it failed in a wider window, and is empty on its own
        # If the announced sizes are always wrong, believing them would split every window to pieces. They are believed
        # only if records are known to be missing.
        is_doubtful = progress.is_doubtful(page)
        max_fruitless = MAX_FRUITLESS if plan.why == "oai.list_short" else 0
        fruitless = 0 if new_records else window.fruitless + 1
        is_short = progress.is_clearly_short() and self._seen.complete
        if not (is_short or is_doubtful) or fruitless > (0 if is_doubtful else max_fruitless):
            return _Outcome(plan.without_first())
        parts = halves(plan, window, fruitless)
        if is_doubtful:
            self._observations.append(ended_by_error(page))
        if not (is_short or parts):
            return _Outcome(plan.without_first())
        if parts:
            return _Outcome(plan.without_first(*parts), was_split=True)
        return self._give_up(plan, "oai.list_short", {"received": progress.received or 0, "size": progress.size or 0})

    def _after_failure(self, error: TransportError) -> _Outcome:
        """Decide what follows after the first window failed: split it, change the form of dates, or give it up.

        Raises DatesRefused if no form of dates is left, and the error if the provider has not answered any window yet
        and this one cannot be split.
        """
        plan, window = self._plan, self._plan.todo[0]
        if error.code in {"oai.badArgument", "http.400"}:
            if not plan.accepted:
                return _Outcome(_in_another_form(plan, error))
            if self._is_dispensable(window):
                return _Outcome(plan.without_first())
        parts = halves(plan, window)
        if parts and not plan.accepted and error.code in REFUSED:
            return _Outcome(plan.replace_first(*parts), was_split=True)  # make it as small as the provider requires
        if not plan.accepted and not parts:
            raise error
        if not parts and not window.exact and window.start is not None and window.end is not None:
            parts = (msgspec.structs.replace(window, exact=True),)
        if parts:
            return _Outcome(plan.without_first(*parts), was_split=True)
        return self._give_up(plan, error.code, error.facts)

    def _is_dispensable(self, window: Window) -> bool:
        """Whether a window is probably empty, so that its failure does not matter; noted if it is in the past."""
        is_early = is_before_oldest(self._plan, window)
        if is_early:
            facts = {"until": dates_of(self._plan, window).until}
            self._observations.append(Observation(code="oai.not_before", facts=facts, incomplete=True))
        return is_early or is_in_the_future(self._plan, window)

    def _give_up(self, plan: Plan, code: str, facts: Mapping[str, str | int]) -> _Outcome:
        dates = dates_of(plan, plan.todo[0])
        gap = Gap(from_=dates.from_, until=dates.until, code=code, facts=facts)
        return _Outcome(msgspec.structs.replace(plan.without_first(), gapped=True), gap)

    def _closing_batch(
        self, outcome: _Outcome, dates: Dates | None = None, page_observations: Sequence[Observation] = ()
    ) -> Batch:
        """Return the last batch of a window without its records: the dates covered, the gaps and the next token."""
        plan = outcome.plan
        gaps = () if outcome.gap is None else (outcome.gap,)
        covered = ((dates.from_, dates.until),) if dates is not None and not (gaps or outcome.was_split) else ()
        if plan.todo:
            return Batch(records=(), resumption_token=plan.encode(), covered=covered, gaps=gaps)
        observations = _size_observation(plan, len(self._seen)) if self._seen.complete else ()
        incomplete = any(
            observation.incomplete for observation in (*self._observations, *page_observations, *observations)
        )
        is_whole_list = (
            len(self._seen) > 0 and not (plan.gapped or plan.bounded or self._request.from_) and plan.step < 0
        )
        return Batch(
            records=(),
            covered=covered,
            gaps=gaps,
            observations=observations,
            exhaustive=is_whole_list and not incomplete,
        )

    def _with_observations(self, batch: Batch) -> Batch:
        """Return the batch with the observations collected since the last one."""
        observations = tuple(self._observations)
        self._observations.clear()
        return replace(batch, observations=(*observations, *batch.observations)) if observations else batch


def _in_another_form(plan: Plan, error: TransportError) -> Plan:
    """Return the plan in the next form of STEPS: narrower windows, or the other granularity. Raises DatesRefused."""
    for step in range(plan.step + 1, len(STEPS)):
        narrower_plan = with_closed_windows(plan, step)
        if narrower_plan is not None and narrower_plan.todo:
            return narrower_plan
    raise DatesRefused from error


def _check_dates(page: Page, window: Window) -> None:
    """Raise DatesRefused if the provider ignores dates, because every window would then return the whole list."""
    start, end = (
        None if seconds is None else datetime.fromtimestamp(seconds, UTC) for seconds in (window.start, window.end)
    )
    if find_stray(page.records, start, end) is not None:
        raise DatesRefused


def _size_observation(plan: Plan, seen: int) -> tuple[Observation, ...]:
    """The observation that the announced size of the list was wrong, after all windows were read completely."""
    if seen >= plan.size:
        return ()
    return (Observation(code="oai.size_differs", facts={"received": seen, "size": plan.size}, incomplete=True),)
