"""Reading an OAI-PMH list by date windows, cutting those that cannot be read until they can, or giving them up.

Every window is a checkpoint. The order of windows means nothing: halves of a bad one are put behind all others, so
that a provider that answers nothing any more is soon told from one that stumbles over a few records.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec

from harvesting.transports.oai_pmh.date_windows import (
    MOST_WINDOWS,
    STEPS,
    Dates,
    Plan,
    Window,
    dates_of,
    halves,
    is_early,
    is_in_the_future,
    narrowed,
)
from harvesting.transports.oai_pmh.paging import ListRequest, Seen, Tally, deliver, ended_by_error, outside, walk
from harvesting.transports.oai_pmh.requests import Asker
from harvesting.transports.oai_pmh.responses import Page
from harvesting.types import Batch, Gap, HarvestRequest, Observation, TransportError

# The window itself is refused, by a provider that works.
REFUSED = frozenset({"http.413", "oai.badArgument", "http.400"})
# What a smaller window may help against.
TOO_MUCH = REFUSED | {
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
# Windows that fail one after another before the provider is taken to be down: at first, and once it has answered.
FIRST_FAILURES, MOST_FAILURES = 4, 6
MOST_FRUITLESS = 40  # cuts in a row that brought nothing new: more than any window can be cut
TRIES = 2  # of one request in a window, once the provider has answered


class DatesRefused(Exception):
    """The provider takes no dates, in whatever form and width; or it pays no attention to them."""


@dataclass(frozen=True, slots=True)
class _Next:
    """What is left after a window was read or given up. cut: it will be read again in parts."""

    plan: Plan
    gap: Gap | None = None
    cut: bool = False


def list_arguments(request: HarvestRequest, dates: Dates, verb: str = "ListRecords") -> dict[str, str]:
    """The first request of a list."""
    arguments = {
        "verb": verb,
        "metadataPrefix": request.metadata_prefix,
        "from": dates.from_,
        "until": dates.until,
        "set": request.set_spec,
    }
    return {name: value for name, value in arguments.items() if value}


class Slices:
    """One list by windows. notices: to be told with the next batch."""

    def __init__(
        self, asker: Asker, request: HarvestRequest, plan: Plan, seen: Seen, observations: list[Observation]
    ) -> None:
        self._asker = asker
        self._request = request
        self._plan = plan
        self._seen = seen
        self._notices = observations
        self._answered = False  # the window being read, with its first page

    def batches(self) -> Iterator[Batch]:
        """All that is left of the plan. Raises DatesRefused or TransportError."""
        failures = asked = 0
        while self._plan.todo:
            asked += 1
            self._answered = False
            try:
                self._plan = yield from self._window()
                failures = 0
            except TransportError as error:
                failures = 0 if self._answered else failures + (error.code not in REFUSED)
                most = MOST_FAILURES if self._plan.accepted else FIRST_FAILURES
                if error.code not in TOO_MUCH or failures >= most or asked > MOST_WINDOWS:
                    raise
                following = self._without_window(error)
                self._plan = following.plan
                if following.gap is not None or not self._plan.todo:
                    yield self._told(self._closing(following))

    def _window(self) -> Generator[Batch, None, Plan]:
        """Read the first window. Returns the plan without it."""
        plan, window = self._plan, self._plan.todo[0]
        dates = dates_of(plan, window)
        arguments = list_arguments(self._request, dates)
        request = ListRequest(
            arguments=arguments, token=plan.token, asked_set=self._request.set_spec, tries=TRIES if plan.accepted else 1
        )
        tally = Tally(resumed=bool(plan.token))
        following = _Next(plan)
        fresh = 0
        for asked, page in walk(self._asker, request, tally):
            if tally.pages == 1:
                _check_dates(page, window)
                self._answered = True
                self._plan = msgspec.structs.replace(self._plan, accepted=True)
            fresh += self._seen.add(page)
            plan = msgspec.structs.replace(plan, token=asked, accepted=True)
            if page.resumption_token:
                goes_on = msgspec.structs.replace(plan, token=page.resumption_token)
                batch = Batch(records=(), resumption_token=goes_on.encode())
            else:
                following = self._with_window(plan, tally, fresh, page)
                batch = self._closing(following, dates, page.observations)
            yield from deliver(page, self._told(batch), plan.encode())
        return following.plan

    def _with_window(self, plan: Plan, tally: Tally, found: int, page: Page) -> _Next:
        """After the first window was read to its end. found: how many records had not come before. page: the last."""
        window = plan.todo[0]
        if window.exact and not found and not tally.received:
            return self._given_up(plan, plan.why, {})  # it failed with its neighbours, and has nothing alone
        # A size that is always wrong would cut every window to pieces; but where records are known to be missing,
        # the size is right.
        doubtful = tally.is_doubtful(page)
        believed = MOST_FRUITLESS if plan.why == "oai.list_short" else 0
        fruitless = 0 if found else window.fruitless + 1
        short = tally.is_clearly_short() and self._seen.complete
        if not (short or doubtful) or fruitless > (0 if doubtful else believed):
            return _Next(plan.after_first())
        pieces = halves(plan, window, fruitless)
        if doubtful:
            self._notices.append(ended_by_error(page))
        if not (short or pieces):
            return _Next(plan.after_first())
        if pieces:
            return _Next(plan.after_first(*pieces), cut=True)
        return self._given_up(plan, "oai.list_short", {"received": tally.received or 0, "size": tally.size or 0})

    def _without_window(self, error: TransportError) -> _Next:
        """After the first window failed: cut, asked for in another way, or given up. Raises DatesRefused."""
        plan, window = self._plan, self._plan.todo[0]
        if error.code in {"oai.badArgument", "http.400"}:
            if not plan.accepted:
                return _Next(_in_another_way(plan, error))
            if self._is_dispensable(window):
                return _Next(plan.after_first())
        pieces = halves(plan, window)
        if pieces and not plan.accepted and error.code in REFUSED:
            return _Next(plan.instead_of_first(*pieces), cut=True)  # as small as it must be to be answered at all
        if not plan.accepted and not pieces:
            raise error
        if not pieces and not window.exact and window.start is not None and window.end is not None:
            pieces = (msgspec.structs.replace(window, exact=True),)
        if pieces:
            return _Next(plan.after_first(*pieces), cut=True)
        return self._given_up(plan, error.code, error.facts)

    def _is_dispensable(self, window: Window) -> bool:
        """Whether a window was only asked for in case that there is something; of the past it is told."""
        early = is_early(self._plan, window)
        if early:
            facts = {"until": dates_of(self._plan, window).until}
            self._notices.append(Observation(code="oai.not_before", facts=facts, incomplete=True))
        return early or is_in_the_future(self._plan, window)

    def _given_up(self, plan: Plan, code: str, facts: Mapping[str, str | int]) -> _Next:
        dates = dates_of(plan, plan.todo[0])
        gap = Gap(from_=dates.from_, until=dates.until, code=code, facts=facts)
        return _Next(msgspec.structs.replace(plan.after_first(), gapped=True), gap)

    def _closing(self, following: _Next, dates: Dates | None = None, found: Sequence[Observation] = ()) -> Batch:
        """The last batch of a window, without its records: what is covered, what is not, and how it goes on."""
        plan = following.plan
        gaps = () if following.gap is None else (following.gap,)
        covered = ((dates.from_, dates.until),) if dates is not None and not (gaps or following.cut) else ()
        if plan.todo:
            return Batch(records=(), resumption_token=plan.encode(), covered=covered, gaps=gaps)
        observations = _size_notice(plan, len(self._seen)) if self._seen.complete else ()
        incomplete = any(each.incomplete for each in (*self._notices, *found, *observations))
        everything = len(self._seen) > 0 and not (plan.gapped or plan.bounded or self._request.from_) and plan.step < 0
        return Batch(
            records=(), covered=covered, gaps=gaps, observations=observations, exhaustive=everything and not incomplete
        )

    def _told(self, batch: Batch) -> Batch:
        """The batch with the notices that have gathered."""
        observations = tuple(self._notices)
        self._notices.clear()
        return replace(batch, observations=(*observations, *batch.observations)) if observations else batch


def _in_another_way(plan: Plan, error: TransportError) -> Plan:
    """The plan with narrower windows, or the same dates in the other form."""
    for step in range(plan.step + 1, len(STEPS)):
        following = narrowed(plan, step)
        if following is not None and following.todo:
            return following
    raise DatesRefused from error


def _check_dates(page: Page, window: Window) -> None:
    """Windows of a provider that pays no attention to dates would be the whole list each time."""
    start, end = (None if each is None else datetime.fromtimestamp(each, UTC) for each in (window.start, window.end))
    if outside(page.records, start, end) is not None:
        raise DatesRefused


def _size_notice(plan: Plan, seen: int) -> tuple[Observation, ...]:
    """All windows are whole by their own account; then the size of the whole list was wrong."""
    if seen >= plan.size:
        return ()
    return (Observation(code="oai.size_differs", facts={"received": seen, "size": plan.size}, incomplete=True),)
