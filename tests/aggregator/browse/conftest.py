"""Books with headings, for the tests of browsing."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from aggregator.browse.counting import count_headings
from aggregator.models import Manifestation
from harvesting.records.compression import pack_record
from metadata.record import Agent, BibliographicRecord, Identifier, Subject, Title

SOSEKI = Agent(
    name="夏目, 漱石, 1867-1916",
    transcription="ナツメ, ソウセキ",
    uri="http://id.ndl.go.jp/auth/entity/00054222",
)
HARARI = Agent(name="Harari, Yuval N.", identifiers=(Identifier(scheme="VIAF", value="98268072"),))
HARARI_JA = Agent(
    name="ハラリ, ユヴァル・ノア",
    transcription="ハラリ, ユヴァル ノア",
    identifiers=(Identifier(scheme="", value="https://viaf.org/viaf/98268072/"),),
)


def book(
    *creators: Agent,
    subjects: tuple[Subject, ...] = (),
    year: str = "2016",
    series: tuple[str, ...] = (),
    publisher: Agent | None = None,
) -> BibliographicRecord:
    return BibliographicRecord(
        titles=(Title(value="本"),),
        creators=creators,
        subjects=subjects,
        issued=year,
        series=tuple(Title(value=title) for title in series),
        publishers=(publisher,) if publisher else (),
    )


def put(*records: BibliographicRecord) -> None:
    """Put books into the catalogue, without counting."""
    first = Manifestation.objects.count() + 1
    Manifestation.objects.bulk_create(
        Manifestation(pk=number, record=pack_record(record), changed_at=timezone.now())
        for number, record in enumerate(records, first)
    )


@pytest.fixture
def catalogue(db: None) -> Callable[..., None]:
    """Put these books into the catalogue and count the headings."""

    def fill(*records: BibliographicRecord) -> None:
        put(*records)
        list(count_headings())

    return fill
