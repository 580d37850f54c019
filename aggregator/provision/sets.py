"""The sets into which the redistributed data is divided: by provider, merged, single copies, by type. Pure.

repository              the providers' own records
repository:R123456789   the records of one provider
merged                  one merged record per book
copies                  one record per copy of a book, with nothing but this copy (NDL guideline 2.1.2 (2))
type                    source records and merged records of any type: everything, since the type may be “other”
type:Book               source records and merged records of one type
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aggregator.provision.contents import Terms
from aggregator.provision.pending import MERGED
from aggregator.search.documents import TYPES
from harvesting.models import REPOSITORY_NUMBER
from metadata.vocabularies.licences import is_public_domain

REPOSITORY, MERGED_SET, COPIES_SET, TYPE = "repository", "merged", "copies", "type"
GROUP = "ndl-group"  # before the name of a data group, which only the face of NDL Search offers
GROUPS = ("open", "title", "article", "book")
SERIALS, ARTICLE = ("Journal", "Newspaper"), "Article"
_REPOSITORY = re.compile(rf"{REPOSITORY}:({REPOSITORY_NUMBER})")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the redistributed data. origin: key of a provider, MERGED, EVERY_REPOSITORY or COPIES.

    type: name of a type. without: names of types that its items do not have. parts: if set, what is in any of these.
    """

    origin: int | None = None
    type: str = ""
    without: tuple[str, ...] = ()
    parts: tuple["Part", ...] = ()


EVERYTHING = Part()
EVERY_REPOSITORY = -1  # as origin: the records of all providers, without merged records
COPIES = -2  # as origin: single copies, which are in no other part
NOBODY = -3  # as origin: no records
_FIXED = {
    REPOSITORY: Part(origin=EVERY_REPOSITORY),
    MERGED_SET: Part(origin=MERGED),
    COPIES_SET: Part(origin=COPIES),
    TYPE: EVERYTHING,
}


def part_of(spec: str, terms: Mapping[int, Terms]) -> Part | None:
    """Return the part that a setSpec names, or None if there is no such set."""
    if spec in _FIXED:
        return _FIXED[spec]
    if spec.startswith(f"{GROUP}:"):
        return group(spec.removeprefix(f"{GROUP}:"), terms)
    if spec.startswith(f"{TYPE}:"):
        name = spec.removeprefix(f"{TYPE}:")
        return Part(type=name) if name in TYPES else None
    match = _REPOSITORY.fullmatch(spec)
    origin = next((pk for pk, provider in terms.items() if match and provider.number == match[1]), None)
    return Part(origin=origin) if origin else None


def group(name: str, terms: Mapping[int, Terms]) -> Part | None:
    """Return the source records in a data group of NDL Search, or None if there is no such group."""
    if name == "open":
        free = (pk for pk, provider in terms.items() if is_public_domain(provider.licence))
        return Part(parts=tuple(Part(origin=pk) for pk in free) or (Part(origin=NOBODY),))
    types = {"title": SERIALS, "article": (ARTICLE,)}.get(name, ())
    if types:
        return Part(parts=tuple(Part(origin=EVERY_REPOSITORY, type=key) for key in types))
    return Part(origin=EVERY_REPOSITORY, without=(*SERIALS, ARTICLE)) if name == "book" else None


def specs_of(origin_number: str, types: str) -> list[str]:
    """Return the sets of an item. origin_number: its repository number, "" = merged, COPIES_SET = a single copy. types:
    as in `Provided`.
    """
    if origin_number == COPIES_SET:
        return [COPIES_SET]
    origin = f"{REPOSITORY}:{origin_number}" if origin_number else MERGED_SET
    return [origin, *(f"{TYPE}:{name}" for name in types.split())]
