"""Plans how a list is split into date windows, and encodes the plan as a resumption token. Pure functions.

Adjacent windows overlap: each but the smallest is requested with one unit of time (day or second) more, so that no
record is lost if a provider treats from or until as exclusive (scenario D3 of the sample provider). The first window
has no start and the last one no end, so that a wrong earliestDatestamp loses nothing either (D4), unless the provider
refuses such windows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Self

import msgspec

from harvesting.transports.oai_pmh.envelope import parse_date

DAY = 24 * 60 * 60
YEAR = 365 * DAY
# Marks our own tokens. No provider's token begins with this character, which XML 1.0 does not allow.
PLAN_PREFIX = "\x1f"
RESTART_TOKEN = PLAN_PREFIX + "again"  # the list cannot be resumed, only restarted
# (width in seconds, dates with seconds) of closed windows, tried in turn until the provider accepts one. Windows are
# requested with a day more, so the widths are a little less than a year and the shortest month.
STEPS = ((364 * DAY, False), (364 * DAY, True), (27 * DAY, False), (27 * DAY, True), (DAY, False), (DAY, True))
MAX_WINDOWS = 3_000


class Window(msgspec.Struct, frozen=True, array_like=True):
    """A date window from start, inclusive, to end, exclusive: seconds since 1970 in UTC, None = open.

    exact: requested without the additional day or second. fruitless: how often it was split without new records.
    """

    start: int | None
    end: int | None
    exact: bool = False
    fruitless: int = 0


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The remaining windows of a list. The field names are part of stored tokens: do not rename them.

    todo: the windows; the first one is being read. token: the provider's own token in the first window.
    why: the code of the error that made windows necessary. now: when the plan was made, in seconds since 1970.
    oldest: the assumed earliest datestamp. bounded: the request names an end date.
    finest: the width of the smallest window in seconds. by_second: dates are sent with seconds.
    step: the index in STEPS that is in use, -1 = open windows.
    accepted: the provider has answered a window. gapped: a window was given up.
    size: of the whole list according to the provider, 0 = unknown.
    last_look: the last window, of what has changed since `now`, has been added.
    """

    todo: tuple[Window, ...]
    why: str
    now: int
    oldest: int
    token: str = ""
    bounded: bool = False
    finest: int = DAY
    by_second: bool = False
    step: int = -1
    accepted: bool = False
    gapped: bool = False
    size: int = 0
    last_look: bool = False

    def encode(self) -> str:
        """Return the plan as a resumption token; "" if no window is left."""
        return PLAN_PREFIX + msgspec.json.encode(self).decode() if self.todo else ""

    def replace_first(self, *windows: Window) -> Self:
        """Return the plan with these windows instead of its first one."""
        return msgspec.structs.replace(self, todo=(*windows, *self.todo[1:]), token="")

    def without_first(self, *windows: Window) -> Self:
        """Return the plan without its first window and with the given windows at the end.

        When no window is left, one is added once for the changes since the plan was made.
        """
        todo = (*self.todo[1:], *windows)
        plan = msgspec.structs.replace(self, todo=todo, token="")
        if todo or self.last_look or self.bounded:
            return plan
        return msgspec.structs.replace(plan, todo=(self._changes_since_start(),), last_look=True)

    def _changes_since_start(self) -> Window:
        """The window of the changes since the plan was made.

        A changed record may have moved from a window that was still to be read to one that had been read.
        """
        return Window(start_of_day(self.now) - DAY, None if self.step < 0 else start_of_day(self.now) + YEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """The arguments from and until as sent, "" = absent."""

    from_: str = ""
    until: str = ""


def decode_plan(token: str) -> Plan | None:
    """Return the plan in a token; None if it is a provider's own token, RESTART_TOKEN or of another version."""
    if not token.startswith(PLAN_PREFIX) or token == RESTART_TOKEN:
        return None
    try:
        return msgspec.json.decode(token[len(PLAN_PREFIX) :], type=Plan)
    except msgspec.MsgspecError:
        return None  # made by another version: the list is restarted


def dates_of(plan: Plan, window: Window) -> Dates:
    """Return the dates with which a window is requested."""
    bounds = [seconds for seconds in (window.start, window.end) if seconds is not None]
    by_second = plan.by_second or any(seconds % DAY for seconds in bounds)
    from_ = "" if window.start is None else protocol_date(window.start, by_second)
    if window.end is None:
        return Dates(from_=from_)
    excess = (1 if by_second else DAY) if window.exact else 0
    return Dates(from_=from_, until=protocol_date(window.end - excess, by_second))


def halves(plan: Plan, window: Window, fruitless: int = 0) -> tuple[Window, ...]:
    """Return the halves of a window; () if it cannot be split any more."""
    start, end = _finite_bounds(plan, window)
    middle = start + (end - start) // 2
    if end - start >= 2 * DAY:
        middle = start_of_day(middle)
    elif plan.finest >= DAY:
        return ()
    if not start < middle < end:
        return ()
    return Window(window.start, middle, fruitless=fruitless), Window(middle, window.end, fruitless=fruitless)


def with_closed_windows(plan: Plan, step: int) -> Plan | None:
    """Return the plan with closed windows of the width STEPS[step]; None if these are too many."""
    width, by_second = STEPS[step]
    floor = _floor(plan, step)
    todo: list[Window] = []
    early_starts = [window.start or 0 for window in plan.todo if (window.start or 0) < floor]
    for window in plan.todo:
        if window.end is not None and window.end <= floor:
            continue
        edges = _edges(plan, Window(max(window.start or 0, floor), window.end), width)
        if len(edges) + len(todo) > MAX_WINDOWS:
            return None
        todo += [Window(*pair) for pair in pairwise(edges)]
    if early_starts:
        end = min(floor, max(window.end or floor for window in plan.todo))
        todo.append(Window(min(early_starts), end))
    return msgspec.structs.replace(plan, todo=tuple(todo), token="", step=step, by_second=by_second)


def is_before_oldest(plan: Plan, window: Window) -> bool:
    """Whether a window ends well before the earliest datestamp, and is read only in case that datestamp is wrong."""
    return window.end is not None and window.end <= _floor(plan, plan.step)


def is_in_the_future(plan: Plan, window: Window) -> bool:
    """Whether a window is in the future, where some providers refuse dates; it has no records."""
    return window.start is not None and window.start > plan.now


def make_plan(why: str, dates: Dates, *, now: int, oldest: int, finest: int) -> Plan:
    """Make a plan of two windows (one, if the dates cannot be split) for a list that could not be read as a whole.

    dates: of the request. why, now, oldest, finest: as in `Plan`.
    """
    start = epoch_seconds(dates.from_)
    if start is not None and finest >= DAY:
        start = start_of_day(start)
    end = epoch_seconds(dates.until)
    if end is not None:
        end = start_of_day(end) + DAY if len(dates.until) <= len("YYYY-MM-DD") or finest >= DAY else end + 1
    plan = Plan(todo=(), why=why, now=now, oldest=oldest, finest=finest, bounded=end is not None)
    window = Window(start, end)
    return msgspec.structs.replace(plan, todo=halves(plan, window) or (window,))


def epoch_seconds(text: str) -> int | None:
    """Return a protocol date in seconds since 1970; None if it is not a date."""
    date = parse_date(text)
    return None if date is None else int(date.timestamp())


def protocol_date(seconds: int, by_second: bool) -> str:
    """Return a protocol date in the granularity of seconds or days."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ" if by_second else "%Y-%m-%d")


def start_of_day(seconds: int) -> int:
    """Return the start of the day (UTC) of a time in seconds since 1970."""
    return seconds - seconds % DAY


def other_granularity(dates: Dates) -> Dates:
    """Return the dates in the other granularity; they never cover less than the given ones."""
    by_day = all(len(date) <= len("YYYY-MM-DD") for date in (dates.from_, dates.until))
    if not by_day:
        return Dates(from_=dates.from_[:10], until=dates.until[:10])
    return Dates(from_=dates.from_ and f"{dates.from_}T00:00:00Z", until=dates.until and f"{dates.until}T23:59:59Z")


def _edges(plan: Plan, window: Window, width: int) -> list[int]:
    """Return where a window is split into closed ones. Tomorrow is an edge: some providers refuse later dates."""
    tomorrow = start_of_day(plan.now) + DAY
    end = window.end if window.end is not None else tomorrow + YEAR
    start = window.start
    if start is None:
        start = 0
    past = [*range(start, min(end, tomorrow), width)]
    future = [*range(max(start, tomorrow), end, width)] if width > DAY else []
    return [*past, *future, end if end <= tomorrow or future else max(start, tomorrow)]


def _floor(plan: Plan, step: int) -> int:
    """Return where the closed windows begin; the time before that is one window, which is read last.

    Windows of a year begin in 1970. Of smaller ones there would be too many, so they begin shortly before the oldest
    record.
    """
    width = STEPS[step][0] if step >= 0 else YEAR
    if width > 27 * DAY:
        return 0
    return max(0, plan.oldest - (YEAR if width > DAY else 30 * DAY))


def _finite_bounds(plan: Plan, window: Window) -> tuple[int, int]:
    """Return the bounds that are assumed for splitting a window, also if it is open."""
    tomorrow = start_of_day(plan.now) + 2 * DAY
    end = window.end if window.end is not None else max(tomorrow, (window.start or 0))
    start = window.start
    if start is None:
        start = plan.oldest if end - plan.oldest >= 2 * DAY else 0
    return start, end
