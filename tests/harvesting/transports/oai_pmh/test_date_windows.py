"""Dividing time into date windows, and the plan of windows as a token."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvesting.transports.oai_pmh.date_windows import (
    DAY,
    PLAN_PREFIX,
    RESTART_TOKEN,
    STEPS,
    Dates,
    Plan,
    Window,
    dates_of,
    decode_plan,
    epoch_seconds,
    halves,
    is_before_oldest,
    make_plan,
    other_granularity,
    with_closed_windows,
)

NOW = 1_780_000_000
PLAN = make_plan("oai.badResumptionToken", Dates(), now=NOW, oldest=1_500_000_000, finest=DAY)


def test_first_window_has_no_beginning_and_the_last_no_end() -> None:
    first, last = PLAN.todo
    assert (first.start, last.end) == (None, None)
    assert first.end == last.start


def test_windows_are_requested_with_an_additional_granule() -> None:
    plan = replace_todo(PLAN, Window(0, 10 * DAY))
    assert dates_of(plan, plan.todo[0]) == Dates(from_="1970-01-01", until="1970-01-11")


def test_smallest_window_can_be_requested_exactly() -> None:
    assert dates_of(PLAN, Window(0, DAY, exact=True)) == Dates(from_="1970-01-01", until="1970-01-01")


@pytest.mark.parametrize(("finest", "cut"), [(DAY, 0), (1, 2)])
def test_days_are_cut_where_the_provider_supports_seconds(finest: int, cut: int) -> None:
    plan = make_plan("x", Dates(), now=NOW, oldest=0, finest=finest)
    assert len(halves(plan, Window(0, DAY))) == cut


def test_windows_in_seconds_are_requested_by_the_second() -> None:
    assert dates_of(PLAN, Window(0, 3600)) == Dates(from_="1970-01-01T00:00:00Z", until="1970-01-01T01:00:00Z")


@given(st.integers(0, NOW), st.integers(0, 3 * 365 * DAY), st.sampled_from([1, DAY]))
def test_halves_touch_and_end(start: int, width: int, finest: int) -> None:
    plan = make_plan("x", Dates(), now=NOW, oldest=0, finest=finest)
    waiting, cuts = [Window(start, start + width)], 0
    while waiting and cuts < 80:
        window = waiting.pop()
        pieces = halves(plan, window)
        cuts += 1
        if pieces:
            assert (pieces[0].start, pieces[0].end, pieces[1].end) == (window.start, pieces[1].start, window.end)
            waiting = [pieces[cuts % 2]]
    assert cuts < 80


@pytest.mark.parametrize("window", [Window(None, None), Window(None, NOW), Window(0, None), Window(NOW, None)])
@pytest.mark.parametrize("step", range(len(STEPS)))
def test_closed_windows_touch_and_are_never_wider_than_allowed(window: Window, step: int) -> None:
    plan = with_closed_windows(replace_todo(PLAN, window), step)
    if plan is None:
        return
    assert all(window.start is not None and window.end is not None for window in plan.todo)
    early = [window for window in plan.todo if is_before_oldest(plan, window)]
    plan = replace_todo(plan, *(window for window in plan.todo if window not in early))
    assert [window.end for window in early] in ([], [plan.todo[0].start])
    assert all(0 < (window.end or 0) - (window.start or 0) <= STEPS[step][0] for window in plan.todo)
    assert all(one.end == other.start for one, other in zip(plan.todo, plan.todo[1:], strict=False))
    assert max((window.end or 0) for window in plan.todo) >= NOW


def test_a_plan_survives_as_a_token_that_no_provider_can_have() -> None:
    token = PLAN.encode()
    assert decode_plan(token) == PLAN
    assert token[0] == PLAN_PREFIX == "\x1f"


@pytest.mark.parametrize("token", ["", "a|b", RESTART_TOKEN, PLAN_PREFIX + "{}", PLAN_PREFIX + "[1", "{}"])
def test_other_tokens_are_not_plans(token: str) -> None:
    assert decode_plan(token) is None


def test_changes_during_the_run_are_requested_last() -> None:
    plan = PLAN.without_first().without_first()
    assert (len(plan.todo), plan.last_look, plan.todo[0].end) == (1, True, None)
    assert (plan.todo[0].start or 0) <= NOW - DAY
    assert plan.without_first().encode() == ""


def test_a_chosen_window_is_not_exceeded() -> None:
    plan = make_plan("x", Dates(from_="2026-01-01", until="2026-01-31"), now=NOW, oldest=0, finest=DAY)
    assert (plan.todo[0].start, plan.todo[-1].end) == (epoch_seconds("2026-01-01"), epoch_seconds("2026-02-01"))
    assert plan.without_first().without_first().todo == ()


@pytest.mark.parametrize(
    ("given", "other"),
    [
        (Dates(from_="2026-01-01"), Dates(from_="2026-01-01T00:00:00Z")),
        (Dates(until="2026-01-01"), Dates(until="2026-01-01T23:59:59Z")),
        (
            Dates(from_="2026-01-01T10:00:00Z", until="2026-01-02T10:00:00Z"),
            Dates(from_="2026-01-01", until="2026-01-02"),
        ),
    ],
)
def test_other_form_never_asks_for_less(given: Dates, other: Dates) -> None:
    assert other_granularity(given) == other
    assert other_granularity(replace(given)) == other


def replace_todo(plan: Plan, *windows: Window) -> Plan:
    return Plan(todo=windows, why=plan.why, now=plan.now, oldest=plan.oldest, finest=plan.finest)
