"""Which libraries the records of a sample name, as a harvest would find them. One query; stores nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from aggregator.catalogue.shelves import Holder, computed_holders
from aggregator.libraries.holdings import Description
from harvesting.models import Repository
from metadata.record import BibliographicRecord

UNSAVED = 0  # the primary key of the provider that is not registered yet


@dataclass(frozen=True, slots=True)
class FoundLibrary:
    """A library, and how many records of the sample and copies it has."""

    library: Holder
    records: int
    copies: int

    @property
    def is_known(self) -> bool:
        """Whether the library is in the list of libraries already."""
        return self.library.pk > 0


def libraries_of(records: Sequence[BibliographicRecord | None], repository: Repository) -> list[FoundLibrary]:
    """Return the libraries that these records name, those with most records first."""
    owner = Repository(pk=UNSAVED, number=repository.number, name=repository.name, name_en=repository.name_en)
    reporting = {
        number: [Description(str(number), UNSAVED, owner.number, record)]
        for number, record in enumerate(records, 1)
        if record
    }
    counted: dict[Holder, tuple[int, int]] = {}
    for holders in computed_holders(reporting, [owner]).values():
        for shelf in holders.shelves:
            records_before, copies_before = counted.get(shelf.library, (0, 0))
            counted[shelf.library] = (records_before + 1, copies_before + shelf.count)
    found = [FoundLibrary(library, *counts) for library, counts in counted.items()]
    return sorted(found, key=lambda one: (-one.records, one.library.name))
