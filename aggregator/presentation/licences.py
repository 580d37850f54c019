"""The licences of a resource and of its descriptions, as pages show them. No HTTP, no database access."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from aggregator.presentation.field_cells import Cell, named_cell
from aggregator.presentation.field_labels import licence_badge, unless_code
from metadata.about import forbids_derivatives, forbids_redistribution, licence_label
from metadata.links import safe_href
from metadata.record import BibliographicRecord

_IS_ADDRESS = re.compile(r"https?://\S+").fullmatch


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


def licence_cells(record: BibliographicRecord) -> Iterator[Cell]:
    """Return the statements of rights, with a link where they have an address. A licence is stated once, whether its
    name or its address is among the statements, or both.
    """
    addresses = {licence.label or licence.uri: licence.uri for licence in record.licenses}
    badges: dict[str, Cell] = {}
    others = []
    for text in dict.fromkeys((*record.rights, *addresses)):
        href = addresses.get(text) or (text if _IS_ADDRESS(text) else "")
        name, conditions = licence_badge(text)
        if name:
            known = badges.get(conditions or name)
            badges[conditions or name] = _better(known, Cell(text=name, note=conditions, href=href, is_badge=True))
        else:
            others.append(replace(named_cell(text, text if href else unless_code(text)), href=href))
    yield from (*badges.values(), *others)


def _better(known: Cell | None, other: Cell) -> Cell:
    """Return the one cell for two statements of a licence: the longer name, which has the version, and the address."""
    if known is None:
        return other
    return replace(max(known, other, key=lambda cell: len(cell.text)), href=known.href or other.href)
