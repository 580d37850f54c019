"""Imports a list of subjects with their relations, such as NDLSH or BSH as its publisher gives it. Pure reading, then
one transaction.

A CSV or TSV file in UTF-8 with a first row of column names: `subject`, `relation` (broader, narrower, related, use) and
`other`. Every list has a name; importing it again replaces it.
"""

import csv
import io

from django.db import transaction

from aggregator.browse.kinds import LONGEST
from aggregator.models import SubjectRelation
from metadata.text.folding import fold_tight

COLUMNS = ("subject", "relation", "other")
BATCH = 1000


class UnreadableList(ValueError):
    """The file is not such a list. Its text says where and why, in English, for the person at the command line."""


def read_list(data: bytes) -> list[tuple[str, str, str]]:
    """Return the rows (subject, relation, other) without repetitions. Raises UnreadableList."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableList(f"not UTF-8 at byte {error.start}") from error
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in first else ",")
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise UnreadableList(f"columns missing: {', '.join(missing)}")
    rows = {_row(number, row): None for number, row in enumerate(reader, 2)}
    return list(rows)


def _row(number: int, row: dict[str, str | None]) -> tuple[str, str, str]:
    subject, relation, other = ((row[name] or "").strip() for name in COLUMNS)
    if relation not in SubjectRelation.Kind.values:
        raise UnreadableList(f"row {number}: relation {relation!r} is none of {', '.join(SubjectRelation.Kind.values)}")
    for label in (subject, other):
        if not fold_tight(label) or len(label) > LONGEST or not label.isprintable():
            raise UnreadableList(f"row {number}: {label!r} is no heading")
    return subject, relation, other


def replace_list(name: str, rows: list[tuple[str, str, str]]) -> None:
    """Replace the list of this name by these rows; none removes it."""
    relations = (
        SubjectRelation(
            list_name=name,
            kind=relation,
            source=subject,
            source_key=fold_tight(subject),
            target=other,
            target_key=fold_tight(other),
        )
        for subject, relation, other in rows
    )
    with transaction.atomic():
        SubjectRelation.objects.filter(list_name=name).delete()
        SubjectRelation.objects.bulk_create(relations, batch_size=BATCH, ignore_conflicts=True)
