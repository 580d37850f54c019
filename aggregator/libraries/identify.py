"""Which library an item of a record belongs to, and what the item says about that library. Pure.

A library is known by one code: its NDLLibCode (or the ISIL or FA number found in its place), else the first of the
holding agent's identifiers, the usual schemes first; without any, its name within the provider; without a name, the
provider is taken for the library itself (also by its own name: see `registry`). An item's further codes say nothing
about identity here: whether two codes belong to one library is decided by people.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import msgspec

from metadata.record import Identifier, Item, Title
from metadata.text.folding import fold_tight

NDL, ISIL, FA = "NDLLibCode", "ISIL", "FA"
PROVIDER = "provider"  # the value is the number of a repository
NAME = "name"  # the value is "<repository number>:<folded name>"
LONGEST_SCHEME, LONGEST_VALUE, LONGEST_NAME = 60, 200, 200

_ISIL = re.compile(r"[A-Z]{2}-[A-Z0-9/:-]{1,11}|(?:OCLC|ZDB|O|M)-[A-Z0-9/:-]{1,11}").fullmatch  # ISO 15511
_FA = re.compile(r"FA[0-9]{5,7}[0-9X]").fullmatch
_SPELLINGS = {
    **dict.fromkeys(("", "ndllibcode", "ndl", "librarycode"), NDL),
    **dict.fromkeys(("isil", "marc", "marcorg"), ISIL),
    **dict.fromkeys(("fa", "fano", "faid", "nacsisfaid", "nacsiscatfaid"), FA),
}
_ORDER = (NDL, ISIL, FA)  # the schemes of libraries before those of institutions and persons
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+")


class Code(msgspec.Struct, frozen=True, order=True, cache_hash=True, gc=False):
    """A code of a library, in its normal form: see `LibraryCode`."""

    scheme: str
    value: str


class Reported(msgspec.Struct, frozen=True, gc=False):
    """A library as an item reports it. name, reading, name_en: "" where the item does not say."""

    code: Code
    name: str = ""
    reading: str = ""
    name_en: str = ""


class KnownLibrary(msgspec.Struct, frozen=True, gc=False):
    """What links and pages need of a library. pk: 0 if it is not in the table so far."""

    pk: int
    name: str = ""
    name_en: str = ""
    link_template: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Reports:
    """The libraries that a batch of records reports. names: provider (primary key) and name, by code."""

    first: dict[Code, Reported] = field(default_factory=dict)
    names: defaultdict[Code, set[tuple[int, str]]] = field(default_factory=lambda: defaultdict(set))

    def add(self, library: Reported, repository: int) -> None:
        known = self.first.get(library.code)
        self.first[library.code] = _filled(known, library) if known else library
        if library.name:
            self.names[library.code].add((repository, library.name))


def reported_library(item: Item, provider: str) -> Reported:
    """Return the library of an item from a provider, given by its repository number."""
    code, name, reading = item.library_code, item.holding_agent, item.holding_agent_transcription
    names, identifiers = item.holding_agent_names, item.holding_agent_identifiers
    rare = names or identifiers or len(code) + len(name) + len(reading) > LONGEST_NAME
    return (_reported_library if rare else _remembered_library)((code, name, reading), names, identifiers, provider)


def _reported_library(
    said: tuple[str, str, str], names: tuple[Title, ...], identifiers: tuple[Identifier, ...], provider: str
) -> Reported:
    """See `reported_library`. said: code, name and reading of the library, as the item gives them."""
    library_code, holding_agent, transcription = said
    name = one_line(holding_agent)
    code = next(_codes(library_code, identifiers), None) or _code_in_place_of(name)
    if code is None:
        code = name_code(provider, name) if fold_tight(name) else Code(PROVIDER, provider)
    if code.scheme == PROVIDER or _code_in_place_of(name):
        return Reported(code)
    return Reported(code, name, one_line(transcription), _english(names))


_remembered_library = lru_cache(maxsize=4096)(_reported_library)  # providers name the same libraries over and over


def name_code(provider: str, name: str) -> Code:
    """Return the code of a library that a provider knows by its name only."""
    return Code(NAME, bounded(f"{provider}:{fold_tight(name)}"))


def code_of(scheme: str, value: str) -> Code | None:
    """Return a code in its normal form; the scheme may be spelled in the usual ways. None without a value.

    Where a number is that of another scheme (an ISIL given as NDLLibCode), the number decides.
    """
    text = one_line(value, LONGEST_VALUE * 4)
    if not text:
        return None
    spelled = one_line(scheme, LONGEST_SCHEME)
    known = _SPELLINGS.get(fold_tight(spelled))
    if known is None:
        return Code(f"{spelled} code" if spelled in (PROVIDER, NAME) else spelled, bounded(text))
    number = "".join(text.upper().split())
    return _shaped(number) or Code(known, bounded(number))


def one_line(text: str, most: int = LONGEST_NAME) -> str:
    """Return a text without control characters, in NFKC, its blanks single, cut at `most` characters."""
    plain = unicodedata.normalize("NFKC", _CONTROL.sub(" ", text[: most * 4]))
    return " ".join(plain.split())[:most].strip()


def scheme_rank(scheme: str) -> int:
    """Return the place of a scheme: of several codes the one with the lowest rank comes first."""
    if scheme in _ORDER:
        return _ORDER.index(scheme)
    return len(_ORDER) + (scheme in (NAME, PROVIDER))  # this site's own schemes come last


def bounded(value: str) -> str:
    """Return a value that fits its column; a longer one is cut and gets a hash, so that it stays different."""
    if len(value) <= LONGEST_VALUE:
        return value
    digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{value[: LONGEST_VALUE - 17]}~{digest}"


def _filled(known: Reported, other: Reported) -> Reported:
    """The first report, its empty fields filled from the other one."""
    if known.name and known.reading and known.name_en:
        return known
    return Reported(
        known.code, known.name or other.name, known.reading or other.reading, known.name_en or other.name_en
    )


def _codes(library_code: str, identifiers: Iterable[Identifier]) -> Iterator[Code]:
    """The codes of a library, the best first."""
    if code := code_of(NDL, library_code):
        yield code
    codes = [code_of(number.scheme, number.value) for number in identifiers]
    found = [code for code in codes if code]
    yield from sorted(found, key=lambda code: scheme_rank(code.scheme))


def _shaped(number: str) -> Code | None:
    """The code of a number that can only be an ISIL or an FA number."""
    if _FA(number):
        return Code(FA, number)
    return Code(ISIL, number) if _ISIL(number) else None


def _code_in_place_of(name: str) -> Code | None:
    """The code that a record gives as the name of the library, as MARC 852 $a does."""
    return _shaped(name) if name.isascii() and any(map(str.isdigit, name)) else None


def _english(names: tuple[Title, ...]) -> str:
    return next((one_line(name.value) for name in names if name.language[:2].lower() == "en" and name.value), "")
