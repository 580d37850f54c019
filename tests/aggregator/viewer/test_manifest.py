"""The images of manifests in both versions, and the sizes in which they are asked for."""

import json

import pytest

from aggregator.viewer.manifest import (
    LONGEST_TEXT,
    MOST_IMAGES,
    Image,
    Manifest,
    address_in_size,
    read_manifest,
)

SERVICE = "https://iiif.example.jp/image/1"
PHOTO = "https://iiif.example.jp/1.jpg"
PDM = "https://creativecommons.org/publicdomain/mark/1.0/"
IMAGE = Image(label="表紙", address=PHOTO, service=SERVICE, width=3000, height=4000)


def read(manifest: object) -> Manifest | None:
    return read_manifest(json.dumps(manifest).encode())


def canvas_3(body: object, **more: object) -> dict[str, object]:
    return {"items": [{"items": [{"body": body}]}], **more}


def test_version_3():
    body = {"id": PHOTO, "service": [{"id": f"{SERVICE}/", "type": "ImageService3"}]}
    canvas = canvas_3(body, label={"ja": ["表紙"]}, width=3000, height=4000)
    statement = {"label": {"ja": ["所蔵"]}, "value": {"ja": ["例大学図書館"]}}
    manifest = {"label": {"none": ["伊勢物語"]}, "rights": PDM, "requiredStatement": statement, "items": [canvas] * 2}
    assert read(manifest) == Manifest(label="伊勢物語", rights=(PDM,), credit="例大学図書館", images=(IMAGE, IMAGE))


def test_version_2():
    service = {"@id": SERVICE, "profile": "http://iiif.io/api/image/2/level2.json"}
    canvas = {
        "label": "表紙",
        "width": 3000,
        "height": 4000,
        "images": [{"resource": {"@id": PHOTO, "service": service}}],
    }
    manifest = {"label": "伊勢物語", "license": PDM, "attribution": "例", "sequences": [{"canvases": [canvas]}]}
    assert read(manifest) == Manifest(label="伊勢物語", rights=(PDM,), credit="例", images=(IMAGE,))


def test_where_a_reader_may_choose_the_first_image_is_shown():
    choice = {"type": "Choice", "items": [{"id": PHOTO}, {"id": "https://iiif.example.jp/infrared.jpg"}]}
    assert read({"items": [canvas_3(choice)]}) == Manifest(images=(Image(address=PHOTO),))


@pytest.mark.parametrize(
    "manifest",
    [[], {}, 5, None, {"items": "x"}, {"items": [[], 5, None]}, {"items": [canvas_3({"id": "javascript:alert(1)"})]},
     {"items": [canvas_3([{"id": 5}])]}, {"sequences": [{"canvases": [{"images": [{"resource": []}]}]}]}],
)  # fmt: skip
def test_without_a_usable_image_there_is_nothing_to_show(manifest):
    assert read(manifest) is None


def test_what_is_no_json_has_no_images():
    assert read_manifest(b"{") is None
    assert read_manifest(b"[" * 100_000) is None


def test_what_is_kept_is_bounded():
    canvas = canvas_3({"id": PHOTO}, label="長" * 9999, width=10**12, height=-1)
    found = read({"items": [canvas] * (MOST_IMAGES + 1)})
    assert found is not None
    assert len(found.images) == MOST_IMAGES
    assert found.images[0] == Image(label="長" * LONGEST_TEXT, address=PHOTO)


LEVEL_0 = {"profile": "level0", "sizes": [{"width": 600, "height": 800}, {"width": 1200, "height": 1600}]}
VERSION_3 = {"@context": "http://iiif.io/api/image/3/context.json"}


@pytest.mark.parametrize(
    ("info", "size"),
    [
        ({"profile": "level2", "width": 3000}, "900,"),
        ({"profile": "level2", "width": 500}, "500,"),
        ({"profile": "level2", "width": 3000, "maxWidth": 800}, "800,"),
        ({"profile": ["http://iiif.io/api/image/2/level2.json", {"maxWidth": 700}], "width": 3000}, "700,"),
        ({**VERSION_3, **LEVEL_0}, "1200,1600"),
        (LEVEL_0, "1200,"),
        ({"profile": ["http://iiif.io/api/image/2/level0.json"]}, "full"),
        ({**VERSION_3, "profile": "level0", "sizes": [{"width": 600, "height": 800}]}, "600,800"),
        ({**VERSION_3, "profile": "level0"}, "max"),
    ],
)
def test_the_size_is_one_that_the_service_has(info, size):
    assert address_in_size(IMAGE, json.dumps(info).encode(), 900) == f"{SERVICE}/full/{size}/0/default.jpg"


@pytest.mark.parametrize("info", [b"", b"{}", b"[]", b"<html>"])
def test_without_a_usable_service_the_whole_image_is_taken(info):
    assert address_in_size(IMAGE, info, 900) == PHOTO
