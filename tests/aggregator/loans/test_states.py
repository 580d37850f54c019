"""Every action in every state: the list of what is allowed is written out once more here."""

from datetime import UTC, date, datetime
from itertools import product

import pytest

from aggregator.loans.states import (
    ACTIONS,
    CLOSED,
    KINDS,
    REASONS,
    SIDES,
    STATES,
    TRANSITIONS,
    Action,
    Kind,
    Need,
    NotAllowed,
    Reason,
    Side,
    State,
    actions,
    after,
    is_open,
    need,
    shown,
    today_in_japan,
)

# kind: state: side: action>state …, in the order of the buttons
ALLOWED = """
loan: draft: borrower: send>requested cancel>cancelled
loan: requested: borrower: cancel>cancelled note>requested
loan: requested: lender: accept>accepted ship>shipped inquire>query refuse>refused note>requested
loan: query: borrower: answer>requested forward>requested cancel>cancelled note>query
loan: query: lender: accept>accepted refuse>refused note>query
loan: accepted: borrower: cancel>cancelled note>accepted
loan: accepted: lender: ship>shipped inquire>query refuse>refused note>accepted
loan: shipped: borrower: receive>received lose>lost note>shipped
loan: shipped: lender: complete>completed lose>lost note>shipped
loan: received: borrower: use>on_loan renew>renewal return>returned lose>lost note>received
loan: received: lender: complete>completed lose>lost note>received
loan: on_loan: borrower: renew>renewal return>returned lose>lost note>on_loan
loan: on_loan: lender: complete>completed lose>lost note>on_loan
loan: renewal: borrower: return>returned lose>lost note>renewal
loan: renewal: lender: grant>on_loan deny>on_loan complete>completed lose>lost note>renewal
loan: returned: borrower: lose>lost note>returned
loan: returned: lender: complete>completed lose>lost note>returned
loan: refused: borrower: forward>requested
loan: lost: borrower: return>returned note>lost
loan: lost: lender: complete>completed note>lost
copy: draft: borrower: send>requested cancel>cancelled
copy: requested: borrower: cancel>cancelled note>requested
copy: requested: lender: accept>accepted ship>shipped inquire>query refuse>refused note>requested
copy: query: borrower: answer>requested forward>requested cancel>cancelled note>query
copy: query: lender: accept>accepted refuse>refused note>query
copy: accepted: borrower: cancel>cancelled note>accepted
copy: accepted: lender: ship>shipped inquire>query refuse>refused note>accepted
copy: shipped: borrower: receive>received lose>lost note>shipped
copy: shipped: lender: note>shipped
copy: received: borrower: complete>completed note>received
copy: received: lender: note>received
copy: refused: borrower: forward>requested
copy: lost: borrower: note>lost
copy: lost: lender: ship>shipped complete>completed note>lost
"""


def _allowed() -> dict[tuple[Kind, State, Side], dict[Action, State]]:
    table = {}
    for line in ALLOWED.strip().splitlines():
        kind, state, side, moves = line.split(": ")
        pairs = (move.split(">") for move in moves.split())
        table[Kind(kind), State(state), Side(side)] = {Action(action): State(result) for action, result in pairs}
    return table


EXPECTED = _allowed()


@pytest.mark.parametrize(("kind", "state", "side"), list(product(Kind, State, Side)))
def test_exactly_the_listed_actions_are_allowed(kind, state, side) -> None:
    expected = EXPECTED.get((kind, state, side), {})
    assert actions(state, side, kind) == tuple(expected)
    for action in Action:
        if action in expected:
            assert after(state, side, action, kind) is expected[action]
        else:
            with pytest.raises(NotAllowed) as refused:
                after(state, side, action, kind)
            assert refused.value.allowed == tuple(expected)


def test_the_error_names_what_is_allowed_in_both_languages() -> None:
    with pytest.raises(NotAllowed) as refused:
        after(State.QUERY, Side.BORROWER, Action.SHIP, Kind.LOAN)
    assert "Answer, Ask the next library, Cancel" in str(refused.value)
    assert "「回答する」「次の館に依頼する」「取り消す」" in refused.value.message("ja")
    with pytest.raises(NotAllowed) as refused:
        after(State.COMPLETED, Side.LENDER, Action.REFUSE, Kind.LOAN)
    assert "Nothing is left to do" in str(refused.value)
    assert "できる操作はありません" in refused.value.message("ja")


def test_every_state_but_the_shown_one_can_be_reached() -> None:
    for kind in Kind:
        reached, new = {State.DRAFT}, {State.DRAFT}
        while new:
            steps = {result for key, result in TRANSITIONS.items() if key[0] in new and key[3] is kind}
            new = steps - reached
            reached |= new
        only_of_loans = {State.ON_LOAN, State.RENEWAL, State.RETURNED} if kind is Kind.COPY else set()
        assert reached == set(State) - {State.OVERDUE} - only_of_loans


def test_every_open_state_can_be_left() -> None:
    open_states = {(key[0], key[3]) for key in TRANSITIONS} | {(result, key[3]) for key, result in TRANSITIONS.items()}
    left = {(key[0], key[3]) for key, result in TRANSITIONS.items() if result is not key[0]}
    assert {state for state, _kind in open_states - left} == CLOSED - {State.REFUSED}


def test_everything_has_words_in_both_languages() -> None:
    for table, words in ((STATES, State), (ACTIONS, Action), (REASONS, Reason), (SIDES, Side), (KINDS, Kind)):
        assert set(table) == set(words)
        assert all(
            word.name("ja") and word.name("en") and word.name("ja") != word.name("en") for word in table.values()
        )


def test_states_have_the_words_of_the_other_systems() -> None:
    assert STATES[State.SHIPPED].iso_for(Kind.LOAN) == "Loaned"
    assert STATES[State.SHIPPED].iso_for(Kind.COPY) == "CopyCompleted"
    assert STATES[State.COMPLETED].nacsis_copy == "確認"
    assert (STATES[State.REQUESTED].nacsis, STATES[State.REQUESTED].nacsis_copy) == ("未処理", "")


def test_a_loan_is_overdue_on_the_day_after_the_date_due() -> None:
    due = date(2026, 11, 24)
    assert shown(State.ON_LOAN, Kind.LOAN, due, due) is State.ON_LOAN
    assert shown(State.ON_LOAN, Kind.LOAN, due, date(2026, 11, 25)) is State.OVERDUE
    assert shown(State.RENEWAL, Kind.LOAN, due, date(2026, 11, 25)) is State.OVERDUE


def test_what_is_not_away_or_has_no_date_due_is_not_overdue() -> None:
    late = date(2027, 1, 1)
    assert shown(State.RETURNED, Kind.LOAN, date(2026, 1, 1), late) is State.RETURNED
    assert shown(State.ON_LOAN, Kind.LOAN, None, late) is State.ON_LOAN
    assert shown(State.SHIPPED, Kind.COPY, date(2026, 1, 1), late) is State.SHIPPED


def test_the_day_changes_at_midnight_in_japan() -> None:
    assert today_in_japan(datetime(2026, 11, 24, 14, 59, tzinfo=UTC)) == date(2026, 11, 24)
    assert today_in_japan(datetime(2026, 11, 24, 15, 0, tzinfo=UTC)) == date(2026, 11, 25)


def test_only_a_loan_needs_a_date_due() -> None:
    assert need(Action.SHIP, Kind.LOAN) is Need.DUE
    assert need(Action.SHIP, Kind.COPY) is None
    assert need(Action.REFUSE, Kind.COPY) is Need.REASON
    assert need(Action.ACCEPT, Kind.LOAN) is None


def test_ended_requests_are_not_open() -> None:
    assert {state for state in State if not is_open(state)} == {State.COMPLETED, State.REFUSED, State.CANCELLED}
