"""NDL's mediatype (appendix 2 of its specification, 2024-04-01) as conditions of this site's search. Pure.

NDL distinguishes carriers and collections that the index does not have as such; they are found by material type,
accessible format and provider.
"""

from aggregator.search.tree import Choice, Either, Node, Not, combine
from metadata.accessible import BRAILLE, DAISY, EASY_TO_READ, EBOOK, FORMATS, LARGE_PRINT

_TYPES = {
    "books": "Book",
    "periodicals": "Journal",
    "articles": "Article",
    "newspapers": "Newspaper",
    "oldmaterials": "JapaneseClassicalBook ChineseClassicalBook",
    "maps": "Map",
    "electronic": "ElectronicResource",
    "video": "MovingImage DVD",
    "audio": "Sound SoundDisc Music",
    "doctoral": "DoctoralDissertation",
    "reports": "TechnicalReport",
    "scores": "MusicScore",
    "manuscripts": "StillImage Photograph Painting PicturePostcard",
    "micro": "MicroForm",
}
_BLIND = Choice("type", "MaterialsForVisuallyHandicappedPeople")
REPOSITORY = "repository"  # depends on the providers of this site, see `conditions.media_types`


def _any(**values: str) -> Node:
    """Return the condition for any of these values: name of the choice -> values with blanks between them."""
    return combine([Choice(name, value) for name, given in values.items() for value in given.split()], Either)


_MEDIA = _any(type="SoundDisc DVD Sound MovingImage Music")
_DIGITAL = _any(type="ElectronicResource", accessible=f"{EBOOK} {DAISY}", online="1")


NODES: dict[str, Node] = {
    **{name: combine([Choice("type", key) for key in keys.split()], Either) for name, keys in _TYPES.items()},
    "online": Choice("accessible", EBOOK),
    "mina": combine([_BLIND, *(Choice("accessible", key) for key in FORMATS if key != EBOOK)], Either),
    "mina-daisy": Choice("accessible", DAISY),
    "mina-braille": Choice("accessible", BRAILLE),
    "mina-audio": combine([Choice("accessible", DAISY), combine([_BLIND, _any(type="Sound SoundDisc Music")])], Either),
    "mina-text": combine([_BLIND, _any(type="ElectronicResource", accessible=EBOOK)]),
    "mina-video": combine([_BLIND, _any(type="MovingImage DVD")]),
    "mina-booklet": _any(accessible=f"{LARGE_PRINT} {EASY_TO_READ}"),
    "digital": _DIGITAL,
    "media": _MEDIA,
    "booklet": Not(combine([_DIGITAL, _MEDIA, Choice("type", "MicroForm")], Either)),
    "children": Choice("children", "1"),
    REPOSITORY: Choice("repository", ""),
    "web": Choice("kind", "website"),
}
