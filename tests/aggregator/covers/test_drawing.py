"""Drawn covers: what they say, how titles are broken, and that no text can break out of the picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from aggregator.covers.drawing import CREAM, HEIGHT, MAX_BYTES, OF_DIVISION, UNCLASSIFIED, WIDTH, draw
from aggregator.covers.face import LONGEST_NAME, LONGEST_TITLE, LONGEST_VOLUME, Design, Face, face_of
from aggregator.covers.lines import Box, fit, is_vertical, width
from metadata.record import Agent, BibliographicRecord, MaterialType, Subject, Title

SVG = "{http://www.w3.org/2000/svg}"
NDL = "http://ndl.go.jp/ndltype/"
SIZES = (30, 26, 22, 19, 16, 13)


def record(title: str, **fields) -> BibliographicRecord:
    return BibliographicRecord(titles=(Title(value=title),), **fields)


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in etree.fromstring(svg.encode()).iter(f"{SVG}text")]


def test_a_cover_says_title_author_and_volume():
    book = record("こころ : 他三篇", creators=(Agent(name="夏目, 漱石, 1867-1916"),), volumes=(Title(value="上"),))
    assert texts(draw(face_of(book))) == ["こころ", "夏目漱石", "上"]
    assert " ".join(texts(draw(face_of(record("The works of Shakespeare .."))))) == "The works of Shakespeare"


def test_a_japanese_title_is_vertical_and_an_english_one_is_not():
    assert 'writing-mode="vertical-rl"' in draw(face_of(record("吾輩は猫である")))
    assert "writing-mode" not in draw(face_of(record("I am a cat")))
    assert is_vertical("C言語プログラミング入門")
    assert not is_vertical("1Q84")


def test_the_colour_follows_the_class():
    classes = [face_of(record("x", subjects=(Subject(value=number, scheme="NDC10"),))) for number in ("913.6", "007")]
    assert OF_DIVISION["9"].cloth in draw(classes[0])
    assert OF_DIVISION["0"].cloth in draw(classes[1])
    unclassified = draw(face_of(record("x", subjects=(Subject(value="文学", scheme="NDLSH"),))))
    assert any(colours.cloth in unclassified for colours in UNCLASSIFIED)


def test_books_without_a_class_are_told_apart_by_several_quiet_colours():
    covers = [draw(face_of(record(f"x{number}"))) for number in range(40)]
    assert all(any(colours.cloth in svg for svg in covers) for colours in UNCLASSIFIED)
    assert not any(OF_DIVISION[division].cloth in svg for svg in covers for division in "0123456789")


@pytest.mark.parametrize(
    ("fields", "design"),
    [
        ({"material_types": (MaterialType(uri=f"{NDL}Map"),)}, Design.MAP),
        ({"material_types": (MaterialType(uri=f"{NDL}DoctoralDissertation"),)}, Design.THESIS),
        ({"material_types": (MaterialType(uri=f"{NDL}ElectronicResource"),)}, Design.DATA),
        ({"material_types": (MaterialType(uri=f"{NDL}ElectronicResource"), MaterialType(uri=f"{NDL}Book"))},
         Design.BOOK),
        ({"issued": "1774"}, Design.STITCHED),
        ({"issued": "1914"}, Design.BOOK),
        ({}, Design.BOOK),
    ],
)  # fmt: skip
def test_the_design_follows_the_kind_of_material(fields, design):
    assert face_of(record("解体新書", **fields)).design is design


def test_only_books_of_east_asia_are_stitched():
    assert face_of(record("Frankenstein", issued="1818")).design is Design.LEATHER
    assert face_of(record("Œuvres de Molière", issued="1734")).design is Design.LEATHER
    assert face_of(record("Emma", issued="1916")).design is Design.BOOK


def test_a_word_is_not_broken_if_a_somewhat_smaller_type_avoids_it():
    assert fit("Introduction to Algorithms", Box(120, 200), SIZES).lines == ("Introduction", "to", "Algorithms")
    assert fit("プログラミング入門", Box(192, 60), SIZES).lines == ("プログラミング入門",)


@pytest.mark.parametrize(
    "title",
    ["American fisheries", "Index to palaeontology", "Geschichten aus der Tonne", "The reconstruction of belief"],
)
@pytest.mark.parametrize("design", list(Design))
def test_no_latin_word_is_broken_on_any_cover(title, design):
    words = [word for line in texts(draw(Face(title, "A", "1", design=design))) for word in line.split()]
    assert set(title.split()) <= set(words)


def test_a_long_name_is_set_in_two_lines_rather_than_cut():
    svg = draw(Face("Plays", "William Shakespeare", design=Design.LEATHER))
    assert texts(svg)[1:] == ["Shakespeare", "William"]  # from the foot upwards


def test_a_word_that_is_longer_than_the_line_is_divided_with_a_hyphen():
    assert fit("Donaudampfschifffahrtsgesellschaft", Box(120, 160), SIZES).lines[0].endswith("-")


def test_lines_are_of_about_the_same_length_and_begin_with_no_closing_mark():
    lines = fit("地方自治体における公共図書館の経営と、その評価に関する研究報告書", Box(150, 120), SIZES).lines
    assert len(lines) > 1
    assert min(map(len, lines)) * 2 >= max(map(len, lines))
    assert not any(line[0] in "、。」ーっ" for line in lines)


@given(st.text(max_size=LONGEST_TITLE), st.sampled_from(SIZES))
def test_a_setting_stays_within_its_box_and_loses_nothing_that_fits(text, size):
    setting = fit(" ".join(text.split()), Box(120, 160), (size,))
    assert len(setting.lines) <= 6
    together = "".join(setting.lines).replace(" ", "")
    assert together.endswith("…") or together.replace("-", "") == "".join(text.split()).replace("-", "")
    assert all(width(line) * size <= 120 + size for line in setting.lines)


SAFE = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=300)


@given(SAFE, SAFE, SAFE, st.sampled_from(list(Design)), st.sampled_from(list(OF_DIVISION)))
def test_every_cover_is_a_small_well_formed_picture_without_addresses(title, author, volume, design, division):
    face = Face(title[:LONGEST_TITLE], author[:LONGEST_NAME], volume[:LONGEST_VOLUME], division, design)
    svg = draw(face)
    root = etree.fromstring(svg.encode())
    assert len(svg.encode()) <= MAX_BYTES
    assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg",
        "rect",
        "path",
        "circle",
        "ellipse",
        "text",
    }
    assert not any(
        name in {"href", "style"} or name.startswith("on") for element in root.iter() for name in element.attrib
    )
    assert draw(face) == svg


def test_a_title_with_markup_stays_text():
    svg = draw(face_of(record("</text><script>alert(1)</script>")))
    assert "<script" not in svg
    assert "".join(texts(svg)).replace("-", "") == "</text><script>alert(1)</script>"


@pytest.mark.parametrize("colours", [*OF_DIVISION.values(), *UNCLASSIFIED])
def test_type_on_cloth_can_be_read(colours):
    assert contrast(CREAM, colours.cloth) >= 4.5
    assert contrast(CREAM, colours.shade) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
