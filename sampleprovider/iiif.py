"""A picture of every record, and its IIIF manifest (Presentation API 3). Pure.

The picture is drawn, not scanned: a book bound in the Japanese way, blue, with a title slip and sewn at the right.
"""

import json
import struct
import zlib
from collections.abc import Iterator

from sampleprovider.replies import Reply
from sampleprovider.source import DEFAULT_BASE

WIDTH, HEIGHT = 300, 420
COVERS = ((38, 60, 104), (48, 84, 72), (96, 62, 42), (108, 48, 52), (62, 58, 92))
SLIP, THREAD = (240, 232, 210), (222, 214, 190)
STITCHES = (46, 155, 264, 373)  # heights of the four holes
MANIFEST, PICTURE = "manifest.json", "1.png"


def iiif(source_name: str, path: str) -> Reply | None:
    """Return the manifest or the picture of a record. path: "<local id>/manifest.json" or "<local id>/1.png"."""
    local, _, name = path.partition("/")
    if name == MANIFEST:
        return _manifest(f"{DEFAULT_BASE}/{source_name}/iiif/{local}", local)
    if name == PICTURE:
        colour = COVERS[zlib.crc32(local.encode()) % len(COVERS)]
        return Reply(png(colour), content_type="image/png")
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


def png(colour: tuple[int, int, int]) -> bytes:
    """Return the picture of a cover in this colour."""
    pixels = b"".join(b"\0" + b"".join(bytes(pixel) for pixel in _line(y, colour)) for y in range(HEIGHT))
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _line(y: int, colour: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    sewn = any(abs(y - stitch) < 2 for stitch in STITCHES)
    for x in range(WIDTH):
        if 20 <= x < 76 and 18 <= y < 290:
            yield SLIP
        elif 266 <= x < 269 or (sewn and x >= 266):
            yield THREAD
        else:
            yield colour
