"""How often a failed request is retried, how long to wait before each retry, and how often a run may pause after errors
before it fails. No network access, no protocol.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import uniform

from harvesting.types import Tally, TransportError

MAX_RETRIES_PER_LIST = 50
LONGEST_RETRY_AFTER = 60  # seconds that are waited for here; longer waits are left to the run

# The server refuses requests for a while. A run that has waited for it sends one request, not several.
BUSY = frozenset({"http.503", "http.429"})

# Pauses of a run. They are counted in a row, that is, without a page stored in between. So the long list of a provider
# that asks for a pause after every hundred pages can be finished, while a provider that never answers does not keep a
# run forever.
MOST_REQUESTED = 10  # pauses in a row that the provider requested with Retry-After
MOST_BUSY = 3  # pauses in a row without Retry-After; OAI Guidelines for Harvester Implementers, 5: not indefinitely
MOST_BROKEN = 4  # pauses in a row after other errors, in the middle of a list
MOST_ALTOGETHER = 50  # pauses of one run, not counting those that the provider requested


@dataclass(frozen=True, slots=True)
class Retry:
    """A request that failed and will be repeated in some seconds: the attempt-th of at most `of`."""

    error: TransportError
    attempt: int
    of: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How one failed request is retried.

    max_attempts: the number of attempts, including the first.
    first_wait: the wait before the n-th retry is random between 0 and first_wait · 4^(n-1) seconds.
    not_retried: errors after which the same request is not repeated: the run waits for minutes, as the OAI-PMH
    Guidelines for Harvester Implementers (section 5) want it after a 503 without Retry-After, or the list is read in
    another way.
    after_pause: whether the run has paused since it last received a page.
    busy: the address whose server was busy when the run paused, "" = none. Where other documents have to be read before
    it, a transport asks there first: as long as the server is busy, nothing else is worth a request.
    tally: counts the requests and the retries.
    announce: called before each wait, for people who are watching.
    """

    max_attempts: int = 4
    first_wait: float = 2.0
    not_retried: frozenset[str] = BUSY
    sleep: Callable[[float], None] = time.sleep
    after_pause: Callable[[], bool] = field(default=lambda: False, compare=False)
    busy: str = ""
    tally: Tally = field(default_factory=Tally, compare=False)
    announce: Callable[[Retry], None] = field(default=lambda _retry: None, compare=False)

    def briefly(self) -> "RetryPolicy":
        """The policy for requests whose failure does not end a run."""
        return replace(self, max_attempts=3, first_wait=0.5)

    def is_last(self, attempts: int, max_attempts: int = 0) -> bool:
        """Whether no retry follows after this many attempts.

        max_attempts: the most attempts for this request, if fewer than the policy allows; 0 = as the policy.
        """
        return attempts >= self._most(max_attempts)

    def _most(self, max_attempts: int) -> int:
        return min(self.max_attempts, max_attempts or self.max_attempts)

    def wait(self, error: TransportError, attempts: int, max_attempts: int = 0) -> float | None:
        """Return the seconds to wait before the next attempt, None to give up. max_attempts: as in `is_last`."""
        seconds = self._seconds(error, attempts, max_attempts)
        if seconds is not None:
            self.tally.repeats += 1
            self.announce(Retry(error, attempts + 1, self._most(max_attempts), seconds))
        return seconds

    def _seconds(self, error: TransportError, attempts: int, max_attempts: int) -> float | None:
        if error.permanent or self.is_last(attempts, max_attempts):
            return None
        if error.code in BUSY and self.after_pause():
            return None
        if error.retry_after:
            return error.retry_after if error.retry_after <= LONGEST_RETRY_AFTER else None
        if error.code in self.not_retried:
            return None
        return uniform(0, self.first_wait * 4 ** (attempts - 1))  # noqa: S311  (spreads the load; not for security)


class RetryBudget:
    """The retries left for one reading of a list, however many pages it has."""

    def __init__(self, max_retries: int = MAX_RETRIES_PER_LIST) -> None:
        self._left = max_retries

    def use_one(self) -> bool:
        """Use one retry. Return whether one was left."""
        self._left -= 1
        return self._left >= 0


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
