"""The headers of the demo's providers: what the server needs to know, and what a librarian registers. Reads files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from sampleprovider.source import SECOND, Records, SampleRecord, SampleSet, SampleSource

SMALL = Path(__file__).parent
LARGE = SMALL / "large" / "providers"
# The size of a demo -> the folders with the headers of its providers. The large demo has those of the small one, too.
SIZES = {"small": (SMALL,), "large": (SMALL, LARGE)}
LIST = "libraries.csv"  # in each folder: what and where the libraries are that the records of its providers name


class DemoError(Exception):
    """A demo file cannot be used; the message says where and why."""


class DemoHeader(msgspec.Struct, frozen=True, kw_only=True):
    """A provider of the demo. {base} stands for the address of its own pages.

    protocol, path: how it is harvested: the name of a transport, and the path of the interface below {base}.
    kind, number: of the repository to register. prefixes: the first one is harvested. live: of a catalogue that is
    searched live instead, what is declared about it.
    """

    name: str
    name_yomi: str = ""
    name_en: str = ""
    description: str = ""
    kind: str = "library"
    number: str = ""
    protocol: str = "oai-pmh"
    path: str = "oai"
    home_page: str = ""
    link_template: str = ""
    licence: str = ""
    prefixes: tuple[str, ...]
    granularity: str = SECOND
    deleted_record: str = "persistent"
    sets: tuple[dict[str, str], ...] = ()
    live: dict[str, Any] = {}

    def source(self, name: str, records: Records | Iterable[SampleRecord]) -> SampleSource:
        """Return the provider with its records."""
        return SampleSource(
            name=name,
            records=records,
            prefixes=self.prefixes,
            sets=tuple(SampleSet(set_["spec"], set_["name"]) for set_ in self.sets),
            granularity=self.granularity,
            deleted_record=self.deleted_record,
            title=self.name,
            title_en=self.name_en,
            description=self.description,
        )


def read_header(path: Path) -> DemoHeader:
    """Return the header in a file. Raises DemoError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=DemoHeader)
    except (OSError, msgspec.MsgspecError) as error:
        raise DemoError(f"{path}: {error}") from error


def headers(size: str) -> dict[str, DemoHeader]:
    """Return the headers of a demo of this size by the names of its providers. Raises DemoError."""
    return {path.stem: read_header(path) for folder in SIZES[size] for path in sorted(folder.glob("*.json"))}
