"""Counts and lists of doctoral theses, and what is handed over to the NDL as a file. No HTTP.

No public form of such a file is known: the NDL collects theses from services like IRDB. The file is a ZIP with the
description of each thesis in JPCOAR and a list of them with the addresses of their full texts.
"""

import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from django.db.models import Count, QuerySet
from django.utils.timezone import localtime

from core import temporary_files
from core.spreadsheet import csv_lines
from harvesting.doi.lists import names_of
from harvesting.doi.verdicts import BATCH, live_records, mark
from harvesting.models import DoctoralThesis
from harvesting.theses.states import digest_of
from metadata.deposits.theses import date_granted, institutions, write
from metadata.deposits.values import address_of
from metadata.record import BibliographicRecord

PAGE = 50
MOST = 1_000_000  # rows of a list
MOST_IN_ZIP = 5_000  # theses; the rest is in the next file, when these are marked as handed over
LIST, FOLDER = "theses.csv", "records"  # in the ZIP
ABOUT = "title author degree grantor kakenhi number granted language access address fulltext".split()
COLUMNS = ("provider", "id", "identifier", *ABOUT, "state", "since", "codes")
State = DoctoralThesis.State
READY = (State.READY, State.CHANGED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The conditions of a list. repositories: ids. state: "" = any."""

    repositories: tuple[int, ...]
    state: str = ""

    def rows(self) -> QuerySet[DoctoralThesis]:
        """Return the theses by id, with their provider and the names of their records."""
        found = DoctoralThesis.objects.filter(repository__in=self.repositories).select_related("repository")
        return (found.filter(state=self.state) if self.state else found).order_by("pk")

    def page(self, after: int) -> tuple[list[DoctoralThesis], int]:
        """Return the page after this id, and the id after which the next page begins; 0 if there is none."""
        rows = list(self.rows().filter(pk__gt=after)[: PAGE + 1])
        return rows[:PAGE], rows[PAGE - 1].pk if len(rows) > PAGE else 0


@dataclass(frozen=True, slots=True)
class Line:
    """A thesis in a list. about: by ABOUT; empty if its record is gone. public_id: "" if the row of its record is."""

    row: DoctoralThesis
    public_id: str
    identifier: str
    about: dict[str, str]


def counts(repositories: Collection[int]) -> dict[int, Counter[str]]:
    """Return id of a provider -> state -> number of theses, for those that have any."""
    rows = DoctoralThesis.objects.filter(repository__in=repositories).order_by()
    found: dict[int, Counter[str]] = {}
    for repository, state, number in rows.values_list("repository", "state").annotate(Count("pk")):
        found.setdefault(repository, Counter())[state] = number
    return found


def lines(rows: Sequence[DoctoralThesis]) -> list[Line]:
    """Return theses with what their records say of them. Two queries."""
    names, records = names_of(rows), live_records(rows)
    return [
        Line(row, *names.get(row.record_id or 0, ("", "")), about(record) if record else {})
        for row, record in ((row, records.get(row.record_id or 0)) for row in rows)
    ]


def about(record: BibliographicRecord) -> dict[str, str]:
    """Return what the list says of a thesis, by ABOUT."""
    grantors = record.degree_grantors
    values: dict[str, Sequence[str]] = {
        "title": [record.title],
        "author": [agent.name for agent in record.creators],
        "degree": record.degree_names,
        "grantor": [agent.name for agent in grantors],
        "kakenhi": [number for agent in grantors for number in institutions(agent)],
        "number": record.dissertation_numbers[:1],
        "granted": [date_granted(record)],
        "language": record.languages,
        "access": record.access_rights[:1],
        "address": [address_of(record)],
        "fulltext": [file.uri for file in record.files if file.type == "fulltext"],
    }
    return {name: " | ".join(filter(None, values[name])) for name in ABOUT}


def as_csv(wanted: Wanted) -> Iterator[bytes]:
    """Yield a list as CSV, line by line."""
    return csv_lines(COLUMNS, _cells(wanted))


def _cells(wanted: Wanted) -> Iterator[Sequence[object]]:
    position, left = 0, MOST
    while left > 0 and (rows := list(wanted.rows().filter(pk__gt=position)[:BATCH])):
        for line in lines(rows):
            row = line.row
            since = f"{localtime(row.changed_at):%Y-%m-%d %H:%M}"
            said = [line.about.get(name, "") for name in ABOUT]
            names = (row.repository.number, line.public_id, line.identifier)
            yield (*names, *said, row.state, since, " ".join(row.codes))
        position, left = rows[-1].pk, left - len(rows)


def ready_rows(repository_id: int) -> list[DoctoralThesis]:
    """Return what can be handed over now, if the provider's records are redistributed at all."""
    rows = DoctoralThesis.objects.filter(repository=repository_id, repository__give_on=True, state__in=READY)
    return list(rows.filter(checked_at__isnull=False).order_by("pk").select_related("repository")[:MOST_IN_ZIP])


def mark_handed_over(rows: Sequence[DoctoralThesis]) -> int:
    """Mark theses as handed over with the description that they had when the rows were read; return how many."""
    return mark(rows, State.SENT, lambda row: row.digest)


def zip_of(rows: Sequence[DoctoralThesis]) -> IO[bytes]:
    """Return a ZIP with these theses, without those that have changed meanwhile; it disappears when it is closed."""
    file = temporary_files.unnamed()
    header = ("file", "sha256", "id", "identifier", *ABOUT)
    listed: list[Sequence[str]] = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for at in range(0, len(rows), BATCH):
            part = rows[at : at + BATCH]
            records = live_records(part)
            for line in lines(part):
                record = records.get(line.row.record_id or 0)
                document = write(record) if record else b""
                if document and digest_of(document) == line.row.digest:
                    name = f"{FOLDER}/{line.public_id}.xml"
                    packed.writestr(name, document)
                    said = [line.about[column] for column in ABOUT]
                    listed.append((name, line.row.digest, line.public_id, line.identifier, *said))
        packed.writestr(LIST, b"".join(csv_lines(header, listed)))
    file.seek(0)
    return file
