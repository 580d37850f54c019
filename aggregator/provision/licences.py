"""The licences of descriptions, and which descriptions of a book may be merged with others. Read-only.

The licence that came with a record takes precedence over that of its provider. Every description is redistributed under
its own licence, but not all of them are merged. One that allows only unchanged copies (ND) is merged with no other. A
merged record that contains one under ShareAlike must allow what that licence allows, so descriptions for non-commercial
use (NC) are not merged with one under ShareAlike that permits commercial use. If no description of a book may be
merged, the oldest stands for it. A record that itself says that it must not be redistributed is not, whatever its
provider has agreed to.

What must not be changed is given without the enrichment rules of its provider, also where it stands for a book.
"""

from collections.abc import Collection, Iterable, Sequence

from core.database.batches import select_in
from harvesting.models import RecordAbout
from harvesting.records.enriched import originals
from metadata.about import About, decode_about, forbids_redistribution
from metadata.vocabularies.licences import conditions_of

type Licences = tuple[str, ...]  # addresses or words; () = none stated
_NONE: frozenset[str] = frozenset()
_UNMERGED = frozenset({"nd"})
_NOT_SHARED_ALIKE = _UNMERGED | {"nc"}  # what a merged record under ShareAlike alone cannot contain


def abouts(numbers: Collection[int]) -> dict[int, About]:
    """Return what came with these source records beside the metadata, by key; most have nothing."""
    rows = select_in(RecordAbout, ("record_id", "packed"), "record_id", numbers)
    return {pk: decode_about(bytes(packed)) for pk, packed in rows}


def licences_of(about: About, licence: str) -> Licences:
    """Return the licences of a description: its own, else that of its provider ("" = none stated)."""
    return about.rights or ((licence,) if licence else ())


def may_be_given(about: About) -> bool:
    """Whether a record may be redistributed by what came with it. (Its provider may forbid it besides.)"""
    return not (about.rights and forbids_redistribution(about.rights))


def mergeable[T](members: Sequence[tuple[T, Licences]]) -> dict[T, Licences]:
    """Return the members of a book, the oldest first, from which it may be merged, with their licences."""
    if len(members) <= 1:  # whatever its licence: it is merged with nothing
        return dict(members)
    stated = [(member, licences, conditions(licences)) for member, licences in members]
    is_shared_alike = any("sa" in found and found.isdisjoint(_NOT_SHARED_ALIKE) for _member, _licences, found in stated)
    forbidden = _NOT_SHARED_ALIKE if is_shared_alike else _UNMERGED
    allowed = [(member, licences) for member, licences, found in stated if found.isdisjoint(forbidden)]
    return dict(allowed or members[:1])


def without_forbidden_changes(merged_from: Iterable[tuple[int, Licences]]) -> dict[int, bytes]:
    """Return the records that must not be changed although enrichment rules changed them, by key, as their providers
    sent them: compressed; b"" where a record could not be registered without the rules. No query if there are none.

    merged_from: keys of source records with their licences.
    """
    return originals([key for key, licences in merged_from if "nd" in conditions(licences)])


def conditions(licences: Licences) -> frozenset[str]:
    """Return the conditions of all these licences, as `conditions_of` names them."""
    return _NONE.union(*map(conditions_of, licences))
