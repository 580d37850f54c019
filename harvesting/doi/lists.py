"""Counts and lists of requested DOIs, and their documents as files. No HTTP."""

import uuid
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.timezone import localtime

from core import temporary_files
from core.spreadsheet import csv_lines
from harvesting.doi.deliveries import MOST_DOIS
from harvesting.doi.verdicts import live_records
from harvesting.models import DoiAgreement, HandedOver, Repository, RequestedDoi, SourceRecord
from metadata.deposits import crossref, jalc
from metadata.deposits.kinds import JALC, Kind
from metadata.deposits.needs import NotRegistrable, registrable
from metadata.record import BibliographicRecord

PAGE = 50
MOST = 1_000_000  # rows of a file
MOST_IN_ZIP = 20_000  # DOIs; the rest is in the next file, when these are marked as handed over
COLUMNS = ("provider", "agency", "doi", "state", "since", "id", "identifier", "codes", "message")
State = RequestedDoi.State
READY = (State.READY, State.CHANGED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The conditions of a list. repositories: ids. agency, state: "" = any."""

    repositories: tuple[int, ...]
    agency: str = ""
    state: str = ""

    def rows(self) -> QuerySet[RequestedDoi]:
        """Return the DOIs by id, with their provider and the names of their records."""
        found = RequestedDoi.objects.filter(repository__in=self.repositories).select_related("repository")
        found = found.filter(agency=self.agency) if self.agency else found
        found = found.filter(state=self.state) if self.state else found
        return found.order_by("pk")

    def page(self, after: int) -> tuple[list[RequestedDoi], int]:
        """Return the page after this id, and the id after which the next page begins; 0 if there is none."""
        rows = list(self.rows().filter(pk__gt=after)[: PAGE + 1])
        return rows[:PAGE], rows[PAGE - 1].pk if len(rows) > PAGE else 0


def counts(repositories: Collection[int]) -> dict[int, Counter[tuple[str, str]]]:
    """Return id of a provider -> (agency, state) -> number of DOIs, for those that have any."""
    rows = RequestedDoi.objects.filter(repository__in=repositories).order_by()
    found: dict[int, Counter[tuple[str, str]]] = {}
    for repository, agency, state, number in rows.values_list("repository", "agency", "state").annotate(Count("pk")):
        found.setdefault(repository, Counter())[agency, state] = number
    return found


def states_of(repository: int) -> dict[str, int]:
    """Return state -> number of DOIs of one provider."""
    found: Counter[str] = Counter()
    for (_agency, state), number in counts([repository]).get(repository, Counter()).items():
        found[state] += number
    return dict(found)


def names_of(rows: Iterable[HandedOver]) -> dict[int, tuple[str, str]]:
    """Return id of a record -> its public id and the provider's identifier."""
    pks = [row.record_id for row in rows if row.record_id]
    named = SourceRecord.objects.filter(pk__in=pks).values_list("pk", "public_id", "identifier")
    return {pk: (public_id, identifier) for pk, public_id, identifier in named}


def as_csv(wanted: Wanted) -> Iterator[bytes]:
    """Yield a list as CSV, line by line."""
    return csv_lines(COLUMNS, _cells(wanted))


def _cells(wanted: Wanted) -> Iterator[Sequence[object]]:
    position, left = 0, MOST
    while left > 0 and (rows := list(wanted.rows().filter(pk__gt=position)[:500])):
        names = names_of(rows)
        for row in rows:
            public_id, identifier = names.get(row.record_id or 0, ("", ""))
            since = f"{localtime(row.changed_at):%Y-%m-%d %H:%M}"
            about = (row.repository.number, row.agency, row.doi, row.state, since)
            yield (*about, public_id, identifier, " ".join(row.codes), row.message)
        position, left = rows[-1].pk, left - len(rows)


def document_of(row: RequestedDoi) -> bytes:
    """Return the XML with which the DOI would be registered now. Raises NotRegistrable."""
    record = live_records([row]).get(row.record_id or 0)
    if record is None:
        raise NotRegistrable("doi")
    return _document(
        row.agency, [record], DoiAgreement.objects.filter(repository=row.repository_id).first(), row.repository
    )


def ready_rows(repository_id: int) -> list[RequestedDoi]:
    """Return what can be handed over as a file now: all that is ready, unless a delivery of JaLC's interface has it."""
    rows = RequestedDoi.objects.filter(
        repository=repository_id, state__in=READY, delivery=None, checked_at__isnull=False
    )
    return list(rows.order_by("pk")[:MOST_IN_ZIP])


def zip_of(rows: Sequence[RequestedDoi], repository: Repository) -> IO[bytes]:
    """Return a ZIP with the documents of these DOIs of a provider; it disappears when it is closed."""
    agreement = DoiAgreement.objects.filter(repository=repository).first()
    file = temporary_files.unnamed()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for at in range(0, len(rows), MOST_DOIS):
            part = rows[at : at + MOST_DOIS]
            for (agency, kind), records in _by_kind(part).items():
                name = f"{agency.lower()}-{kind.name}-{at // MOST_DOIS + 1:04}.xml"
                packed.writestr(name, _document(agency, records, agreement, repository))
    file.seek(0)
    return file


def _by_kind(rows: Sequence[RequestedDoi]) -> dict[tuple[str, Kind], list[BibliographicRecord]]:
    """Return the records by agency and kind, without those that have changed meanwhile and cannot be registered."""
    records, found = live_records(rows), dict[tuple[str, Kind], list[BibliographicRecord]]()
    for row in rows:
        if record := records.get(row.record_id or 0):
            try:
                found.setdefault((row.agency, registrable(record, row.agency)), []).append(record)
            except NotRegistrable:
                continue
    return found


def _document(
    agency: str, records: Sequence[BibliographicRecord], agreement: DoiAgreement | None, repository: Repository
) -> bytes:
    if agency == JALC:
        return jalc.write(records, (agreement.site_id if agreement else "") or "-")
    moment, name = timezone.now(), repository.name_en or repository.name
    address = repository.contact_email or settings.HARVEST_CONTACT or settings.DEFAULT_FROM_EMAIL
    batch = crossref.Batch(str(uuid.uuid4()), int(moment.timestamp() * 1000), name, address, name)
    return crossref.write(records, batch)
