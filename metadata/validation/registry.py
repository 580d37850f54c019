"""Registry of the validation rules: functions, registered with the codes of the issues that they find."""

from collections.abc import Callable, Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord

Check = Callable[[BibliographicRecord], Iterator[Issue]]

CHECKS: dict[str, list[Check]] = {}  # by format, the first part of a code
CODES: set[str] = set()  # the codes of all registered checks


def rule(*codes: str) -> Callable[[Check], Check]:
    """Register a check for the format of its codes. `metadata.checking` refuses codes without a message."""

    def register(check: Check) -> Check:
        CODES.update(codes)
        CHECKS.setdefault(codes[0].partition(".")[0], []).append(check)
        return check

    return register
