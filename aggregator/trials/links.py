"""The links of a sample's records, before anything is registered. No HTTP, no database access."""

from collections.abc import Iterator
from dataclasses import dataclass

from aggregator.catalogue.computed_holdings import link_source
from aggregator.libraries.provider_link import Link, provider_link
from harvesting.models import Repository
from harvesting.trials.report import Report
from metadata.record import BibliographicRecord, Item

OF_EACH = 2  # records of one kind: with an ISBN, with an ISSN, with neither


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
