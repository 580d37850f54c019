"""What material a record describes: its types, and the mediatypes, collections and levels of NDL Search. Pure.

NDL does not publish how it decides them. Here a carrier is what the record says (紙, デジタル …); of a record that says
nothing it follows from the type of material. The other mediatypes follow from types, accessible formats, audience and
NDL's collection codes.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from metadata.accessible import BRAILLE, DAISY, EASY_TO_READ, EBOOK, LARGE_PRINT
from metadata.audiences import is_for_children
from metadata.record import BibliographicRecord, MaterialType
from metadata.vocabularies.dcndl import CARRIER_WORDS, MATERIAL_TYPES, material_type_uri
from metadata.vocabularies.media_types import CARRIERS, MEDIA_TYPES
from metadata.vocabularies.resource_types import resource_type

OTHER_TYPE = "Other"
_TYPE_KEYS = {uri: uri.rsplit("/", 1)[-1] for uri in MATERIAL_TYPES}
TYPES = (*_TYPE_KEYS.values(), OTHER_TYPE)  # all possible type keys
REPOSITORY = "repository"  # the mediatype that belongs to the provider, so that no record has it
STATED = tuple(name for name in MEDIA_TYPES if name != REPOSITORY)
COLLECTION = re.compile(r"[AB][0-9]{5}")  # a collection code of NDL's digital collections
BOOK = "book"
LEVELS = ("title", "article", BOOK)
ARTICLE, _SERIALS = "Article", frozenset({"Journal", "Newspaper"})
_EBOOKS = "B00000"  # the collection of e-books and e-journals
_CHILDREN, _BRAILLE_DATA, _FOR_IMPAIRED_VISION = "A00078", "A00084", "A00030"
_BY_WORD = {name.ja: key for key, name in CARRIERS.items()}
_IMPAIRED_VISION = "MaterialsForVisuallyHandicappedPeople"
_AUDIO, _VIDEO = frozenset({"Sound", "SoundDisc", "Music"}), frozenset({"MovingImage", "DVD"})
_ELECTRONIC, _WEBSITE = "ElectronicResource", "website"
_BY_TYPE = {
    "books": {"Book"},
    "periodicals": {"Journal"},
    "articles": {"Article"},
    "newspapers": {"Newspaper"},
    "oldmaterials": {"JapaneseClassicalBook", "ChineseClassicalBook"},
    "maps": {"Map"},
    "electronic": {_ELECTRONIC},
    "video": _VIDEO,
    "audio": _AUDIO,
    "doctoral": {"DoctoralDissertation"},
    "reports": {"TechnicalReport"},
    "scores": {"MusicScore"},
    "manuscripts": {"StillImage", "Photograph", "Painting", "PicturePostcard"},
}


class Materials(NamedTuple):
    """The fields of `base.Document` of the same names."""

    types: tuple[str, ...]
    kinds: tuple[str, ...]
    media_types: tuple[str, ...]
    collections: tuple[str, ...]
    levels: tuple[str, ...]


class Known(NamedTuple):
    """What the mediatypes of a book follow from. carriers: the words for carriers that it states."""

    types: tuple[str, ...]
    kinds: tuple[str, ...]
    collections: tuple[str, ...]
    accessible: tuple[str, ...]
    carriers: tuple[str, ...]
    online: bool
    children: bool


def materials_of(record: BibliographicRecord, accessible: tuple[str, ...], online: bool) -> Materials:
    """Return what material a book is. accessible, online: as in `base.Document`."""
    types, kinds, collections = types_of(record), kinds_of(record), collections_of(record)
    carriers, children = _carrier_words(record.material_types), is_for_children(record)
    media_types = _media_types(Known(types, kinds, collections, accessible, carriers, online, children))
    return Materials(types, kinds, media_types, collections, (level_of(record, types),))


def types_of(record: BibliographicRecord) -> tuple[str, ...]:
    """The keys (see TYPES) of a record's material types; () if the record names none."""
    return _types(record.material_types)


@lru_cache(maxsize=1024)  # every catalogue uses only a handful of combinations
def _types(stated: tuple[MaterialType, ...]) -> tuple[str, ...]:
    """The keys of types; words for carriers are not types."""
    types = [(kind.uri, kind.label) for kind in stated if kind.uri or kind.label not in CARRIER_WORDS]
    return tuple(
        dict.fromkeys(
            _TYPE_KEYS.get(uri) or _TYPE_KEYS.get(material_type_uri(uri or label), OTHER_TYPE) for uri, label in types
        )
    )


def kinds_of(record: BibliographicRecord) -> tuple[str, ...]:
    """The resource types that a provider names in words of its own: those of NDL's list are only types."""
    return _kinds(record.material_types)


@lru_cache(maxsize=1024)  # every catalogue uses only a handful of combinations
def _carrier_words(stated: tuple[MaterialType, ...]) -> tuple[str, ...]:
    return tuple([kind.label for kind in stated if kind.label in CARRIER_WORDS])


@lru_cache(maxsize=1024)  # every catalogue uses only a handful of combinations
def _kinds(stated: tuple[MaterialType, ...]) -> tuple[str, ...]:
    labels = [kind.label for kind in stated if kind.label and kind.label not in MATERIAL_TYPES.get(kind.uri, ())]
    return tuple(dict.fromkeys(filter(None, map(resource_type, labels))))


def collections_of(record: BibliographicRecord) -> tuple[str, ...]:
    """Return NDL's collection codes; a record names those of all levels (A00002, A00000)."""
    if not record.sub_category:
        return ()
    return tuple(dict.fromkeys(filter(COLLECTION.fullmatch, record.sub_category.split())))


def level_of(record: BibliographicRecord, types: Collection[str]) -> str:
    """Return whether a record describes a whole series or serial ("title"), a "book" or an "article".

    NDL's records say it ("type : title"); of others it follows from the types.
    """
    if record.level in LEVELS:
        return record.level
    if ARTICLE in types:
        return "article"
    return BOOK if _SERIALS.isdisjoint(types) else "title"


@lru_cache(maxsize=4096)  # catalogues know only few different combinations
def _media_types(known: Known) -> tuple[str, ...]:
    found = {*_carriers(known), *_by_type(known), *_for_disabilities(known)}
    return tuple(name for name in STATED if name in found)


def _carriers(known: Known) -> Iterable[str]:
    stated = {_BY_WORD[word] for word in known.carriers if word in _BY_WORD}
    if stated:
        return stated
    is_file = not {EBOOK, DAISY}.isdisjoint(known.accessible) or _WEBSITE in known.kinds
    found = {
        "digital": is_file or _ELECTRONIC in known.types or known.online or bool(known.collections),
        "media": not (_AUDIO | _VIDEO).isdisjoint(known.types),
        "micro": "MicroForm" in known.types,
    }
    return [name for name, holds in found.items() if holds] or ["booklet"]


def _by_type(known: Known) -> Iterator[str]:
    yield from (name for name, types in _BY_TYPE.items() if not types.isdisjoint(known.types))
    if EBOOK in known.accessible or _EBOOKS in known.collections:
        yield "online"
    if _WEBSITE in known.kinds:
        yield "web"
    if known.children or _CHILDREN in known.collections:
        yield "children"


def _for_disabilities(known: Known) -> Iterator[str]:
    given, types = {*known.accessible}, {*known.types}
    is_meant = _IMPAIRED_VISION in types or _FOR_IMPAIRED_VISION in known.collections
    found = {
        "mina-daisy": DAISY in given,
        "mina-audio": DAISY in given or (is_meant and not _AUDIO.isdisjoint(types)),
        "mina-braille": BRAILLE in given or _BRAILLE_DATA in known.collections,
        "mina-text": is_meant and (_ELECTRONIC in types or EBOOK in given),
        "mina-video": is_meant and not _VIDEO.isdisjoint(types),
        "mina-booklet": not {LARGE_PRINT, EASY_TO_READ}.isdisjoint(given),
    }
    yield from (name for name, holds in found.items() if holds)
    if is_meant or any(found.values()):
        yield "mina"
