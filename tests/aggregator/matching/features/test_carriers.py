"""The carrier and the size of a record, sign by sign."""

from typing import Any

import pytest

from aggregator.matching.features.carriers import Size, find_carrier, read_size
from metadata.record import BibliographicRecord, File, Identifier, MaterialType

NDL, DCMI = "http://ndl.go.jp/ndltype/", "http://purl.org/dc/dcmitype/"


def found(*types: str, title: str = "", label: str = "", **fields: Any) -> tuple[str, str, bool]:
    kinds = tuple(MaterialType(uri=NDL + name, label=label) for name in types)
    return tuple(find_carrier(BibliographicRecord(material_types=kinds, **fields), title))


@pytest.mark.parametrize(
    ("types", "kind", "carrier", "sure"),
    [
        ((), "", "", False),
        (("Book",), "book", "paper", False),
        (("Newspaper",), "serial", "", False),
        (("Article",), "article", "", False),
        (("Map",), "map", "", False),
        (("MusicScore",), "score", "", False),
        (("StillImage",), "image", "", False),
        (("Photograph",), "image", "", False),
        (("MuseumMaterial",), "object", "", False),
        (("ElectronicResource",), "", "digital", True),
        (("Book", "ElectronicResource"), "book", "digital", True),
        (("Journal", "Book"), "serial", "", False),
        (("Music",), "", "sound", True),
        (("MovingImage",), "", "video", True),
        (("MicroForm",), "", "micro", True),
        (("Braille",), "", "braille", True),
        (("DoctoralDissertation",), "", "paper", False),
    ],
)
def test_types(types: tuple[str, ...], kind: str, carrier: str, sure: bool) -> None:
    assert found(*types) == (kind, carrier, sure)


@pytest.mark.parametrize(
    ("extent", "carrier", "sure"),
    [
        ("203p ; 19cm", "paper", True),
        ("1冊 ; A5", "paper", True),
        ("CD 1枚", "sound", True),
        ("録音カセット 2巻", "sound", True),
        ("DVD 1枚", "video", True),
        ("ビデオテープ 1巻", "video", True),
        ("ビデオカセット 1巻", "video", True),
        ("VHSビデオカセット 2巻", "video", True),
        ("ビデオCD 1枚", "video", True),
        ("マイクロカセット 1巻", "sound", True),
        ("ビデオ 1巻 カセット 1巻", "", False),
        ("マイクロフィルム 1巻", "micro", True),
        ("オンライン資料 1件", "digital", True),
        ("CD-ROM 1枚 ; 12cm", "digital", False),
        ("マイクロフィッシュ 3枚 ; 11cm", "micro", False),
        ("点字 3冊 ; 27cm", "braille", True),
        ("3巻", "transcript", True),
        ("1巻 (97分)", "media", True),
        ("2時間", "media", True),
        ("97 min.", "media", True),
        ("CD 1枚 DVD 1枚", "", False),
        ("8分冊", "", False),
        ("巻頭図版", "", False),
        ("3巻頭", "", False),
        ("203p", "", False),
    ],
)
def test_extents_without_a_type(extent: str, carrier: str, sure: bool) -> None:
    assert found(extents=(extent,)) == ("", carrier, sure)


@pytest.mark.parametrize(
    ("types", "extent", "carrier", "sure"),
    [
        (("Book",), "203p ; 19cm", "paper", True),
        (("Book",), "3巻", "braille", True),
        (("JapaneseClassicalBook",), "3巻", "", False),
        (("Book",), "3巻 ; 19cm", "paper", True),
        (("Book",), "CD 1枚 DVD 1枚", "", False),
        (("Music",), "CD 1枚 DVD 1枚", "sound", False),
        (("ElectronicResource",), "300p ; 19cm", "digital", False),
        (("MicroForm",), "19cm", "micro", False),
        (("Braille",), "32p ; 31cm", "braille", True),
        (("DoctoralDissertation",), "1冊 ; 30cm", "paper", True),
        (("DoctoralDissertation",), "オンライン", "digital", True),
    ],
)
def test_types_with_extents(types: tuple[str, ...], extent: str, carrier: str, sure: bool) -> None:
    assert found(*types, extents=(extent,))[1:] == (carrier, sure)


@pytest.mark.parametrize(
    ("extent", "carrier"),
    [
        ("CD 1枚", "sound"),
        ("DVD 1枚", "video"),
        ("CD-ROM 1枚", "digital"),
        ("1枚", "media"),
        ("3巻", "media"),
        ("CD 1枚 DVD 1枚", "media"),
    ],
)
def test_a_book_on_a_recording_medium_is_no_paper(extent: str, carrier: str) -> None:
    assert found("Book", label="記録メディア", extents=(extent,)) == ("book", carrier, True)


@pytest.mark.parametrize(
    ("fields", "carrier"),
    [
        ({"notes": ("点字資料",)}, "braille"),
        ({"notes": ("あ" * 22 + "点字",)}, "braille"),  # 24 characters
        ({"notes": ("あ" * 23 + "点字",)}, ""),
        ({"formats": ("application/pdf",)}, "digital"),
        ({"see_also": ("https://a.example/a.pdf",)}, "digital"),
        ({"see_also": ("https://a.example/a.EPUB?x=1",)}, "digital"),
        ({"see_also": ("https://a.example/a.pdf.html",)}, ""),
        ({"files": (File(uri="https://a.example/a.pdf"),)}, "digital"),
        ({"identifiers": (Identifier(scheme="ISBN", value="1", printed="1 (pbk)"),)}, "paper"),
        ({"identifiers": (Identifier(scheme="ISBN", value="1", printed="1（電子）"),)}, "digital"),
        ({"identifiers": (Identifier(scheme="ISBN", value="1", printed="1 pbk"),)}, ""),
        ({"title": "[電子資料]心"}, "digital"),
        ({"title": "【DVD】心"}, "video"),
        ({"title": "心[電子資料]"}, ""),
        ({"title": "[あいうえおかきくけこさ電子]"}, ""),  # after twelve characters
    ],
)
def test_other_signs(fields: dict[str, Any], carrier: str) -> None:
    assert found(**fields)[1] == carrier


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("314p ; 16cm", Size(height=16)),
        ("314p ; 16.5cm", Size(height=16)),
        ("216p ; 18×12cm", Size(height=18)),
        ("7巻 (10時間30分)", Size(pieces=7, minutes=630)),
        ("DVD 1枚 (97分)", Size(pieces=1, minutes=97)),
        ("2 hours 5 min", Size(minutes=125)),
        ("3本", Size(pieces=3)),
        ("3冊", Size()),
        ("8分冊 ; 30cm", Size(height=30)),
        ("322p, CD 1枚", Size()),  # the disc accompanies the book
        ("1冊 ; 19cm + CD 1枚", Size(height=19)),
        ("100p", Size()),
        ("", Size()),
    ],
)
def test_sizes(text: str, size: Size) -> None:
    assert read_size(text) == size
