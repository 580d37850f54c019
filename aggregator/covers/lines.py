"""Breaks a title into lines or columns, and chooses the size of its type. Pure.

Widths are estimates in ems: a cover is a picture, and the fonts of the reader's machine are not known.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

LEADING = 1.28  # distance of two lines, in ems
LEAST_SHARE = 0.62  # of the largest possible size, to keep words whole
LEAST_SHARE_OF_LINE = 0.4  # of the longest line, for the shortest


class Box(NamedTuple):
    """Room for a text. along: in the direction of writing; across: in that of the lines. Both in user units."""

    along: float
    across: float


class Setting(NamedTuple):
    """A text set in a box. size: of the type, in user units."""

    size: float
    lines: tuple[str, ...]


def is_vertical(text: str) -> bool:
    """Whether a title is set vertically: it is mostly written in Japanese or Chinese."""
    letters = [char for char in text if char.isalpha()]
    return len(letters) > 0 and sum(map(_is_wide, letters)) >= 0.6 * len(letters)


def width(text: str) -> float:
    """Return the estimated length of a line, in ems."""
    return sum(map(_char_width, text))


def fit(text: str, box: Box, sizes: Sequence[float], most_lines: int = 6) -> Setting:
    """Set a text as large as fits into the box. sizes: the possible ones, the largest first.

    A smaller size is chosen if then no Latin word is broken; a somewhat smaller one if then no Japanese word is broken
    and no line is much shorter than the others. A text that does not fit in the smallest size is cut.
    """
    settings = [Setting(size, _balanced(text, box.along / size)) for size in sizes]
    fitting = [setting for setting in settings if _room(box, setting.size, most_lines) >= len(setting.lines)]
    if fitting:
        smallest = LEAST_SHARE * fitting[0].size
        whole = [setting for setting in fitting if setting.size >= smallest and _is_whole(text, setting)]
        unbroken = (setting for setting in fitting if not _breaks_a_latin_word(text, setting))
        return next(filter(_is_even, whole), (*whole, *unbroken, *fitting)[0])
    size, lines = settings[-1]
    room = _room(box, size, most_lines)
    return Setting(size, (*lines[: room - 1], f"{lines[room - 1][:-1]}…"))


def _room(box: Box, size: float, most_lines: int) -> int:
    """The number of lines of this size in the box."""
    return max(1, min(most_lines, int((box.across / size - 1) / LEADING) + 1))


def _is_whole(text: str, setting: Setting) -> bool:
    """Whether no piece of the text is broken."""
    pieces = {piece.strip() for piece in _pieces(text)}
    rest = [line for line in setting.lines for piece in _pieces(line) if piece.strip() not in pieces]
    return not rest


def _breaks_a_latin_word(text: str, setting: Setting) -> bool:
    return not set(_LATIN_WORD.findall(text)) <= set(_LATIN_WORD.findall("\n".join(setting.lines)))


def _is_even(setting: Setting) -> bool:
    widths = [width(line) for line in setting.lines] or [0.0]
    return min(widths) >= LEAST_SHARE_OF_LINE * max(widths)


def _balanced(text: str, room: float) -> tuple[str, ...]:
    """Break a text into as few lines as possible, of about the same length. room: of a line, in ems."""
    pieces = [part for piece in _pieces(text) for part in _cut(piece, room)]
    lines = _filled(pieces, room)
    narrow, wide = width(text) / max(1, len(lines)), room
    for _ in range(5):  # halving is fine enough after this
        middle = (narrow + wide) / 2
        tighter = _filled(pieces, middle)
        narrow, wide = (narrow, middle) if len(tighter) <= len(lines) else (middle, wide)
    return _filled(pieces, wide)


def _filled(pieces: Sequence[str], room: float) -> tuple[str, ...]:
    lines: list[str] = []
    for piece in pieces:
        if lines and width((lines[-1] + piece).strip()) <= room:
            lines[-1] += piece
        else:
            lines.append(piece)
    return tuple(line.strip() for line in lines if line.strip())


def _pieces(text: str) -> Iterator[str]:
    """Split where a reader would pause: after a space, after a mark, and where kana ends and a new word begins."""
    return filter(None, _PIECE.findall(text))


def _cut(piece: str, room: float) -> Iterator[str]:
    """Cut a piece that is longer than a line; a Latin word gets a hyphen."""
    while width(piece.strip()) > room and len(piece) > 1:
        length = next((place for place in range(len(piece) - 1, 1, -1) if width(piece[:place]) <= room), 1)
        if piece[length] in _NEVER_FIRST and length > 1:
            length -= 1
        hyphen = length > 2 and _LATIN_WORD.fullmatch(piece[length - 2 : length + 1])
        yield f"{piece[: length - 1]}-" if hyphen else piece[:length]
        piece = piece[length - 1 :] if hyphen else piece[length:]
    yield piece


_LATIN_WORD = re.compile(r"[^\W\d_\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]+")
_NEVER_FIRST = "・ーっゃゅょぁぃぅぇぉッャュョァィゥェォ、。，．：；！？」』）】〉》…,.:;!?)]"
# Kanji, katakana, or letters and digits, with the hiragana after them and the marks that may not begin a line; or
# hiragana alone.
_PIECE = re.compile(
    rf"[「『（【〈《(\[]*(?:[一-鿿㐀-䶿々〆ヶ豈-﫿\U00020000-\U0003ffff]+|[゠-ヺー-ヿｦ-ﾟ]+|[^\s぀-ヿ一-鿿「『（【]+)?"
    rf"[぀-ゟ]*[{re.escape(_NEVER_FIRST)}]*\s*"
)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _char_width(char: str) -> float:
    if _is_wide(char):
        return 1.0
    if char in "ilIjtfr.,:;'|!()[] ":
        return 0.33
    if char in "mwMW—…":
        return 0.9
    return 0.7 if char.isupper() else 0.58
