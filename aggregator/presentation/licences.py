"""The licence of a description, and where it comes from, as pages show them. No HTTP, no database access."""

from collections.abc import Iterable
from dataclasses import dataclass

from metadata.about import forbids_derivatives, forbids_redistribution, licence_label
from metadata.links import safe_href


@dataclass(frozen=True, slots=True)
class ShownLicence:
    """A licence: its name or words, and its address ("" = none). unchanged: it allows only unchanged copies. withheld:
    it allows no redistribution.
    """

    text: str
    href: str
    unchanged: bool
    withheld: bool


def shown_licences(statements: Iterable[str], are_own: bool = False) -> tuple[ShownLicence, ...]:
    """Return the licences of a description as they are shown. are_own: they came with the record itself."""
    statements = tuple(statements)
    is_withheld = are_own and forbids_redistribution(statements)
    return tuple(
        ShownLicence(
            licence_label(statement),
            safe_href(statement),
            forbids_derivatives(statement),
            is_withheld and forbids_redistribution((statement,)),
        )
        for statement in statements
    )
