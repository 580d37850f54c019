"""How often one request is repeated, and how long is waited in between. Asks nobody, knows no protocol."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import uniform

from harvesting.types import Tally, TransportError

MOST_REPETITIONS = 50  # of requests in one reading of a list

# The run waits for minutes, or the list is read in another way: the same request once more cannot help.
# Guidelines for harvesters, section 5: after a 503 that names no time, minutes must pass.
NOT_REPEATED = frozenset({"http.503", "http.429", "oai.badResumptionToken", "oai.unrepeatable"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often one request is repeated here; longer waits are the affair of the run.

    Waits are random between 0 and first_wait, 4 times that, 16 times that … seconds. A Retry-After of up to
    longest_retry_after seconds is waited for. tally: counts what is asked, and what is asked again.
    """

    tries: int = 4
    first_wait: float = 2.0
    longest_retry_after: int = 60
    sleep: Callable[[float], None] = time.sleep
    tally: Tally = field(default_factory=Tally, compare=False)

    def is_last(self, tried: int, tries: int = 0) -> bool:
        """Whether nothing is tried after so many times. tries: a lower limit than the own one, 0 = none."""
        return tried >= min(self.tries, tries or self.tries)

    def wait(self, error: TransportError, tried: int, tries: int = 0) -> float | None:
        """Seconds until the next try, None to give up. tries: as in `is_last`."""
        seconds = self._seconds(error, tried, tries)
        self.tally.repeats += seconds is not None
        return seconds

    def _seconds(self, error: TransportError, tried: int, tries: int) -> float | None:
        if error.permanent or self.is_last(tried, tries):
            return None
        if error.retry_after:
            return error.retry_after if error.retry_after <= self.longest_retry_after else None
        if error.code in NOT_REPEATED:
            return None
        return uniform(0, self.first_wait * 4 ** (tried - 1))  # noqa: S311  (it spreads load, it hides nothing)


class Budget:
    """Repetitions that are left to one reading of a list, however many pages it has."""

    def __init__(self, most: int = MOST_REPETITIONS) -> None:
        self._left = most

    def take(self) -> bool:
        """Whether there was one left."""
        self._left -= 1
        return self._left >= 0
