"""Pictures of unknown origin: what is kept of them, and what is refused."""

from io import BytesIO

import pytest
from PIL import Image

from aggregator.covers.shrinking import LARGEST, MAX_PIXELS, UnusablePicture, shrink


def encoded(picture: Image.Image, form: str = "PNG", **options) -> bytes:
    output = BytesIO()
    picture.save(output, form, **options)
    return output.getvalue()


def decoded(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_becomes_a_small_jpeg(form):
    small = decoded(shrink(encoded(Image.new("RGB", (1000, 1600), "red"), form)))
    assert small.format == "JPEG"
    assert small.width <= LARGEST[0] and small.height <= LARGEST[1]
    assert small.width / small.height == pytest.approx(1000 / 1600, abs=0.01)


def test_a_small_picture_is_not_enlarged():
    assert decoded(shrink(encoded(Image.new("RGB", (60, 90))))).size == (60, 90)


def test_transparency_becomes_white():
    pixel = decoded(shrink(encoded(Image.new("RGBA", (60, 90), (0, 0, 0, 0))))).getpixel((30, 45))
    assert min(pixel) > 250


def test_of_an_animation_the_first_frame_is_kept():
    frames = [Image.new("RGB", (60, 90), colour) for colour in ("red", "blue")]
    red, _green, blue = decoded(shrink(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))).getpixel(
        (30, 45)
    )
    assert red > 200 > blue


def test_metadata_is_dropped_after_the_picture_was_turned_upright():
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turn by 90 degrees
    exif[0x010E] = "secret"
    data = encoded(Image.new("RGB", (90, 60)), "JPEG", exif=exif)
    assert b"secret" in data
    small = shrink(data)
    assert decoded(small).size == (60, 90)
    assert b"secret" not in small


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><script>alert(1)</script></svg>',
        b"%PDF-1.4",
        encoded(Image.new("RGB", (100, 100)), "BMP"),
        encoded(Image.new("RGB", (100, 100)), "TIFF"),
        encoded(Image.new("RGB", (100, 100)))[:60],
        encoded(Image.new("RGB", (1, 1)), "GIF"),
    ],
    ids=["empty", "html", "svg", "pdf", "bmp", "tiff", "cut", "pixel"],
)
def test_what_is_no_usable_picture_is_refused(data):
    with pytest.raises(UnusablePicture):
        shrink(data)


def test_a_picture_with_too_many_pixels_is_refused_before_it_is_decoded():
    side = int(MAX_PIXELS**0.5) + 1
    bomb = encoded(Image.new("1", (side, side)))
    assert len(bomb) < 10_000
    with pytest.raises(UnusablePicture, match="pixels"):
        shrink(bomb)
