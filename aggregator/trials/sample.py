"""What the records of a sample show before their provider is registered: the links that readers would get, and the
libraries that the records name. No HTTP; stores nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aggregator.catalogue.computed_holdings import link_source
from aggregator.catalogue.shelves import Holder, computed_holders
from aggregator.libraries.holdings import Description
from aggregator.libraries.provider_link import Link, provider_link
from harvesting.models import Repository
from harvesting.trials.report import Report
from metadata.record import BibliographicRecord, Item

UNSAVED = 0  # the primary key of the provider that is not registered yet
OF_EACH = 2  # records of one kind: with an ISBN, with an ISSN, with neither


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


@dataclass(frozen=True, slots=True)
class Sample:
    """A record and its link. number: its ISBN or ISSN with the scheme before it, "" for none."""

    title: str
    number: str
    link: Link


def link_samples(repository: Repository, report: Report) -> list[Sample]:
    """Return records of each kind with the link that a reader would get."""
    source = link_source(repository)
    return [
        Sample(record.title, number, provider_link(next(iter(record.items), Item()), record, source))
        for record, number in _chosen(report)
    ]


def _chosen(report: Report) -> Iterator[tuple[BibliographicRecord, str]]:
    taken: dict[str, int] = {}
    for record in (sampled.record for sampled in report.records if sampled.record):
        scheme = next((name for name in ("ISBN", "ISSN") if record.values(name)), "")
        taken[scheme] = taken.get(scheme, 0) + 1
        if taken[scheme] <= OF_EACH:
            yield record, f"{scheme} {record.values(scheme)[0]}" if scheme else ""


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
