"""How rules are registered: a small function, named by the codes that it can find. Knows no rule."""

from collections.abc import Callable, Iterator

from metadata.catalogue import RULES
from metadata.issue import Issue
from metadata.record import BibliographicRecord

Check = Callable[[BibliographicRecord], Iterator[Issue]]

CHECKS: dict[str, list[Check]] = {}  # by format, which is the first part of a code


def rule(*codes: str) -> Callable[[Check], Check]:
    """Register a check for the format of its codes; every code must have its sentences in the catalogue."""
    unknown = [code for code in codes if code not in RULES]
    if unknown:
        raise LookupError(f"no sentence for {', '.join(unknown)}")

    def register(check: Check) -> Check:
        CHECKS.setdefault(codes[0].partition(".")[0], []).append(check)
        return check

    return register
