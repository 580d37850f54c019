"""The providers of the large demo: their headers, and their records, which are written when they are requested."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from metadata.formats import CROSSWALKS
from sampleprovider.demo.headers import LARGE, DemoHeader, read_header
from sampleprovider.demo.large.descriptions import description
from sampleprovider.demo.large.facts import Publication, publications
from sampleprovider.demo.large.holdings import PROVIDERS, providers_of
from sampleprovider.demo.small import as_printed
from sampleprovider.source import DEFAULT_BASE, SampleRecord, SampleSource

FIRST_CHANGE = datetime(2024, 1, 1)  # noqa: DTZ001 - in UTC; only printed
MINUTES = 60 * 24 * 850  # in which the records were changed


def large_sources() -> list[SampleSource]:
    """Return all providers of the large demo. Raises DemoError."""
    held: dict[str, list[Publication]] = {name: [] for name in PROVIDERS}
    for publication in publications():
        for name in providers_of(publication):
            held[name].append(publication)
    return [large_source(name, held[name]) for name in PROVIDERS]


def large_source(name: str, held: list[Publication]) -> SampleSource:
    """Return a provider that has these publications. Raises DemoError."""
    header = read_header(LARGE / f"{name}.json")
    return header.source(name, [_record(publication, name, header) for publication in held])


def _record(publication: Publication, name: str, header: DemoHeader) -> SampleRecord:
    changed = FIRST_CHANGE + timedelta(minutes=publication.draw(f"changed {name}", MINUTES))
    return SampleRecord(
        identifier=f"oai:{name}.example.jp:{publication.number:09d}",
        datestamp=f"{changed:%Y-%m-%dT%H:%M:%SZ}",
        sets=(publication.type,) if header.sets else (),
        payloads=Payloads(publication, name, header.prefixes),
    )


class Payloads(Mapping[str, bytes]):
    """The payloads of one record by metadataPrefix, each written at its first use."""

    def __init__(self, publication: Publication, provider: str, prefixes: tuple[str, ...]) -> None:
        self._publication, self._provider, self._prefixes = publication, provider, prefixes
        self._written: dict[str, bytes] = {}

    def __getitem__(self, prefix: str) -> bytes:
        if prefix not in self._prefixes:
            raise KeyError(prefix)
        if prefix not in self._written:
            record = description(self._publication, self._provider, f"{DEFAULT_BASE}/{self._provider}")
            self._written[prefix] = as_printed(CROSSWALKS[prefix].write(record), record)
        return self._written[prefix]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prefixes)

    def __len__(self) -> int:
        return len(self._prefixes)

    def __contains__(self, prefix: object) -> bool:
        return prefix in self._prefixes
