"""NDL's mediatype (appendix 2 of its specification, 2024-04-01) as conditions of this site's search. Pure.

NDL distinguishes carriers and collections that the index does not know. Their names are valid, but nothing is found
under them: a wider answer would be a wrong one.
"""

from aggregator.search.tree import IMPOSSIBLE, Choice, Either, Node, combine
from metadata.accessible import BRAILLE, DAISY, EBOOK, FORMATS

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
_UNKNOWN = "booklet media digital web children repository mina-audio mina-text mina-video mina-booklet"


NODES: dict[str, Node] = {
    **{name: combine([Choice("type", key) for key in keys.split()], Either) for name, keys in _TYPES.items()},
    "online": Choice("accessible", EBOOK),
    "mina": combine([_BLIND, *(Choice("accessible", key) for key in FORMATS if key != EBOOK)], Either),
    "mina-daisy": Choice("accessible", DAISY),
    "mina-braille": Choice("accessible", BRAILLE),
    **dict.fromkeys(_UNKNOWN.split(), IMPOSSIBLE),
}
