"""The description of the interface for pushing agrees with the views."""

import inspect
import re
from pathlib import Path

import jsonschema
import pytest
from django.conf import settings as site
from django.test import Client

from aggregator.provision.api.openapi import document
from aggregator.provision.api.pushing import SENDINGS
from aggregator.views.pushing import interface
from harvesting.pushes import receiving
from tests.aggregator.views.pushing.test_interface import feed, fresh_limits, own_folder, person, send
from tests.harvesting.pushes.pushed import lines, work_off

__all__ = ["feed", "fresh_limits", "own_folder", "person", "send"]
pytestmark = pytest.mark.django_db
PATHS = {"": "", "/{push}": "/1", "/deletions": "/deletions", "/records/{identifier}": "/records/x"}


def check(answer, method, path):
    """The answer has the status and the shape that the document states, and no member beyond it."""
    whole = document()
    responses = whole["paths"]["/api/push/{number}" + path][method.lower()]["responses"]
    described = responses[str(answer.status_code)]
    (content,) = described["content"].items()
    assert content[0] == answer["Content-Type"]
    schema = {**content[1]["schema"], "components": whole["components"]}
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(answer.json())
    shape = whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    assert set(answer.json()) <= set(shape["properties"])
    assert set(described.get("headers", ())) <= set(answer.headers)
    if answer.status_code >= 400:
        assert answer.json()["code"] in described["x-codes"]


def test_exactly_the_described_methods_are_there(send):
    described = {(sending.method.upper(), sending.path.removeprefix("/api/push/{number}")) for sending in SENDINGS}
    for path, example in PATHS.items():
        taken = {
            method
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH")
            if send(b"", example, method).status_code != 405
        }
        assert taken == {method for method, of in described if of == path}, path


def test_reports_have_the_described_shape(send):
    waiting = send(lines(3))
    check(waiting, "post", "")
    check(send(method="GET"), "get", "")
    check(send(b'{"titles": []}', "/records/x", "PUT"), "put", "/records/{identifier}")
    check(send(b"", "/records/y", "DELETE"), "delete", "/records/{identifier}")
    check(send(b"1\n", "/deletions"), "post", "/deletions")
    check(send(path=f"/{waiting.json()['push']}", method="GET"), "get", "/{push}")
    work_off()
    for push in send(method="GET").json()["pushes"]:
        check(send(path=f"/{push['push']}", method="GET"), "get", "/{push}")
    check(send(method="GET"), "get", "")


@pytest.mark.parametrize(
    ("body", "path", "method", "headers"),
    [
        (b"", "", "POST", {}),
        (b"", "", "POST", {"Content_Length": "0"}),
        (b"%PDF-1.7", "", "POST", {}),
        (b"{}", "", "POST", {"Content_Encoding": "br"}),
        (b"{}", "", "POST", {"Idempotency_Key": "x" * 500}),
        (b"<a/>", "/deletions", "POST", {}),
        (b"", "/{push}", "GET", {}),
    ],
)
def test_refusals_are_described(send, body, path, method, headers):
    check(send(body, path.replace("{push}", "999999"), method, **headers), method, path)


def test_an_impossible_identifier_and_an_unknown_token_are_described(send, feed):
    check(send(b"{}", "/records/%20", "PUT"), "put", "/records/{identifier}")
    check(send(b"", "/records/%20", "DELETE"), "delete", "/records/{identifier}")
    check(Client().get(f"/api/push/{feed.repository.number}"), "get", "")


def test_every_code_of_a_refusal_is_described():
    raised = set(re.findall(r'"(push\.\w+)"', inspect.getsource(receiving) + inspect.getsource(interface)))
    described = {code for sending in SENDINGS for code in sending.codes}
    page = (Path(site.BASE_DIR) / "docs/reference/interfaces.md").read_text("utf-8")
    assert raised <= described
    assert {code for code in described if f"`{code}`" not in page} == set()
