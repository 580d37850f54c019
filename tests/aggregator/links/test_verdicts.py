"""What follows from the answer to the check of a link."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from aggregator.links.verdicts import Answer, Condition, HostCondition, after, host_after
from aggregator.models import CheckedLink, LinkHost

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
MISSING, FINE, BUSY = Answer("http.404"), Answer("http.200"), Answer("http.503")
State = CheckedLink.State
NO_NAME, REFUSED = Answer("net.dns", reason="unknown"), Answer("net.connect")


def states(days: Sequence[tuple[int, Answer]]) -> list[str]:
    """The states of a link after these answers on these days."""
    condition, found = Condition(), []
    for day, answer in days:
        now = NOW + timedelta(days=day)
        condition = after(condition, answer, now, now.date(), 3)
        found.append(condition.state)
    return found


def host_states(days: Sequence[tuple[int, Answer]]) -> list[str]:
    condition, found = HostCondition(), []
    for day, answer in days:
        condition = host_after(condition, answer, (NOW + timedelta(days=day)).date(), 3)
        found.append(condition.state)
    return found


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([(0, MISSING), (1, MISSING), (2, MISSING)], ["doubtful", "doubtful", "dead"]),
        ([(0, MISSING), (0, MISSING), (0, MISSING), (0, MISSING)], ["doubtful"] * 4),
        ([(0, MISSING), (1, MISSING), (2, FINE), (3, MISSING)], ["doubtful", "doubtful", "alive", "doubtful"]),
        ([(day, BUSY) for day in range(30)], ["doubtful"] * 30),
        ([(0, MISSING), (1, BUSY), (2, MISSING), (3, MISSING)], ["doubtful", "doubtful", "doubtful", "dead"]),
        (
            [(0, MISSING), (1, MISSING), (2, MISSING), (9, BUSY), (16, MISSING), (23, FINE)],
            ["doubtful", "doubtful", "dead", "dead", "dead", "alive"],
        ),
        ([(0, Answer("http.301x", "")), (1, Answer("http.bot_wall")), (2, Answer("http.403"))], ["doubtful"] * 3),
        ([(0, Answer("http.200", "https://new.example/"))], ["moved"]),
        ([(0, Answer("net.refused_address")), (1, Answer("robots"))], ["unchecked"] * 2),
        ([(0, Answer("net.redirects", reason="downgrade"))], ["unchecked"]),
        ([(0, Answer("net.redirects", reason="loop"))], ["doubtful"]),
        ([(day, Answer("net.timeout", reason="read")) for day in range(9)], ["doubtful"] * 9),
    ],
)
def test_the_state_of_a_link(days: list[tuple[int, Answer]], expected: list[str]) -> None:
    assert states(days) == expected


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([(0, NO_NAME), (1, NO_NAME), (2, NO_NAME)], ["unreachable", "unreachable", "gone"]),
        ([(0, NO_NAME)] * 9, ["unreachable"] * 9),
        ([(day, REFUSED) for day in range(14)], ["unreachable"] * 13 + ["gone"]),
        ([(0, NO_NAME), (1, Answer("http.404")), (2, NO_NAME)], ["unreachable", "answers", "unreachable"]),
        ([(day, Answer("http.503")) for day in range(20)], ["troubled"] * 20),
        ([(day, Answer("net.tls")) for day in range(20)], ["troubled"] * 20),
        ([(0, Answer("net.dns", reason="silent")), (1, Answer("net.dns", reason="silent"))], ["unreachable"] * 2),
    ],
)
def test_the_state_of_a_host(days: list[tuple[int, Answer]], expected: list[str]) -> None:
    assert host_states(days) == expected


def test_a_missing_page_is_looked_for_on_the_next_day_and_a_dead_one_after_a_week() -> None:
    first = after(Condition(), MISSING, NOW, NOW.date(), 2)
    assert first.next_at is not None and first.next_at < NOW + timedelta(days=1)
    day = NOW + timedelta(days=1)
    second = after(first, MISSING, day, day.date(), 2)
    assert (second.state, second.next_at) == (State.DEAD, day + timedelta(days=7))
    assert after(second, FINE, day, day.date(), 2) == Condition(State.ALIVE, code="http.200")


def test_since_when_a_host_is_silent() -> None:
    first = host_after(HostCondition(), REFUSED, NOW.date(), 3)
    later = host_after(first, REFUSED, NOW.date() + timedelta(days=1), 3)
    assert (later.failed_since, later.failed_days, later.failure) == (NOW.date(), 2, "net.connect")
    assert host_after(later, FINE, NOW.date(), 3) == HostCondition(LinkHost.State.ANSWERS)
