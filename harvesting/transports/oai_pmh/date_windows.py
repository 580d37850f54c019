"""Cutting a list into date windows: which windows, how they are asked for, and the plan as text. Pure.

Windows touch, and each but the smallest is asked for with one granule more than its own: a provider that takes
from or until as exclusive loses nothing (catalogue D3). The first has no beginning and the last no end, so that a
wrong earliestDatestamp loses nothing either (D4), unless the provider refuses such windows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Self

import msgspec

from harvesting.transports.oai_pmh.envelope import parse_date

DAY = 24 * 60 * 60
YEAR = 365 * DAY
# No provider's token begins like this: XML 1.0 has no such character.
MARK = "\x1f"
AGAIN = MARK + "again"  # the list cannot be gone on with, only begun again
# How wide and in which form closed windows are asked for, until the provider accepts: (seconds, by second).
# A day is asked for beyond each window, so they are a little narrower than a year and the shortest month.
STEPS = ((364 * DAY, False), (364 * DAY, True), (27 * DAY, False), (27 * DAY, True), (DAY, False), (DAY, True))
MOST_WINDOWS = 3_000


class Window(msgspec.Struct, frozen=True, array_like=True):
    """From start, inclusive, to end, exclusive: seconds since 1970 in UTC, None = open.

    exact: asked for without the granule more. fruitless: how often it was cut although nothing new came.
    """

    start: int | None
    end: int | None
    exact: bool = False
    fruitless: int = 0


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is left of a list that is read by windows. The first window is the one being read.

    token: the provider's own, in the first window. why: the code of what made it necessary. now: when it began.
    oldest: where to look for the beginning. bounded: a person has named the end. finest: seconds of the smallest
    window. step: how far STEPS were needed, -1 = not. accepted: the provider has answered a window.
    gapped: a window was given up. size: of the whole list, as the provider said, 0 = not.
    last_look: what has changed meanwhile is asked for.
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
        """As a resumption token; "" when nothing is left."""
        return MARK + msgspec.json.encode(self).decode() if self.todo else ""

    def instead_of_first(self, *windows: Window) -> Self:
        """With these in the place of its first window."""
        return msgspec.structs.replace(self, todo=(*windows, *self.todo[1:]), token="")

    def after_first(self, *more: Window) -> Self:
        """Without its first window, and with more at the end. The last look comes when all else is done."""
        todo = (*self.todo[1:], *more)
        plan = msgspec.structs.replace(self, todo=todo, token="")
        if todo or self.last_look or self.bounded:
            return plan
        return msgspec.structs.replace(plan, todo=(self._since_the_beginning(),), last_look=True)

    def _since_the_beginning(self) -> Window:
        """What has changed since the plan was made, and may have moved from a window still to be read to one that
        had been read."""
        return Window(aligned(self.now) - DAY, None if self.step < 0 else aligned(self.now) + YEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """from and until as they are sent, "" = not."""

    from_: str = ""
    until: str = ""


def decode(token: str) -> Plan | None:
    """The plan in a token; None if it is a provider's own, or AGAIN."""
    if not token.startswith(MARK) or token == AGAIN:
        return None
    try:
        return msgspec.json.decode(token[len(MARK) :], type=Plan)
    except msgspec.MsgspecError:
        return None  # of another version: the list begins again


def dates_of(plan: Plan, window: Window) -> Dates:
    """How a window is asked for."""
    ends = [each for each in (window.start, window.end) if each is not None]
    by_second = plan.by_second or any(each % DAY for each in ends)
    from_ = "" if window.start is None else written(window.start, by_second)
    if window.end is None:
        return Dates(from_=from_)
    less = (1 if by_second else DAY) if window.exact else 0
    return Dates(from_=from_, until=written(window.end - less, by_second))


def halves(plan: Plan, window: Window, fruitless: int = 0) -> tuple[Window, ...]:
    """The window in two; () where it cannot be cut any more."""
    start, end = _bounds(plan, window)
    middle = start + (end - start) // 2
    if end - start >= 2 * DAY:
        middle = aligned(middle)
    elif plan.finest >= DAY:
        return ()
    if not start < middle < end:
        return ()
    return Window(window.start, middle, fruitless=fruitless), Window(middle, window.end, fruitless=fruitless)


def narrowed(plan: Plan, step: int) -> Plan | None:
    """The plan with closed windows of the width of a step; None if these are too many."""
    width, by_second = STEPS[step]
    floor = _floor(plan, step)
    todo: list[Window] = []
    early = [each.start or 0 for each in plan.todo if (each.start or 0) < floor]
    for window in plan.todo:
        if window.end is not None and window.end <= floor:
            continue
        edges = _edges(plan, Window(max(window.start or 0, floor), window.end), width)
        if len(edges) + len(todo) > MOST_WINDOWS:
            return None
        todo += [Window(*pair) for pair in pairwise(edges)]
    if early:
        end = min(floor, max(each.end or floor for each in plan.todo))
        todo.append(Window(min(early), end))
    return msgspec.structs.replace(plan, todo=tuple(todo), token="", step=step, by_second=by_second)


def is_early(plan: Plan, window: Window) -> bool:
    """Whether it lies long before all that the provider says to have, and is asked for only in case that is wrong."""
    return window.end is not None and window.end <= _floor(plan, plan.step)


def is_in_the_future(plan: Plan, window: Window) -> bool:
    """Some providers refuse dates that are still to come, and hold nothing there."""
    return window.start is not None and window.start > plan.now


def begin(why: str, dates: Dates, *, now: int, oldest: int, finest: int) -> Plan:
    """A plan of two windows for a list that could not be read at once."""
    start = moment(dates.from_)
    if start is not None and finest >= DAY:
        start = aligned(start)
    end = moment(dates.until)
    if end is not None:
        end = aligned(end) + DAY if len(dates.until) <= len("YYYY-MM-DD") or finest >= DAY else end + 1
    plan = Plan(todo=(), why=why, now=now, oldest=oldest, finest=finest, bounded=end is not None)
    whole = Window(start, end)
    return msgspec.structs.replace(plan, todo=halves(plan, whole) or (whole,))


def moment(text: str) -> int | None:
    """Seconds since 1970 of a protocol date; None for none."""
    read = parse_date(text)
    return None if read is None else int(read.timestamp())


def written(seconds: int, by_second: bool) -> str:
    """A protocol date, in seconds or in days."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ" if by_second else "%Y-%m-%d")


def aligned(seconds: int) -> int:
    """The beginning of the day."""
    return seconds - seconds % DAY


def other_form(dates: Dates) -> Dates:
    """The same days by the second, or the same seconds by the day: never less than what was asked for."""
    by_day = all(len(each) <= len("YYYY-MM-DD") for each in (dates.from_, dates.until))
    if not by_day:
        return Dates(from_=dates.from_[:10], until=dates.until[:10])
    return Dates(from_=dates.from_ and f"{dates.from_}T00:00:00Z", until=dates.until and f"{dates.until}T23:59:59Z")


def _edges(plan: Plan, window: Window, width: int) -> list[int]:
    """Where to cut a window into closed ones; tomorrow is an edge, because beyond it some refuse."""
    tomorrow = aligned(plan.now) + DAY
    end = window.end if window.end is not None else tomorrow + YEAR
    start = window.start
    if start is None:
        start = 0
    past = [*range(start, min(end, tomorrow), width)]
    future = [*range(max(start, tomorrow), end, width)] if width > DAY else []
    return [*past, *future, end if end <= tomorrow or future else max(start, tomorrow)]


def _floor(plan: Plan, step: int) -> int:
    """Where closed windows begin: years cost nothing, of smaller ones there would be hundreds before the oldest
    record. What lies before is one window, asked for last."""
    width = STEPS[step][0] if step >= 0 else YEAR
    if width > 27 * DAY:
        return 0
    return max(0, plan.oldest - (YEAR if width > DAY else 30 * DAY))


def _bounds(plan: Plan, window: Window) -> tuple[int, int]:
    """Where an open window is cut as if it began and ended there."""
    tomorrow = aligned(plan.now) + 2 * DAY
    end = window.end if window.end is not None else max(tomorrow, (window.start or 0))
    start = window.start
    if start is None:
        start = plan.oldest if end - plan.oldest >= 2 * DAY else 0
    return start, end
