"""How rules are registered: a small function, named by the codes that it can find. Knows no rule."""

from collections.abc import Callable, Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord

Check = Callable[[BibliographicRecord], Iterator[Issue]]

CHECKS: dict[str, list[Check]] = {}  # by format, which is the first part of a code
CODES: set[str] = set()  # all codes that checks are registered for


def rule(*codes: str) -> Callable[[Check], Check]:
    """Registers a check for the format of its codes. `metadata.checking` refuses codes without a message."""

    def register(check: Check) -> Check:
        CODES.update(codes)
        CHECKS.setdefault(codes[0].partition(".")[0], []).append(check)
        return check

    return register
