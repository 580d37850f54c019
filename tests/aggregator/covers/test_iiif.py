"""The first picture of a IIIF manifest, in both versions."""

import json

import pytest

from aggregator.covers.iiif import picture_in_manifest

SERVICE = "https://iiif.example.jp/image/1"
SMALL = f"{SERVICE}/full/360,/0/default.jpg"


def of(manifest: object) -> str:
    return picture_in_manifest(json.dumps(manifest).encode())


def test_version_3():
    body = {"id": "https://x.example.jp/1.jpg", "service": [{"id": SERVICE, "type": "ImageService3"}]}
    manifest = {"items": [{"items": [{"items": [{"body": body}]}]}]}
    assert of(manifest) == SMALL
    del body["service"]
    assert of(manifest) == "https://x.example.jp/1.jpg"


def test_version_2():
    service = {"@id": f"{SERVICE}/", "profile": "http://iiif.io/api/image/2/level1.json"}
    resource = {"@id": "https://x.example.jp/1.jpg", "service": service}
    assert of({"sequences": [{"canvases": [{"images": [{"resource": resource}]}]}]}) == SMALL


def test_the_thumbnail_of_the_first_canvas_comes_first():
    assert of({"items": [{"thumbnail": [{"id": "https://x.example.jp/t.jpg"}]}]}) == "https://x.example.jp/t.jpg"
    assert of({"thumbnail": "https://x.example.jp/m.jpg"}) == "https://x.example.jp/m.jpg"


@pytest.mark.parametrize(
    "manifest",
    [[], {}, {"items": "x"}, {"items": [[]]}, {"items": [{"thumbnail": {"id": "javascript:alert(1)"}}]},
     {"items": [{"thumbnail": {"id": 5}}]}, {"sequences": [{"canvases": [{"images": [{"resource": []}]}]}]}],
)  # fmt: skip
def test_a_manifest_without_a_usable_address_names_no_picture(manifest):
    assert of(manifest) == ""


def test_what_is_no_json_names_no_picture():
    assert picture_in_manifest(b"{") == ""
    assert picture_in_manifest(b"[" * 100_000) == ""
