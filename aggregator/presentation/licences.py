"""The licence of a description, and where it comes from, as pages show them. No HTTP, no database access."""

from collections.abc import Iterable
from dataclasses import dataclass

from metadata.about import forbids_derivatives, licence_label
from metadata.links import safe_href


@dataclass(frozen=True, slots=True)
class ShownLicence:
    """A licence: its name or words, and its address ("" = none). unchanged: it allows only unchanged copies."""

    text: str
    href: str
    unchanged: bool


def shown_licences(statements: Iterable[str]) -> tuple[ShownLicence, ...]:
    return tuple(
        ShownLicence(licence_label(statement), safe_href(statement), forbids_derivatives(statement))
        for statement in statements
    )
