"""How often a run is put aside and taken up again before it has failed. Decides only.

Counted in a row, without a page stored in between: a long list of a provider that asks for a rest after every
hundred pages comes to its end, one that never answers does not keep a run for ever.
"""

from dataclasses import dataclass

from harvesting.types import TransportError

BUSY = frozenset({"http.503", "http.429"})
MOST_ASKED_FOR = 10  # pauses in a row that the provider asked for by Retry-After
MOST_BUSY = 3  # without Retry-After. Guidelines for harvesters, section 5: never indefinitely
MOST_BROKEN = 4  # pauses in a row after anything else, in the middle of a list
MOST_ALTOGETHER = 50  # of one run, without those the provider asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a run has used up. in_a_row: pauses since the last stored page; altogether: those nobody asked for."""

    pages: int
    in_a_row: int
    altogether: int


def may_wait(error: TransportError, spent: Spent) -> bool:
    """Whether the run is worth another try later. On the first page only a provider that says it is busy is."""
    if error.permanent:
        return False
    if asked_for(error):
        return spent.in_a_row < MOST_ASKED_FOR
    if spent.altogether >= MOST_ALTOGETHER:
        return False
    if error.code in BUSY:
        return spent.in_a_row < MOST_BUSY
    return spent.pages > 0 and spent.in_a_row < MOST_BROKEN


def asked_for(error: TransportError) -> bool:
    """Whether the provider itself named the time to wait."""
    return error.code in BUSY and error.retry_after > 0
