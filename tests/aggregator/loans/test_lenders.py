"""The order of the libraries to ask, and the reasons not to ask one."""

from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.loans.lenders import (
    EXCLUSIONS,
    RANKS,
    Candidate,
    Exclusion,
    Place,
    Rank,
    choose,
    exclusion,
    rank,
)
from aggregator.loans.states import Kind

OSAKA = Place(library=1, prefecture="27", municipality="27227")
TODAY = date(2026, 11, 24)
NOW = datetime(2026, 11, 24, tzinfo=UTC)
TOWN = Candidate(library=2, municipality="27227", prefecture="27")
PREFECTURE = Candidate(library=3, prefecture="27", municipality="27100")
REGION = Candidate(library=4, prefecture="26")
ELSEWHERE = Candidate(library=5, prefecture="13")
NATIONAL = Candidate(library=6, prefecture="27", municipality="27227", national=True)
IN_ORDER = [TOWN, PREFECTURE, REGION, ELSEWHERE, NATIONAL]


def test_the_nearest_library_comes_first_and_the_national_one_last() -> None:
    for shuffled in permutations(IN_ORDER):
        choice = choose(shuffled, OSAKA, Kind.LOAN, TODAY)
        assert [lender.candidate for lender in choice.lenders] == IN_ORDER
        assert [lender.rank for lender in choice.lenders] == list(Rank)


def test_within_a_rank_who_was_asked_least_lately_comes_first() -> None:
    never = Candidate(library=7, prefecture="13", name="乙")
    also_never = Candidate(library=8, prefecture="13", name="甲")
    lately = Candidate(library=9, prefecture="13", asked=NOW)
    earlier = Candidate(library=10, prefecture="13", asked=NOW - timedelta(days=40))
    choice = choose([lately, earlier, never, also_never, REGION], OSAKA, Kind.LOAN, TODAY)
    assert [lender.candidate for lender in choice.lenders] == [REGION, never, also_never, earlier, lately]


def test_a_library_whose_place_is_not_known_is_elsewhere() -> None:
    assert rank(Candidate(library=7), OSAKA) is Rank.ELSEWHERE
    assert rank(TOWN, Place(library=1)) is Rank.ELSEWHERE
    assert rank(Candidate(library=7), Place(library=1)) is Rank.ELSEWHERE


def test_the_prefecture_follows_from_the_municipality() -> None:
    assert rank(Candidate(library=7, municipality="27100"), Place(library=1, municipality="27227")) is Rank.PREFECTURE


@pytest.mark.parametrize(
    ("candidate", "kind", "reason"),
    [
        (Candidate(library=1), Kind.LOAN, Exclusion.OWN),
        (Candidate(library=2, closed_on=TODAY), Kind.COPY, Exclusion.CLOSED),
        (Candidate(library=2, closed_on=TODAY + timedelta(days=1)), Kind.LOAN, None),
        (Candidate(library=2, online=True), Kind.COPY, Exclusion.ONLINE),
        (Candidate(library=2, lends=False), Kind.LOAN, Exclusion.DOES_NOT_LEND),
        (Candidate(library=2, lends=False), Kind.COPY, Exclusion.NO_COPIES),
        (Candidate(library=2, lends=False, copies=True), Kind.COPY, None),
        (Candidate(library=2, lends=True, copies=False), Kind.COPY, Exclusion.NO_COPIES),
        (Candidate(library=2, lends=True, copies=False), Kind.LOAN, None),
        (Candidate(library=2, lends=None), Kind.LOAN, None),
        (Candidate(library=2, excluded=True), Kind.LOAN, Exclusion.MATERIAL),
        (Candidate(library=2, excluded=True), Kind.COPY, None),
        (Candidate(library=2, new=True), Kind.LOAN, Exclusion.NEW),
        (Candidate(library=2, new=True), Kind.COPY, None),
        (Candidate(library=1, online=True, excluded=True), Kind.LOAN, Exclusion.OWN),
    ],
)
def test_a_library_is_excluded_with_its_reason(candidate, kind, reason) -> None:
    assert exclusion(candidate, OSAKA, kind, TODAY) == reason
    choice = choose([candidate], OSAKA, kind, TODAY)
    assert choice.excluded == (((candidate, reason),) if reason else ())
    assert len(choice.lenders) == (0 if reason else 1)


@given(st.lists(st.builds(Candidate, library=st.integers(1, 50), asked=st.none() | st.just(NOW)), max_size=20))
def test_no_library_is_lost(candidates) -> None:
    choice = choose(candidates, OSAKA, Kind.LOAN, TODAY)
    assert len(choice.lenders) + len(choice.excluded) == len(candidates)


def test_every_rank_and_reason_has_words() -> None:
    assert set(EXCLUSIONS) == set(Exclusion)
    assert set(RANKS) == set(Rank)
