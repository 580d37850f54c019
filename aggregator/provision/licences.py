"""The licences of descriptions, and which descriptions of a book may be merged with others. Read-only.

The licence that came with a record stands above the licence of its provider. Descriptions whose licence allows only
unchanged copies (ND) are redistributed as they are, but not merged with others: a book is merged from its other
descriptions; if it has no others, the oldest of them stands for it. A record that itself says that it must not be
redistributed is not, whatever its provider has agreed to.
"""

from collections.abc import Collection, Sequence

from core.database.batches import select_in
from harvesting.models import RecordAbout
from metadata.about import About, decode_about, forbids_derivatives, forbids_redistribution

type Licences = tuple[str, ...]  # addresses or words; () = none stated


def abouts(numbers: Collection[int]) -> dict[int, About]:
    """Return what came with these source records beside the metadata, by key; most have nothing."""
    rows = select_in(RecordAbout, ("record_id", "packed"), "record_id", numbers)
    return {pk: decode_about(bytes(packed)) for pk, packed in rows}


def licences_of(about: About, licence: str) -> Licences:
    """Return the licences of a description: its own, else that of its provider ("" = none stated)."""
    return about.rights or ((licence,) if licence else ())


def may_be_given(about: About) -> bool:
    """Whether a record may be redistributed by what came with it. (Its provider may forbid it besides.)"""
    return not forbids_redistribution(about.rights)


def mergeable[T](members: Sequence[tuple[T, Licences]]) -> dict[T, Licences]:
    """Return the members of a book, the oldest first, from which it may be merged, with their licences."""
    allowed = [(member, licences) for member, licences in members if not any(map(forbids_derivatives, licences))]
    return dict(allowed or members[:1])
