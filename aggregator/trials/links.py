"""Where the links of a sample would lead, before anything is registered. No HTTP, no database."""

from collections.abc import Iterator
from dataclasses import dataclass

from aggregator.catalogue.books import link_source
from aggregator.catalogue.provider_link import Link, provider_link
from harvesting.models import Repository
from harvesting.trials.report import Report
from metadata.record import BibliographicRecord, Item

SHOWN = 6  # records: some with an ISBN, some with an ISSN, some with neither
OF_EACH = 2


@dataclass(frozen=True, slots=True)
class Sample:
    """A record and its link. number: what it is known by, "" for none."""

    title: str
    number: str
    link: Link


def link_samples(repository: Repository, report: Report) -> list[Sample]:
    """Records of each kind with the link that a reader would get."""
    source = link_source(repository)
    return [
        Sample(record.title, number, provider_link(next(iter(record.items), Item()), record, source))
        for record, number in _chosen(report)
    ]


def _chosen(report: Report) -> Iterator[tuple[BibliographicRecord, str]]:
    taken: dict[str, int] = {}
    for record in (each.record for each in report.records if each.record):
        scheme = next((each for each in ("ISBN", "ISSN") if record.values(each)), "")
        taken[scheme] = taken.get(scheme, 0) + 1
        if taken[scheme] <= OF_EACH and sum(taken.values()) <= SHOWN * OF_EACH:
            yield record, f"{scheme} {record.values(scheme)[0]}" if scheme else ""
