"""Reads the images of a IIIF manifest (Presentation API 2 and 3) and chooses their sizes (Image API 2 and 3).

Pure. What was read is untrusted: every text and list is cut to a bound, and only web addresses are kept.
https://iiif.io/api/presentation/3.0/, https://iiif.io/api/image/3.0/, and their versions 2.1.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from metadata.links import safe_href

MOST_IMAGES = 2000  # of one manifest
LONGEST_TEXT = 300  # characters of a label
LARGEST_SIDE = 200_000  # pixels: larger numbers are mistakes


class Image(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One canvas. label: "" if it has none. address: of the whole image. service: address of its image service, ""
    without one. width, height: of the canvas, in pixels; 0 if unknown."""

    label: str = ""
    address: str = ""
    service: str = ""
    width: int = 0
    height: int = 0


class Manifest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """rights: statements about the images, addresses or words. credit: the attribution that the provider asks for."""

    label: str = ""
    rights: tuple[str, ...] = ()
    credit: str = ""
    images: tuple[Image, ...] = ()


def read_manifest(data: bytes) -> Manifest | None:
    """Return the images of a manifest in their order; None if it has none that can be shown."""
    manifest = _json(data)
    canvases = _list(manifest, "items") or _list(_first(_list(manifest, "sequences")), "canvases")
    images = tuple(filter(None, map(_image, canvases[:MOST_IMAGES])))
    if not images:
        return None
    rights = (_get(manifest, "rights"), *_many(manifest, "license"))
    statement = _get(_get(manifest, "requiredStatement"), "value") or _get(manifest, "attribution")
    return Manifest(
        label=_text(_get(manifest, "label")),
        rights=tuple(filter(None, map(_text, rights)))[:5],
        credit=_text(statement),
        images=images,
    )


def address_in_size(image: Image, info: bytes, width: int) -> str:
    """Return the address of an image in about so many pixels of width.

    info: the info.json of its image service, b"" if it has not come: then the whole image is taken.
    """
    described = _json(info)
    if not image.service or not isinstance(described, dict) or not described:
        return image.address
    return safe_href(f"{image.service}/full/{_size(described, width)}/0/default.jpg")


def _size(info: dict[str, Any], width: int) -> str:
    """Return the size as the Image API writes it. A service of level 0 has only the sizes that it lists."""
    whole = "max" if "image/3" in str(info.get("@context")) else "full"
    if "level0" in str(info.get("profile")):
        sizes = sorted(
            filter(all, ((_number(size, "width"), _number(size, "height")) for size in _list(info, "sizes")))
        )
        if not sizes:
            return whole
        wide, high = next((size for size in sizes if size[0] >= width), sizes[-1])
        return f"{wide},{high}" if whole == "max" else f"{wide},"
    limits = [width, _number(info, "width"), _number(info, "maxWidth") or _number(_second(info), "maxWidth")]
    return f"{min(filter(None, limits))},"


def _second(info: dict[str, Any]) -> Any:
    """Return the details of a profile, which version 2 has as its second part."""
    return next(islice(_many(info, "profile"), 1, None), {})


def _image(canvas: Any) -> Image | None:
    body = _body(canvas)
    service = next((_identifier(one) for one in _many(body, "service") if _is_image_service(one)), "")
    address = safe_href(_identifier(body))
    service = safe_href(service).rstrip("/")
    if not address and not service:
        return None
    return Image(
        label=_text(_get(canvas, "label")),
        address=address or f"{service}/full/full/0/default.jpg",
        service=service,
        width=_number(canvas, "width"),
        height=_number(canvas, "height"),
    )


def _body(canvas: Any) -> Any:
    """Return what is painted on a canvas; the first one where the reader may choose."""
    painted = _first(_list(_first(_list(canvas, "items")), "items"))
    body: Any = next(_many(painted, "body"), {}) or _get(_first(_list(canvas, "images")), "resource")
    choices = _list(body, "items")
    return _first(choices) if choices else _get(body, "default") or body


def _is_image_service(service: Any) -> bool:
    kind = (_get(service, name) for name in ("type", "@type", "profile", "@context"))
    return "image" in " ".join(map(str, kind)).lower()


def _identifier(value: Any) -> str:
    found = _get(value, "id") or _get(value, "@id")
    return found if isinstance(found, str) else ""


def _text(value: Any) -> str:
    """Return a text of a manifest on one line: a string, or the first language of a map or list."""
    for _depth in range(4):
        if isinstance(value, dict):
            value = value.get("@value") or next(iter(value.values()), "")
        elif isinstance(value, list):
            value = value[0] if value else ""
    return " ".join(value.split())[:LONGEST_TEXT] if isinstance(value, str) else ""


def _number(value: Any, name: str) -> int:
    found = _get(value, name)
    return found if type(found) is int and 0 < found <= LARGEST_SIDE else 0


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return {}


def _get(value: Any, name: str) -> Any:
    return value.get(name, "") if isinstance(value, dict) else ""


def _list(value: Any, name: str) -> list[Any]:
    found = _get(value, name)
    return found if isinstance(found, list) else []


def _first(values: list[Any]) -> Any:
    return values[0] if values else {}


def _many(value: Any, name: str) -> Iterator[Any]:
    """Yield the values of a property that may be one value or a list."""
    found = _get(value, name)
    yield from found if isinstance(found, list) else [found]
