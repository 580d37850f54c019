"""Draws the cover of a book as SVG: a pure function of its face. At most MAX_BYTES; no script, no style, no address.

Every design is the ornament of a kind of material, with a place for the title. User units: WIDTH × HEIGHT.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import NamedTuple
from xml.sax.saxutils import escape

from aggregator.covers.face import Design, Face
from aggregator.covers.lines import LEADING, Box, Setting, fit, is_vertical, width

CREAM, INK, GOLD = "#fbf6e9", "#22282b", "#d9b45b"


class Colours(NamedTuple):
    """cloth: of the cover. shade: a darker one of the same hue. tint: a light one, for ornaments on the cloth."""

    cloth: str
    shade: str
    tint: str


# Named after Japanese dyes. Cream type on the cloth has a contrast of at least 4.5.
OF_DIVISION = {
    "0": Colours("#4d5a66", "#394550", "#9fb0bd"),  # 藍鼠 general works
    "1": Colours("#5d4477", "#45305c", "#b9a3d0"),  # 桔梗 philosophy
    "2": Colours("#7a4d2e", "#5d381f", "#d3a987"),  # 檜皮 history
    "3": Colours("#1f4f7a", "#143a5c", "#8fb8dc"),  # 藍 social sciences
    "4": Colours("#2c6650", "#1d4c3a", "#93c7b1"),  # 常磐 natural sciences
    "5": Colours("#35525e", "#243d47", "#96b6c2"),  # 鉄紺 technology
    "6": Colours("#71601a", "#564810", "#cfbd74"),  # 鶯茶 industry
    "7": Colours("#93284c", "#711b38", "#e0a0b6"),  # 臙脂 arts
    "8": Colours("#1d6a73", "#124f56", "#8ac8cf"),  # 浅葱 language
    "9": Colours("#9a3a28", "#77291b", "#e3a896"),  # 蘇芳 literature
    "": Colours("#5c6659", "#464f44", "#b3beae"),  # 利休鼠 not classified
}
# Quiet colours that no class has, so that a shelf of books without a class is not of one colour.
UNCLASSIFIED = (
    OF_DIVISION[""],
    Colours("#6b5b4f", "#51443a", "#c9b8a8"),  # 煤竹
    Colours("#645c69", "#4c4551", "#bfb6c4"),  # 鳩羽鼠
    Colours("#5e5b40", "#47452f", "#c2bd9d"),  # 海松
    Colours("#566367", "#404b4f", "#b0bfc4"),  # 青鈍
)
WIDTH, HEIGHT = 180, 260
MAX_BYTES = 4096
_SIZES = (30, 27, 24, 21, 19, 17, 15, 13.5, 12)
_DOWN = ' writing-mode="vertical-rl"'
_NAME_SIZES = (13, 12, 11, 10, 9)
_MINCHO = (
    "'Hiragino Mincho ProN','Yu Mincho',YuMincho,'BIZ UDPMincho','Noto Serif CJK JP','Noto Serif JP',Georgia,serif"
)


class Plate(NamedTuple):
    """The place of the texts. background: under them, "" = none; line: around it.

    left, top, width, height: of the place.
    """

    left: float
    top: float
    width: float
    height: float
    ink: str = CREAM
    background: str = ""
    line: str = ""


class Drawn(NamedTuple):
    """A design before the texts are set. ornament: SVG elements below them."""

    plate: Plate
    ornament: str


def draw(face: Face) -> str:
    """Return the cover as an SVG document."""
    variant = _variant(face)
    colours = OF_DIVISION[face.division] if face.division else UNCLASSIFIED[variant // 3 % len(UNCLASSIFIED)]
    drawn = _DESIGNS[face.design](colours, variant)
    # The slip of a stitched book is narrow: Latin letters lie on their side there.
    set_texts = _vertical if is_vertical(face.title) or face.design is Design.STITCHED else _horizontal
    texts = "".join(set_texts(face, drawn.plate))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{_MINCHO}">'
        f"{drawn.ornament}{_plate(drawn.plate)}{texts}</svg>"
    )


def _variant(face: Face) -> int:
    """A number from the title, so that the books of a shelf differ and a book always looks the same."""
    return blake2b(face.title.encode(), digest_size=1).digest()[0]


def _plate(plate: Plate) -> str:
    if not plate.background:
        return ""
    line = f' stroke="{plate.line}"' if plate.line else ""
    return _rect(plate.left, plate.top, plate.width, plate.height, plate.background, line)


def _vertical(face: Face, plate: Plate) -> Iterator[str]:
    """The title in columns from the right; the author at the lower left, the volume below the title."""
    margin = 10.0
    foot = 16.0 if face.volume else 0.0
    author_room = 20.0 if face.author else 0.0
    box = Box(plate.height - 2 * margin - foot, plate.width - 2 * margin - author_room)
    setting = fit(face.title, box, _SIZES)
    pitch = setting.size * LEADING
    block = pitch * (len(setting.lines) - 1) + setting.size
    middle = plate.left + margin + author_room + (box.across + block) / 2 - setting.size / 2
    for number, line in enumerate(setting.lines):
        yield _text(line, (middle - number * pitch, plate.top + margin), setting.size, plate.ink, _DOWN)
    if face.author:
        name = fit(face.author, Box(plate.height - 2 * margin, 0), _NAME_SIZES, 1)
        bottom = plate.top + plate.height - margin
        x = plate.left + margin + name.size / 2
        yield _text("".join(name.lines), (x, bottom), name.size, plate.ink, f'{_DOWN} text-anchor="end"')
    if face.volume:
        size = min(13.0, box.across / max(1.0, width(face.volume)))
        x = plate.left + plate.width - margin - box.across / 2
        yield _text(face.volume, (x, plate.top + plate.height - margin), size, plate.ink, ' text-anchor="middle"')


def _horizontal(face: Face, plate: Plate) -> Iterator[str]:
    """The title in lines from the top; below it the volume, and the author at the foot."""
    margin = 12.0
    name = _name(face.author, plate.width - 2 * margin)
    foot = (8 + name.size * LEADING * len(name.lines) if name.lines else 0.0) + (18.0 if face.volume else 0.0)
    box = Box(plate.width - 2 * margin, plate.height - 2 * margin - foot)
    setting = fit(face.title, box, _SIZES)
    left, y = plate.left + margin, plate.top + margin + setting.size * 0.85
    for line in setting.lines:
        yield _text(line, (left, y), setting.size, plate.ink)
        y += setting.size * LEADING
    if face.volume:
        yield _text(face.volume, (left, y + 4), 13, plate.ink)
    for number, line in enumerate(reversed(name.lines)):
        bottom = plate.top + plate.height - margin - number * name.size * LEADING
        yield _text(line, (left, bottom), name.size, plate.ink)


def _name(author: str, room: float) -> Setting:
    """Set the author in one line; in two lines if one would cut the name."""
    one_line = fit(author, Box(room, 0), _NAME_SIZES, 1)
    if "".join(one_line.lines) == author:
        return one_line
    return fit(author, Box(room, 2 * LEADING * _NAME_SIZES[-1]), _NAME_SIZES[-1:], 2)


def _text(text: str, place: tuple[float, float], size: float, ink: str, more: str = "") -> str:
    x, y = place
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.4g}" fill="{ink}"{more}>{escape(text)}</text>'


# Designs. variant: 0 to 255.


def _book(colours: Colours, variant: int) -> Drawn:
    """Cloth with a label, a frame, or a coloured spine."""
    cloth = _cloth(colours.cloth)
    form = variant % 3
    if form == 0:
        band = _rect(0, 0, WIDTH, 34, colours.shade) + _rect(0, 226, WIDTH, 34, colours.shade)
        return Drawn(Plate(24, 24, 132, 212, INK, CREAM, colours.shade), cloth + band)
    if form == 1:
        frame = _frame(9, colours.tint, 1) + _frame(13, colours.tint, 0.5)
        return Drawn(Plate(18, 18, 144, 224), cloth + frame)
    spine = _rect(0, 0, 22, HEIGHT, colours.shade) + _rect(22, 0, 2, HEIGHT, colours.tint)
    rules = _path("M34 14h136M34 246h136", colours.tint, 0.8)
    return Drawn(Plate(30, 18, 144, 224), cloth + spine + rules)


def _stitched(colours: Colours, variant: int) -> Drawn:
    """A book bound with thread, at the right (four holes), with a title slip at the upper left."""
    weave = "".join(f"M0 {y}h180" for y in range(6 + variant % 4, HEIGHT, 12))
    holes = (18, 92, 168, 242)
    thread = "M164 0v260" + "".join(f"M164 {y}h16" for y in holes)
    return Drawn(
        Plate(16, 14, 74, 186, INK, CREAM, colours.shade),
        _cloth(colours.cloth) + _path(weave, colours.shade, 0.6) + _path(thread, CREAM, 1.4),
    )


def _leather(colours: Colours, variant: int) -> Drawn:
    """A European book of that time: leather with raised bands on the spine, gold rules and a label."""
    bands = "".join(_rect(0, y, 24, 5, colours.tint) for y in range(34 + variant % 9, 240, 52))
    spine = _rect(0, 0, 24, HEIGHT, colours.shade) + bands
    rules = _path("M32 8h140v244h-140zM36 12h132v236h-132z", GOLD, 0.8)
    return Drawn(Plate(44, 22, 116, 150, INK, CREAM, GOLD), _cloth(colours.cloth) + spine + rules)


def _serial(colours: Colours, variant: int) -> Drawn:
    """A masthead above coloured fields."""
    cuts = (150 + variant % 3 * 14, 186 + variant % 4 * 8)
    fields = (
        _rect(0, cuts[0], WIDTH, HEIGHT - cuts[0], colours.cloth)
        + _rect(0, cuts[0], 60 + variant % 5 * 16, HEIGHT - cuts[0], colours.shade)
        + _rect(0, cuts[1], WIDTH, 10, colours.tint)
    )
    head = _rect(0, 0, WIDTH, 8, colours.cloth)
    return Drawn(Plate(0, 8, WIDTH, cuts[0] - 8, INK), _cloth(CREAM) + head + fields)


def _paper(colours: Colours, variant: int) -> Drawn:
    """A page: a coloured rule, and lines of text in two columns below the title."""
    rows = "".join(f"M14 {y}h70M96 {y}h{70 if y % 4 else 44}" for y in range(168, 246, 7))
    head = _rect(0, 0, WIDTH, 10, colours.cloth) + _rect(14, 22, 30 + variant % 30, 3, colours.cloth)
    return Drawn(Plate(2, 26, 176, 132, INK), _cloth("#ffffff") + head + _path(rows, "#cfd3d2", 2.4))


def _thesis(colours: Colours, variant: int) -> Drawn:
    """Dark cloth with a gold frame."""
    corner = 20 + variant % 3 * 4
    corners = "".join(
        f"M{x} {y + dy}v{-dy}h{dx}"
        for x, y, dx, dy in ((12, 12, corner, corner), (168, 12, -corner, corner), (12, 248, corner, -corner),
                             (168, 248, -corner, -corner))
    )  # fmt: skip
    ornament = _frame(8, GOLD, 0.8) + _path(corners, GOLD, 2.2)
    return Drawn(Plate(20, 22, 140, 216, CREAM), _cloth(colours.shade) + ornament)


def _map(colours: Colours, variant: int) -> Drawn:
    """Contour lines around a summit."""
    x, y = 60 + variant % 60, 150 + variant % 40
    rings = "".join(_ring(x, y, radius) for radius in (14, 28, 44, 62, 84, 110, 140))
    return Drawn(
        Plate(12, 12, 156, 96, INK, CREAM, colours.cloth), _cloth(colours.cloth) + _path(rings, colours.tint, 1.1)
    )


def _ring(x: int, y: int, radius: int) -> str:
    """A closed contour line, a little irregular."""
    near, far, down, up = (round(radius * share) for share in (0.6, 0.9, 0.7, 0.8))
    dip = round(radius * 0.3)
    return (
        f"M{x - radius} {y}c0 {-down} {near} {-far} {radius} {-up}s{radius} {dip} {radius} {up}"
        f"s{-radius // 2} {down} {-radius} {down}s{-radius} {-dip} {-radius} {-down}z"
    )


def _score(colours: Colours, variant: int) -> Drawn:
    """Staves with notes."""
    staves = "".join(f"M14 {top + line * 6}h152" for top in (154, 204) for line in range(5))
    notes = "".join(
        f'<ellipse cx="{26 + number * 20}" cy="{157 + (variant >> number % 5) % 8 * 3 + number // 7 * 50}" rx="4.4" '
        f'ry="3.2" fill="{colours.cloth}"/>'
        for number in range(7)
    )
    head = _rect(0, 0, WIDTH, 10, colours.cloth) + _rect(0, 250, WIDTH, 10, colours.cloth)
    return Drawn(Plate(4, 12, 172, 132, INK), _cloth(CREAM) + head + _path(staves, colours.tint, 1) + notes)


def _sound(colours: Colours, variant: int) -> Drawn:
    """A disc with grooves."""
    x = 90 + variant % 3 * 30
    disc = f'<circle cx="{x}" cy="206" r="84" fill="{colours.shade}"/>' + "".join(
        f'<circle cx="{x}" cy="206" r="{radius}" fill="none" stroke="{colours.tint}" stroke-width="0.6"/>'
        for radius in (78, 70, 62, 54, 46, 38)
    )
    label = f'<circle cx="{x}" cy="206" r="26" fill="{colours.tint}"/><circle cx="{x}" cy="206" r="4" fill="{CREAM}"/>'
    return Drawn(Plate(6, 6, 168, 114), _cloth(colours.cloth) + disc + label)


def _film(colours: Colours, variant: int) -> Drawn:
    """A film with its perforation."""
    holes = "".join(f"M{x} {y}h10v8h-10z" for x in (6, 164) for y in range(5 + variant % 6, HEIGHT - 8, 18))
    strip = _rect(0, 0, 22, HEIGHT, INK) + _rect(158, 0, 22, HEIGHT, INK) + f'<path d="{holes}" fill="{CREAM}"/>'
    return Drawn(Plate(22, 10, 136, 240), _cloth(colours.cloth) + strip)


def _picture(colours: Colours, variant: int) -> Drawn:
    """A framed landscape."""
    view = (
        _rect(16, 118, 148, 126, colours.tint)
        + f'<circle cx="{44 + variant % 90}" cy="150" r="13" fill="{CREAM}"/>'
        + f'<path d="M16 244v-34l40-40 34 34 26-22 48 44v18z" fill="{colours.cloth}"/>'
    )
    return Drawn(Plate(6, 6, 168, 106, INK), _cloth(CREAM) + view + _outline(16, 118, 148, 126, colours.shade))


def _data(colours: Colours, variant: int) -> Drawn:
    """A field of dots, of which some are bright."""
    dots = [(x, y) for y in range(152, 250, 14) for x in range(16, 172, 14)]
    bright = {number for number in range(len(dots)) if (number * 7 + variant) % 5 == 0}
    plain = "".join(f"M{x} {y}h0" for number, (x, y) in enumerate(dots) if number not in bright)
    lit = "".join(f"M{x} {y}h0" for number, (x, y) in enumerate(dots) if number in bright)
    cap = ' stroke-linecap="round"'
    return Drawn(
        Plate(6, 6, 168, 134),
        _cloth(colours.cloth) + _path(plain, colours.shade, 7, cap) + _path(lit, colours.tint, 7, cap),
    )


_DESIGNS: dict[Design, Callable[[Colours, int], Drawn]] = {
    Design.BOOK: _book,
    Design.STITCHED: _stitched,
    Design.LEATHER: _leather,
    Design.SERIAL: _serial,
    Design.PAPER: _paper,
    Design.THESIS: _thesis,
    Design.MAP: _map,
    Design.SCORE: _score,
    Design.SOUND: _sound,
    Design.FILM: _film,
    Design.PICTURE: _picture,
    Design.DATA: _data,
}


def _cloth(colour: str) -> str:
    return _rect(0, 0, WIDTH, HEIGHT, colour)


def _rect(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"{more}/>'


def _outline(x: float, y: float, width: float, height: float, colour: str) -> str:
    return _rect(x, y, width, height, "none", f' stroke="{colour}" stroke-width="2"')


def _frame(inset: float, colour: str, weight: float) -> str:
    stroke = f' stroke="{colour}" stroke-width="{weight}"'
    return _rect(inset, inset, WIDTH - 2 * inset, HEIGHT - 2 * inset, "none", stroke)


def _path(data: str, colour: str, weight: float, more: str = "") -> str:
    return f'<path d="{data}" fill="none" stroke="{colour}" stroke-width="{weight}"{more}/>'
