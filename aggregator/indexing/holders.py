"""Reads which providers and libraries have the books of a batch, for their index documents."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from aggregator.libraries.holdings import accessible_in
from aggregator.libraries.identify import NAME, PROVIDER
from aggregator.libraries.numbers import library_number
from aggregator.libraries.regions import MUNICIPALITIES, PREFECTURES
from aggregator.models import Holding, Library, LibraryCode, Member
from aggregator.search.base import SHORTEST_NAME, HoldingLibrary
from aggregator.search.documents import Holders
from core.database.batches import fetch_in, select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_encoded

_MEMBERS = (
    f"SELECT manifestation_id, repository.number FROM {Member._meta.db_table} "  # noqa: S608 names of ours
    f"JOIN {SourceRecord._meta.db_table} AS record ON record.id = source_record_id "
    f"JOIN {Repository._meta.db_table} AS repository ON repository.id = record.repository_id WHERE {{condition}}"
)
_COLUMNS = ("id", "name", "short_name", "name_en", "prefecture", "municipality")


class HolderReader:
    """Reads holders batch by batch; every library is read once. For one pass of indexing: a library that changes
    meanwhile has its books marked again.
    """

    def __init__(self) -> None:
        self._libraries: dict[int, HoldingLibrary] = {}

    def holders(self, numbers: Collection[int]) -> dict[int, Holders]:
        """Return the holders of these books. One query each for members and holdings."""
        members: defaultdict[int, list[str]] = defaultdict(list)
        for number, repository in fetch_in(_MEMBERS, "manifestation_id", numbers):
            members[number].append(repository)
        libraries: defaultdict[int, list[int]] = defaultdict(list)
        forms: defaultdict[int, frozenset[str]] = defaultdict(frozenset)
        columns = ("manifestation_id", "library_id", "packed")
        for number, library, packed in select_in(Holding, columns, "manifestation_id", numbers):
            libraries[number].append(library)
            if found := accessible_in(unpack_encoded(packed)):
                forms[number] |= found
        self._read({pk for own in libraries.values() for pk in own} - self._libraries.keys())
        return {number: self._holders(members[number], libraries[number], forms[number]) for number in numbers}

    def _holders(self, repositories: Sequence[str], libraries: Sequence[int], forms: frozenset[str]) -> Holders:
        known = tuple([self._libraries[pk] for pk in sorted(libraries) if pk in self._libraries])
        return Holders(tuple(sorted(set(repositories))), len(repositories), known, forms)

    def _read(self, unknown: Collection[int]) -> None:
        codes: defaultdict[int, list[str]] = defaultdict(list)
        for library, scheme, value in select_in(LibraryCode, ("library_id", "scheme", "value"), "library_id", unknown):
            if scheme not in (PROVIDER, NAME):
                codes[library].append(value)
        for pk, *names, prefecture, municipality in select_in(Library, _COLUMNS, "id", unknown):
            texts = dict.fromkeys(text for text in (*names, *sorted(codes[pk])) if len(text) >= SHORTEST_NAME)
            region = _region(prefecture, municipality)
            self._libraries[pk] = HoldingLibrary(library_number(pk), region, tuple(texts))


def _region(prefecture: str, municipality: str) -> str:
    """The municipality, or else the prefecture; "" if there is no place with these codes."""
    if municipality in MUNICIPALITIES or (_is_municipality(municipality) and municipality[:2] in PREFECTURES):
        return municipality
    return prefecture if prefecture in PREFECTURES else ""


def _is_municipality(code: str) -> bool:
    return len(code) == 5 and code.isascii() and code.isdecimal()
