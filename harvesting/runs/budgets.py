"""How often a run may pause after errors before it fails. No database access.

Pauses are counted in a row, that is, without a page stored in between. So the long list of a provider that asks for a
pause after every hundred pages can be finished, while a provider that never answers does not keep a run forever.
"""

from dataclasses import dataclass

from harvesting.transports.retries import BUSY
from harvesting.types import TransportError

MOST_REQUESTED = 10  # pauses in a row that the provider requested with Retry-After
MOST_BUSY = 3  # pauses in a row without Retry-After; OAI Guidelines for Harvester Implementers, 5: not indefinitely
MOST_BROKEN = 4  # pauses in a row after other errors, in the middle of a list
MOST_ALTOGETHER = 50  # pauses of one run, not counting those that the provider requested


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a run has used of its budget.

    pages: stored so far. in_a_row: pauses since the last stored page. altogether: all pauses of the run that the
    provider did not request.
    """

    pages: int
    in_a_row: int
    altogether: int


def may_wait(error: TransportError, spent: Spent) -> bool:
    """Whether the run may pause and try again later. Before the first page only if the provider says it is busy."""
    if error.permanent:
        return False
    if wait_was_requested(error):
        return spent.in_a_row < MOST_REQUESTED
    if spent.altogether >= MOST_ALTOGETHER:
        return False
    if error.code in BUSY:
        return spent.in_a_row < MOST_BUSY
    return spent.pages > 0 and spent.in_a_row < MOST_BROKEN


def wait_was_requested(error: TransportError) -> bool:
    """Whether the provider named the time to wait (Retry-After)."""
    return error.code in BUSY and error.retry_after > 0
