"""Makes small, harmless JPEG files from pictures of unknown origin. Pure.

Only the pixels of the first frame are kept: the picture is decoded and encoded again, without its metadata. The formats
are those whose decoders are most widely attacked and best maintained; SVG is a program and is refused.
"""

from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "GIF", "WEBP")
MAX_PIXELS = 20_000_000  # width × height before decoding
LARGEST = (360, 520)  # pixels of a cover: twice the size on a page
SMALLEST_SIDE = 24  # pixels: a smaller picture is a placeholder or a tracking pixel
QUALITY = 82


class UnusablePicture(ValueError):
    """The bytes are not a picture that can be shown."""


def shrink(data: bytes, largest: tuple[int, int] = LARGEST) -> bytes:
    """Return the first frame as a JPEG of at most so many pixels (width, height). Raises UnusablePicture."""
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            width, height = picture.size
            if width * height > MAX_PIXELS:
                raise UnusablePicture(f"{width} × {height} pixels")
            if min(width, height) < SMALLEST_SIDE:
                raise UnusablePicture(f"only {width} × {height} pixels")
            picture.draft("RGB", (2 * largest[0], 2 * largest[1]))  # JPEG: decode at a lower resolution
            upright = ImageOps.exif_transpose(picture)
            upright.thumbnail(largest)
            return _encode(_on_white(upright))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnusablePicture(str(error)) from error


def _on_white(picture: Image.Image) -> Image.Image:
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    white = Image.new("RGBA", picture.size, "white")
    white.alpha_composite(picture.convert("RGBA"))
    return white.convert("RGB")


def _encode(picture: Image.Image) -> bytes:
    output = BytesIO()
    picture.save(output, "JPEG", quality=QUALITY, optimize=True)
    return output.getvalue()
