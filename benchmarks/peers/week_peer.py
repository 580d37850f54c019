"""What a developer of a library would write in a week: Sickle, Django's save(), a search library, pyoai.

`benchmarks.peers` starts it as `python -m benchmarks.peers.week_peer whoosh|fts5 COMMAND …`. Every description with an
ISBN joins the book with the same ISBN. The same elements are searched as in the aggregator: titles, creators, publishers,
subjects, series and notes, with their readings. Whoosh indexes pairs of characters, the usual setting for Japanese;
SQLite's FTS5 indexes trigrams, its only way for texts without spaces. Records are saved in transactions of a page, without
which SQLite would take ten times as long; the search is committed once, at the end of the harvest.
"""

import os
import re
import signal
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import batched
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs

import django
from django.conf import settings
from django.db import connection, models, transaction
from lxml import etree
from sickle import Sickle

from benchmarks.children import PAGE
from benchmarks.peers.lists import count_listed
from benchmarks.peers.trials import DEADLINE, LONGEST, run_command
from benchmarks.stages import peak_mb, timed
from sampleprovider.replies import OAI
from sampleprovider.scenarios.base import INCREMENTAL, Scenario
from sampleprovider.server import serving
from sampleprovider.source import SampleSource
from sampleprovider.trial import number_of

FOLDER = Path(os.environ["AGGREGATOR_DATA"])
NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcndl": "http://ndl.go.jp/dcndl/terms/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
ISBN = "http://ndl.go.jp/dcndl/terms/ISBN"
NOT_A_DIGIT = re.compile("[^0-9X]")
SERVED = 100  # records of a page that is served

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "week.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
django.setup()


class Book(models.Model):
    isbn = models.CharField(max_length=13, unique=True, null=True)  # noqa: DJ001  (many books have none)

    class Meta:
        app_label = "week"


class Record(models.Model):
    identifier = models.CharField(max_length=200, unique=True)
    book = models.ForeignKey(Book, on_delete=models.CASCADE)
    title = models.TextField()
    reading = models.TextField()
    creators = models.TextField()
    publisher = models.TextField()
    subjects = models.TextField()
    series = models.TextField()
    notes = models.TextField()
    issued = models.CharField(max_length=30)
    xml = models.TextField()
    deleted = models.BooleanField(default=False)
    changed = models.DateTimeField()

    class Meta:
        app_label = "week"


class Fts5:
    """SQLite's own full-text search, in a file of its own."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect(FOLDER / "fts.sqlite3")
        self._rows.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'trigram')")

    def put(self, records: Sequence[Record]) -> None:
        self.remove(record.pk for record in records)
        self._rows.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", [(r.pk, text_of(r)) for r in records])

    def remove(self, numbers: Iterable[int]) -> None:
        self._rows.executemany("DELETE FROM texts WHERE rowid = ?", [(number,) for number in numbers])

    def commit(self) -> None:
        self._rows.commit()

    def found(self, typed: str) -> set[int]:
        words = " ".join('"' + word.replace('"', '""') + '"' for word in typed.split())
        return {row[0] for row in self._rows.execute("SELECT rowid FROM texts WHERE texts MATCH ?", [words])}


class Whoosh:
    """Whoosh with pairs of characters. A writer is kept until the harvest ends."""

    def __init__(self) -> None:
        from whoosh import fields, index  # noqa: PLC0415  (a package of this benchmark only)
        from whoosh.qparser import QueryParser  # noqa: PLC0415

        (FOLDER / "whoosh").mkdir()
        schema = fields.Schema(number=fields.ID(unique=True, stored=True), text=fields.NGRAM(minsize=2, maxsize=2))
        self._index = index.create_in(str(FOLDER / "whoosh"), schema)
        self._parser = QueryParser("text", schema)
        self._writer: Any = None

    def _opened(self) -> Any:
        self._writer = self._writer or self._index.writer(limitmb=256)
        return self._writer

    def put(self, records: Sequence[Record]) -> None:
        for record in records:
            self._opened().update_document(number=str(record.pk), text=text_of(record))

    def remove(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._opened().delete_by_term("number", str(number))

    def commit(self) -> None:
        if self._writer:
            self._writer.commit()
        self._writer = None

    def found(self, typed: str) -> set[int]:
        with self._index.searcher() as searcher:
            return {int(hit["number"]) for hit in searcher.search(self._parser.parse(typed), limit=None)}


ENGINES = {"fts5": Fts5, "whoosh": Whoosh}


class Week:
    """The whole program: a harvest, a search, a provider."""

    def __init__(self, engine: str) -> None:
        self.search = ENGINES[engine]()
        self._since = ""  # when the last harvest that succeeded had begun
        with connection.schema_editor() as editor:
            editor.create_model(Book)
            editor.create_model(Record)

    def harvest(self, url: str, prefix: str, since: str = "") -> None:
        """Harvest all records, or those since a moment, and index them. A harvest that fails is repeated from there."""
        begun = datetime.now(UTC) - timedelta(minutes=1)  # clocks may differ
        for records in batched(self._listed(url, prefix, since), PAGE):
            with transaction.atomic():
                saved = [self._save(record, prefix) for record in records]
            self.search.put([record for record in saved if not record.deleted])
            self.search.remove([record.pk for record in saved if record.deleted])
        self.search.commit()
        self._since = f"{begun:%Y-%m-%dT%H:%M:%SZ}"

    def _listed(self, url: str, prefix: str, since: str) -> Iterator[Any]:
        options = {"metadataPrefix": prefix} | ({"from": since} if since else {})
        return iter(Sickle(url, timeout=DEADLINE, max_retries=3).ListRecords(**options))

    def _save(self, harvested: Any, prefix: str) -> Record:
        identifier = harvested.header.identifier
        record = Record.objects.filter(identifier=identifier).first() or Record(identifier=identifier)
        record.changed, record.deleted = datetime.now(UTC), harvested.deleted
        if not harvested.deleted:
            self._read(record, harvested.xml, READERS[prefix])
        if record.book_id is None:
            record.book = Book.objects.create()
        record.save()
        return record

    def _read(self, record: Record, xml: Any, paths: dict[str, str]) -> None:
        for name, path in paths.items():
            setattr(record, name, " ".join(str(text) for text in xml.xpath(path, namespaces=NAMESPACES)))
        record.xml = etree.tostring(xml, encoding="unicode")
        isbns = [NOT_A_DIGIT.sub("", text) for text in xml.xpath(ISBN_PATH, namespaces=NAMESPACES, isbn=ISBN)]
        if isbns:
            record.book = Book.objects.get_or_create(isbn=isbns[0])[0]

    def titles(self, typed: str) -> set[str]:
        """See `trials.Program`."""
        return set(Record.objects.filter(pk__in=self.search.found(typed)).values_list("title", flat=True))

    def after(self, scenario: Scenario, source: SampleSource) -> set[int]:
        """See `trials.Program`. Waits between retries are left out."""
        Record.objects.all().delete()
        self._since = ""
        with serving([source], scenario=scenario) as server:
            for number, kind in enumerate(scenario.runs, 1):
                server.visits.round = number
                with suppress(Exception), limited(LONGEST):  # whatever ends the harvest: what is stored counts
                    self.harvest(server.base_url(source, OAI), "oai_dc", self._since if kind == INCREMENTAL else "")
        identifiers = Record.objects.filter(deleted=False).values_list("identifier", flat=True)
        return set(map(number_of, identifiers))

    def take_over(self, url: str) -> None:
        """See `trials.Program`."""
        self.harvest(url, "dcndl")

    def take_changes(self, url: str) -> None:
        """See `trials.Program`."""
        self.harvest(url, "dcndl", self._since)

    def books(self) -> int:
        """See `trials.Program`."""
        return Record.objects.filter(deleted=False).values("book").distinct().count()

    def serve(self) -> int:
        """Serve all records as oai_dc, page after page; return their number."""
        return count_listed(self._server().handleRequest)

    def _server(self) -> Any:
        # Only used for pyoai's own version number; setuptools no longer has it.
        sys.modules.setdefault("pkg_resources", ModuleType("pkg_resources"))
        import cgi  # noqa: PLC0415  (a package of this benchmark only, as the next two)

        from oaipmh import common, metadata  # noqa: PLC0415
        from oaipmh.server import BatchingServer, oai_dc_writer  # noqa: PLC0415

        # Without this repair pyoai fails on the second page of every list: Python 3.8 removed the function.
        cgi.parse_qs = parse_qs
        registry = metadata.MetadataRegistry()
        registry.registerWriter("oai_dc", oai_dc_writer)
        return BatchingServer(Provider(common), registry, resumption_batch_size=SERVED)


READERS = {
    "dcndl": {
        "title": ".//dcndl:BibResource/dcterms:title//text()",
        "reading": ".//dc:title//dcndl:transcription/text()",
        "creators": ".//dcterms:creator//foaf:name/text() | .//dcterms:creator//dcndl:transcription/text()",
        "publisher": ".//dcterms:publisher//foaf:name/text() | .//dcterms:publisher//dcndl:transcription/text()",
        "subjects": ".//dcterms:subject//rdf:value/text() | .//dcterms:subject//dcndl:transcription/text()",
        "series": ".//dcndl:seriesTitle//rdf:value/text() | .//dcndl:seriesTitle//dcndl:transcription/text()",
        "notes": ".//dcndl:BibResource/dcterms:description/text() | .//dcterms:abstract/text()",
        "issued": ".//dcterms:issued/text()",
    },
    "oai_dc": {
        "title": ".//dc:title/text()",
        "creators": ".//dc:creator/text()",
        "publisher": ".//dc:publisher/text()",
        "subjects": ".//dc:subject/text()",
        "notes": ".//dc:description/text()",
        "issued": ".//dc:date/text()",
    },
}
ISBN_PATH = ".//dcterms:identifier[@rdf:datatype = $isbn]/text()"


class Provider:
    """pyoai's interface to the records."""

    def __init__(self, common: Any) -> None:
        self._common = common

    def identify(self) -> Any:
        return self._common.Identify(
            repositoryName="week",
            baseURL="http://127.0.0.1/oai",
            protocolVersion="2.0",
            adminEmails=["library@example.org"],
            earliestDatestamp=datetime(2020, 1, 1),  # noqa: DTZ001  (pyoai takes moments without a zone)
            deletedRecord="persistent",
            granularity="YYYY-MM-DDThh:mm:ssZ",
            compression=["identity"],
            toolkit_description=False,
        )

    def listMetadataFormats(self, identifier: str | None = None) -> list[tuple[str, str, str]]:
        return [
            ("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/")
        ]

    def listRecords(
        self,
        metadataPrefix: str,
        cursor: int,
        batch_size: int,
        **_span: Any,
    ) -> list[tuple[Any, Any, None]]:
        return [self._listed(record) for record in Record.objects.order_by("pk")[cursor : cursor + batch_size]]

    def _listed(self, record: Record) -> tuple[Any, Any, None]:
        header = self._common.Header(None, record.identifier, record.changed.replace(tzinfo=None), [], record.deleted)
        fields = {
            "title": [record.title],
            "creator": [record.creators],
            "publisher": [record.publisher],
            "date": [record.issued],
        }
        return header, None if record.deleted else self._common.Metadata(None, fields), None


def text_of(record: Record) -> str:
    """Return what is searched: the same elements of a record as in the aggregator."""
    fields = ("title", "reading", "creators", "publisher", "subjects", "series", "notes")
    return "\n".join((*(getattr(record, name) for name in fields), record.book.isbn or ""))


def measure(week: Week, url: str) -> dict[str, Any]:
    _done, whole = timed(lambda: week.harvest(url, "dcndl"))
    served, serving = timed(week.serve)
    records = Record.objects.filter(deleted=False).count()
    return {
        "records": records,
        "books": week.books(),
        "whole": whole,
        "served": served,
        "serving": serving,
        "peak_mb": peak_mb(),
    }


class TooLong(BaseException):
    """Raised when a harvest takes too long. No Exception, so that nothing but `limited` catches it."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """End the block after this time, and let `time.sleep` return at once in it."""

    def stop(*_arguments: Any) -> None:
        raise TooLong

    sleep, earlier = time.sleep, signal.signal(signal.SIGALRM, stop)
    time.sleep = lambda _seconds: None
    signal.alarm(seconds)
    try:
        yield
    except TooLong:
        pass
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)
        time.sleep = sleep


if __name__ == "__main__":
    run_command(Week(sys.argv[1]), measure, sys.argv[2:])
