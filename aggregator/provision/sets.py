"""What one may take a part of: one provider, the merged records, one type. Names only; asks for no record.

repository              every provider's own records
repository:R123456789   those of one provider
merged                  one record for each book, whoever describes it
type                    both: all there is, since what names no type is of “other”
type:Book               both, of one type
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aggregator.provision.contents import Terms
from aggregator.provision.pending import MERGED
from aggregator.search.documents import TYPES
from harvesting.models import REPOSITORY_NUMBER

REPOSITORY, MERGED_SET, TYPE = "repository", "merged", "type"
_REPOSITORY = re.compile(rf"{REPOSITORY}:({REPOSITORY_NUMBER})")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what is given on. origin: number of a repository's row or MERGED; type: its key.

    origin -1: every repository, but not what is merged.
    """

    origin: int | None = None
    type: str = ""


EVERYTHING = Part()
EVERY_REPOSITORY = -1


def part_of(spec: str, terms: Mapping[int, Terms]) -> Part | None:
    """The part that a setSpec names; None where there is no such set."""
    if spec == REPOSITORY:
        return Part(origin=EVERY_REPOSITORY)
    if spec == MERGED_SET:
        return Part(origin=MERGED)
    if spec == TYPE:
        return EVERYTHING
    if spec.startswith(f"{TYPE}:"):
        name = spec.removeprefix(f"{TYPE}:")
        return Part(type=name) if name in TYPES else None
    named = _REPOSITORY.fullmatch(spec)
    origin = next((pk for pk, each in terms.items() if named and each.number == named[1]), None)
    return Part(origin=origin) if origin else None


def specs_of(origin_number: str, types: str) -> list[str]:
    """The sets that something is in. origin_number: of its repository, "" = merged; types: as in `Provided`."""
    origin = f"{REPOSITORY}:{origin_number}" if origin_number else MERGED_SET
    return [origin, *(f"{TYPE}:{each}" for each in types.split())]
