"""Books for the page tests, created through the ORM without harvest and matching."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from aggregator.catalogue.computed_holdings import computed_holdings
from aggregator.indexing.holders import HolderReader
from aggregator.libraries.holdings import Description, pack_copies
from aggregator.models import Holding, Library, LibraryCode, Manifestation, Member
from aggregator.search import get_index
from aggregator.search.documents import document
from harvesting.harvest.store import public_id
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from harvesting.records.compression import pack_encoded, pack_payload, pack_record, unpack_record
from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Title

BOOK = "http://ndl.go.jp/ndltype/Book"
NUMBER_OFFSET = 1000  # so that the number of a book differs from the keys of its records, and a mix-up shows
KOKORO = BibliographicRecord(
    titles=(Title(value="こころ", transcription="ココロ"),),
    creators=(Agent(name="夏目漱石", transcription="ナツメ, ソウセキ"),),
    publishers=(Agent(name="岩波書店", location="東京"),),
    identifiers=(Identifier(scheme="ISBN", value="9784003101117"),),
    issued="1989",
    editions=("改版",),
    material_types=(MaterialType(uri=BOOK, label="図書"),),
    items=(Item(holding_agent="中央図書館", call_number="913.6-N58", availability="貸出可"),),
)


def repository(number: str = "R900000001", **values) -> Repository:
    values = {
        "name": "見本市立図書館",
        "name_en": "Sample City Library",
        "state": "live",
        "home_page": "https://library.example.jp/",
    } | values
    made = Repository.objects.create(number=number, **values)
    Feed.objects.create(repository=made, base_url=f"https://{number.lower()}.example.jp/oai")
    return made


def harvest(owner: Repository, **values) -> Harvest:
    values = {"state": "succeeded", "kind": "full", "received": 3, "created": 3, "finished_at": timezone.now()} | values
    return Harvest.objects.create(feed=owner.feeds.get(), started_at=timezone.now(), **values)


@dataclass
class Shelf:
    """Puts source records into the database and books into the index."""

    stored: int = 0

    def record(self, owner: Repository, record: BibliographicRecord | None = KOKORO, **values) -> SourceRecord:
        """Create a source record as `harvesting.harvest.store` leaves it. record: None for a rejected payload."""
        self.stored += 1
        identifier = f"oai:example.jp:{self.stored}"
        payload = f"<dc><title>{identifier}</title></dc>".encode()
        values = {"payload" if record else "rejected_payload": pack_payload(payload)} | values
        return SourceRecord.objects.create(
            repository=owner,
            identifier=identifier,
            public_id=public_id(owner.number, identifier),
            metadata_prefix="dcndl",
            changed_at=timezone.now(),
            payload_hash=hashlib.sha256(payload).digest() if record else b"",
            record=pack_record(record) if record else b"",
            refused=record is None,
            **values,
        )

    def library(self, name: str, code: str, **values: object) -> Library:
        """Create a library with an NDL library code."""
        library = Library.objects.create(name=name, **values)
        LibraryCode.objects.create(scheme="NDLLibCode", value=code, library=library)
        return library

    def book(
        self, *sources: SourceRecord, record: BibliographicRecord = KOKORO, libraries: Sequence[Library] = ()
    ) -> Manifestation:
        """Create a merged record of these sources that the search finds, held by these libraries."""
        made = Manifestation.objects.create(
            pk=NUMBER_OFFSET + sources[0].pk, record=pack_record(record), changed_at=timezone.now(), index_pending=False
        )
        for source in sources:
            Member.objects.create(source_record=source, manifestation=made)
        reported = [
            Description(source.public_id, source.repository_id, source.repository.number, unpack_record(source.record))
            for source in sources
            if source.record and libraries
        ]
        held = computed_holdings({0: reported}, {source.repository for source in sources})[0]
        copies = {one.library.pk: one.copies for one in held}
        for library in libraries:
            own = copies.get(library.pk, ())
            Holding.objects.create(
                manifestation=made,
                library=library,
                copies=len(own) or 1,
                link=f"https://opac.example/{made.pk}",
                packed=pack_encoded(pack_copies(own)),
            )
        get_index().update([document(made.pk, record, HolderReader().holders([made.pk])[made.pk])])
        return made

    def issue(self, source: SourceRecord, code: str, severity: str, **values) -> RecordIssue:
        return RecordIssue.objects.create(
            source_record=source, repository=source.repository, code=code, severity=severity, **values
        )
