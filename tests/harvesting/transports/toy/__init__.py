"""A made-up protocol, to show that a transport is one folder. Its responses are text, one line for each record:

    TOY/1 name of the provider
    b1<tab>2026-01-10T00:00:00Z<tab>payload in one line, or nothing for a deleted record
    NEXT 2

`since` asks for changes only, `from` continues a list, `id` asks for one record.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from harvesting.http.fetch import Fetcher
from harvesting.texts import Message, _
from harvesting.transports.kind import Detection, TransportKind
from harvesting.transports.retries import RetryPolicy
from harvesting.types import (
    Batch,
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Observation,
    Source,
    Transport,
    TransportError,
)

SIGNATURE = b"TOY/1 "


class ToyTransport:
    """The transport of one address."""

    def __init__(self, url: str, fetcher: Fetcher) -> None:
        self._url = url
        self._fetcher = fetcher

    def identify(self) -> Identity:
        name = self._ask({})[0].removeprefix(SIGNATURE).decode()
        return Identity(repository_name=name, deleted_record="transient", granularity="YYYY-MM-DDThh:mm:ssZ")

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        return ()

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        token = request.resumption_token
        while True:
            given = {"since": request.from_, "from": token, "id": request.identifier}
            _first, *lines = self._ask({name: value for name, value in given.items() if value})
            token = lines.pop().removeprefix(b"NEXT ").decode() if lines and lines[-1].startswith(b"NEXT ") else ""
            if request.identifier and not lines:
                raise TransportError("no record", "toy.no_record", permanent=True, identifier=request.identifier)
            yield Batch(
                records=tuple(_record(line) for line in lines),
                resumption_token=token,
                response_date=datetime.now(UTC),
                exhaustive=request.full and not token,
                observations=() if lines else (Observation(code="toy.empty"),),
            )
            if not token:
                return

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        return self.batches(request)

    def _ask(self, arguments: dict[str, str]) -> list[bytes]:
        body = self._fetcher.fetch(self._url, arguments).body
        if not body.startswith(SIGNATURE):
            raise TransportError("no toy", "toy.not_toy", permanent=True, url=self._url)
        return body.splitlines()


def _record(line: bytes) -> HarvestedRecord:
    identifier, stamp, payload = line.split(b"\t")
    return HarvestedRecord(
        identifier=identifier.decode(), datestamp=stamp.decode(), payload=payload, deleted=not payload
    )


def _make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return ToyTransport(source.base_url, fetcher)


def _recognises(root: bytes, start: bytes) -> bool:
    return start.startswith(SIGNATURE)


TRANSPORT = TransportKind(
    name="toy",
    label="Toy",
    make=_make,
    address=_("Toy: where the toys are."),
    place=_("of a toy box"),
    guide=_("For children."),
    detection=Detection(recognises=_recognises),
    fetches_single=True,
    has_identify=True,
    has_periods=True,
    messages={
        "toy.not_toy": Message(_("There are no toys at %(url)s."), _("Look elsewhere.")),
        "toy.no_record": Message(_("There is no toy %(identifier)s."), _("Look for another.")),
        "toy.empty": Message(_("The toy box is empty."), _("Fill it.")),
    },
    unknown_record_codes=frozenset({"toy.no_record"}),
)
