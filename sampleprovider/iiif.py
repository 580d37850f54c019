"""Pictures of every record, and their IIIF manifest (Presentation API 3). Pure.

The pictures are drawn, not scanned: the front of a book bound in the Japanese way, of patterned paper, and leaves of
paper that is ruled but not printed.
"""

import json
import math
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from sampleprovider.replies import Reply
from sampleprovider.source import DEFAULT_BASE

type Colour = tuple[int, int, int]
type Pattern = Callable[[int, int], bool]  # whether the lighter colour is at this place

WIDTH, HEIGHT = 300, 420
COVERS = ((38, 60, 104), (48, 84, 72), (96, 62, 42), (108, 48, 52), (62, 58, 92))
THREAD = (222, 214, 190)
WAVE = 30  # radius of a wave, side of a check, distance of two circles
STITCHES = (46, 155, 264, 373)  # heights of the four holes
MANIFEST = "manifest.json"
LEAF_WIDTH, LEAF_HEIGHT = 1200, 1680
PAPER, RULE = (243, 236, 216), (150, 128, 104)
COLUMNS = 10  # of a leaf
LEAVES = ("一丁表", "一丁裏", "二丁表", "二丁裏")
LABELS = {"1.png": "表紙"} | {f"{number}.png": label for number, label in enumerate(LEAVES, 2)}
RIGHTS = "http://creativecommons.org/publicdomain/mark/1.0/"


def iiif(source_name: str, path: str) -> Reply | None:
    """Return the manifest or a picture of a record. path: "<local id>/manifest.json" or "<local id>/1.png"."""
    local, _, name = path.partition("/")
    if name == MANIFEST:
        return _manifest(f"{DEFAULT_BASE}/{source_name}/iiif/{local}", local)
    if name not in LABELS:
        return None
    drawn = zlib.crc32(local.encode())
    is_cover = name == next(iter(LABELS))
    picture = png(COVERS[drawn % len(COVERS)], PATTERNS[drawn // 8 % len(PATTERNS)]) if is_cover else leaf()
    return Reply(picture, content_type="image/png")


def _manifest(address: str, label: str) -> Reply:
    manifest = {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": f"{address}/{MANIFEST}",
        "type": "Manifest",
        "label": {"none": [label]},
        "rights": RIGHTS,
        "items": [_canvas(address, name) for name in LABELS],
    }
    return Reply(json.dumps(manifest).encode(), content_type="application/ld+json")


def _canvas(address: str, name: str) -> dict[str, object]:
    is_cover = name == next(iter(LABELS))
    width, height = (WIDTH, HEIGHT) if is_cover else (LEAF_WIDTH, LEAF_HEIGHT)
    size = {"width": width, "height": height}
    canvas = f"{address}/canvas/{name.partition('.')[0]}"
    painting = {
        "id": f"{canvas}/page/1",
        "type": "Annotation",
        "motivation": "painting",
        "body": {"id": f"{address}/{name}", "type": "Image", "format": "image/png", **size},
        "target": canvas,
    }
    pages = [{"id": f"{canvas}/page", "type": "AnnotationPage", "items": [painting]}]
    return {"id": canvas, "type": "Canvas", "label": {"ja": [LABELS[name]]}, **size, "items": pages}


def waves(x: int, y: int) -> bool:
    """青海波: rows of half circles, each upon the one behind it."""
    for row in range(y // (WAVE // 2) + 3, y // (WAVE // 2) - 1, -1):
        shift = row % 2 * WAVE
        distance = math.hypot((x + shift) % (2 * WAVE) - WAVE, y - row * WAVE // 2)
        if distance <= WAVE:
            return int(distance) % 8 < 2
    return False


def circles(x: int, y: int) -> bool:
    """七宝: circles that overlap by a quarter."""
    return any(
        abs(math.hypot((x + shift) % (2 * WAVE) - WAVE, (y + lift) % (2 * WAVE) - WAVE) - WAVE) < 1.5
        for shift, lift in ((0, 0), (WAVE, WAVE), (0, 2 * WAVE), (WAVE, -WAVE))
    )


def checks(x: int, y: int) -> bool:
    """市松."""
    return (x // WAVE + y // WAVE) % 2 == 0


def stripes(x: int, y: int) -> bool:
    """縞: one wide and one narrow."""
    return x % WAVE < 8 or 14 <= x % WAVE < 16


PATTERNS: tuple[Pattern, ...] = (waves, circles, checks, stripes)


@lru_cache(maxsize=8)
def tile(pattern: Pattern) -> tuple[tuple[bool, ...], ...]:
    """Return the square that the pattern repeats."""
    side = range(2 * WAVE)
    return tuple(tuple(pattern(x, y) for x in side) for y in side)


def png(colour: Colour, pattern: Pattern) -> bytes:
    """Return the picture of a cover in this colour."""
    return _png(WIDTH, HEIGHT, [b"".join(map(bytes, _line(y, colour, pattern))) for y in range(HEIGHT)])


@lru_cache(maxsize=1)
def leaf() -> bytes:
    """Return the picture of a leaf: a frame (匡郭) and lines between its columns (界線)."""
    left, right, top, bottom = LEAF_WIDTH // 12, LEAF_WIDTH * 11 // 12, LEAF_HEIGHT // 8, LEAF_HEIGHT * 15 // 16
    column = (right - left) // COLUMNS
    blank, ruled, solid = ([PAPER] * LEAF_WIDTH for _kind in range(3))
    solid[left : right + 6] = [RULE] * (right + 6 - left)
    for edge in (left, right):
        ruled[edge : edge + 6] = [RULE] * 6
    for place in range(left + column, right - column // 2, column):
        ruled[place : place + 2] = [RULE] * 2
    rows = {kind: b"".join(map(bytes, row)) for kind, row in (("blank", blank), ("ruled", ruled), ("solid", solid))}
    kinds = ("solid" if y - top in range(6) or y - bottom in range(6) else "ruled" if top < y < bottom else "blank"
             for y in range(LEAF_HEIGHT))  # fmt: skip
    return _png(LEAF_WIDTH, LEAF_HEIGHT, [rows[kind] for kind in kinds])


def _png(width: int, height: int, rows: Sequence[bytes]) -> bytes:
    """Return a PNG file of rows of pixels, three bytes each."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = b"".join(b"\0" + row for row in rows)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _line(y: int, colour: Colour, pattern: Pattern) -> Iterator[Colour]:
    lighter = (colour[0] + 34, colour[1] + 34, colour[2] + 34)
    sewn = any(abs(y - stitch) < 2 for stitch in STITCHES)
    row = tile(pattern)[y % (2 * WAVE)]
    for x in range(WIDTH):
        if 266 <= x < 269 or (sewn and x >= 266):
            yield THREAD
        else:
            yield lighter if row[x % (2 * WAVE)] else colour
