"""Where a record goes from here: the agency of its DOI, the NDL for doctoral theses, services that harvest us."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from harvesting.doi.wording import answer_text
from harvesting.models import DoctoralThesis, RequestedDoi, SourceRecord
from metadata.deposits.kinds import DATACITE
from metadata.deposits.theses import NOT_DEPOSITED
from metadata.deposits.values import doi_of
from metadata.record import BibliographicRecord


@dataclass(frozen=True, slots=True)
class Receiver:
    """A service, and in words what it gets of the record. since: None if that is not known. doi: "" for none."""

    service: str
    state: str
    since: datetime | None = None
    doi: str = ""
    details: str = ""


def receivers(source: SourceRecord, record: BibliographicRecord, codes: Collection[str]) -> list[Receiver]:
    """Return the services that get the record. codes: of the rules that found something in it. Two queries."""
    return [*_agencies(source, record), *_ndl(source, codes), *_harvesters(source)]


def _agencies(source: SourceRecord, record: BibliographicRecord) -> Iterator[Receiver]:
    for row in RequestedDoi.objects.filter(record=source).order_by("pk"):
        details = answer_text(row.message) or " ".join(row.codes)
        yield Receiver(row.agency, row.get_state_display(), row.changed_at, row.doi, details)
    if doi := doi_of(record, DATACITE):
        yield Receiver(DATACITE, _("registered by the repository itself, not from here"), doi=doi)


def _ndl(source: SourceRecord, codes: Collection[str]) -> Iterator[Receiver]:
    service = _("NDL, doctoral theses")
    row = DoctoralThesis.objects.filter(record=source).first()
    if row is not None:
        yield Receiver(service, row.get_state_display(), row.changed_at, details=" ".join(row.codes))
    elif NOT_DEPOSITED in codes:
        yield Receiver(service, _("not deposited: no date of granting from 2013-04-01 on"), details=NOT_DEPOSITED)


def _harvesters(source: SourceRecord) -> Iterator[Receiver]:
    service = _("CiNii Research and other services")
    if source.deleted or source.suppressed_at or not source.record:
        yield Receiver(service, _("not offered"))
    elif source.repository.give_on:
        yield Receiver(service, _("offered for harvesting (/oai)"))
    else:
        yield Receiver(service, _("not offered: the provider’s records are not redistributed"))
