"""Finds the first picture of a IIIF manifest (Presentation API 2 and 3). Pure; the manifest is untrusted.

https://iiif.io/api/presentation/3.0/ and https://iiif.io/api/presentation/2.1/
"""

import json
from typing import Any

from metadata.links import safe_href

SIZE = "360,"  # pixels wide, as the Image API writes it


def picture_in_manifest(data: bytes) -> str:
    """Return the address of a small picture of the first canvas; "" if the manifest names none."""
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    canvas = _first(manifest, "items") or _first(_first(manifest, "sequences"), "canvases")
    for picture in (_first_of(canvas, "thumbnail"), _body(canvas), _first_of(manifest, "thumbnail")):
        if address := _address(picture):
            return address
    return ""


def _body(canvas: Any) -> Any:
    """What is painted on a canvas: in version 3 below items, in version 2 below images."""
    painted = _first(_first(canvas, "items"), "items")
    return _first_of(painted, "body") or _get(_first(canvas, "images"), "resource")


def _address(picture: Any) -> str:
    """The address of a picture: in the size that we need if it has an image service."""
    if isinstance(picture, str):
        return safe_href(picture)
    service = _first_of(picture, "service")
    base = _identifier(service)
    if base and "image" in f"{_get(service, 'type')}{_get(service, 'profile')}{_get(service, '@context')}".lower():
        return safe_href(f"{base.rstrip('/')}/full/{SIZE}/0/default.jpg")
    return safe_href(_identifier(picture))


def _identifier(value: Any) -> str:
    for name in ("id", "@id"):
        if isinstance(found := _get(value, name), str) and found:
            return found
    return ""


def _get(value: Any, name: str) -> Any:
    return value.get(name, "") if isinstance(value, dict) else ""


def _first(value: Any, name: str) -> Any:
    """The first element of a list; {} if there is no such list."""
    found = _get(value, name)
    return found[0] if isinstance(found, list) and found else {}


def _first_of(value: Any, name: str) -> Any:
    """The value, or the first element of a list of values."""
    found = _get(value, name)
    return (found[0] if found else "") if isinstance(found, list) else found
