"""A picture of every record, and its IIIF manifest (Presentation API 3). Pure.

The picture is drawn, not scanned: the front of a book bound in the Japanese way, of patterned paper.
"""

import json
import math
import struct
import zlib
from collections.abc import Callable, Iterator
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
MANIFEST, PICTURE = "manifest.json", "1.png"


def iiif(source_name: str, path: str) -> Reply | None:
    """Return the manifest or the picture of a record. path: "<local id>/manifest.json" or "<local id>/1.png"."""
    local, _, name = path.partition("/")
    if name == MANIFEST:
        return _manifest(f"{DEFAULT_BASE}/{source_name}/iiif/{local}", local)
    if name == PICTURE:
        drawn = zlib.crc32(local.encode())
        return Reply(png(COVERS[drawn % len(COVERS)], PATTERNS[drawn // 8 % len(PATTERNS)]), content_type="image/png")
    return None


def _manifest(address: str, label: str) -> Reply:
    size = {"width": WIDTH, "height": HEIGHT}
    body = {"id": f"{address}/{PICTURE}", "type": "Image", "format": "image/png", **size}
    canvas = f"{address}/canvas/1"
    painting = {
        "id": f"{canvas}/page/1",
        "type": "Annotation",
        "motivation": "painting",
        "body": body,
        "target": canvas,
    }
    pages = [{"id": f"{canvas}/page", "type": "AnnotationPage", "items": [painting]}]
    manifest = {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": f"{address}/{MANIFEST}",
        "type": "Manifest",
        "label": {"none": [label]},
        "items": [{"id": canvas, "type": "Canvas", **size, "items": pages}],
    }
    return Reply(json.dumps(manifest).encode(), content_type="application/ld+json")


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
    pixels = b"".join(b"\0" + b"".join(map(bytes, _line(y, colour, pattern))) for y in range(HEIGHT))
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
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
