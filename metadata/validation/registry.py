"""The validation rules: functions with the codes of the issues that they find, and the texts of all codes."""

from collections.abc import Callable, Iterable, Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.texts import RuleText

Check = Callable[[BibliographicRecord], Iterator[Issue]]

# Every rule code → its texts. `metadata.formats` adds those of the formats, `metadata.catalogue` all others.
RULES: dict[str, RuleText] = {}


class Rules:
    """The checks of one module of rules, in order, and the codes of the issues that they find."""

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.codes: set[str] = set()

    def __call__(self, *codes: str) -> Callable[[Check], Check]:
        """Add a check: `@rule("json.E005")`, where `rule = Rules()`."""

        def add(check: Check) -> Check:
            self.codes.update(codes)
            self.checks.append(check)
            return check

        return add

    def include(self, checks: Iterable[Check]) -> None:
        """Add checks of another format, whose issues keep their codes."""
        self.checks.extend(checks)
