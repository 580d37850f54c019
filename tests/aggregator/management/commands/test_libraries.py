"""The command `libraries` prints libraries, and imports a list after a preview."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from aggregator.management.commands.prepare import make_desks
from aggregator.models import Library, LibraryMember
from core.commands import FAILED, USAGE
from sampleprovider.demo.headers import LIST, SIZES, headers
from sampleprovider.demo.large.holdings import LIBRARIES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")


@pytest.fixture
def listed(tmp_path) -> Path:
    path = tmp_path / "list.tsv"
    path.write_text("isil\tname\tFAX\nJP-1000001\t見本館\t\n", encoding="utf-8")
    return path


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("libraries", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_list_is_shown_first_and_imported_with_apply(listed):
    assert "Line 2 (new) | 見本館 | + ISIL JP-1000001" in run("--import", str(listed))
    assert not Library.objects.exists()
    run("--import", str(listed), "--apply")
    assert "JP-1000001" in run()
    [library] = map(json.loads, run("--json").splitlines())
    assert (library["name"], library["codes"]) == ("見本館", [{"scheme": "ISIL", "value": "JP-1000001"}])


def test_the_preview_is_json_lines(listed):
    [change] = map(json.loads, run("--import", str(listed), "--json").splitlines())
    assert (change["line"], change["outcome"]) == (2, "new")


def test_errors_are_told_and_nothing_is_stored(listed):
    listed.write_text("isil,name,kind\nJP-1,館,x\nJP-2,館,\n", encoding="utf-8")
    with pytest.raises(CommandError) as raised:
        run("--import", str(listed), "--apply")
    assert raised.value.returncode == FAILED
    assert not Library.objects.exists()


def test_a_file_that_cannot_be_read_is_a_wrong_use(listed):
    with pytest.raises(CommandError) as raised:
        run("--import", f"{listed}.none")
    assert raised.value.returncode == USAGE


def test_the_libraries_of_the_demo_are_on_the_map():
    for folder in SIZES["large"]:
        run("--import", str(folder / LIST), "--apply")
    stored = Library.objects.exclude(prefecture="").exclude(latitude=None).exclude(kind="").exclude(name_en="")
    union = stored.filter(codes__scheme="ISIL").values_list("codes__value", "name")
    assert sorted(union) == [(one.code, one.name) for one in LIBRARIES]
    names = {header.number: header.name for header in headers("large").values()}
    providers = dict(stored.filter(codes__scheme="provider").values_list("codes__value", "name"))
    assert providers.items() <= names.items()
    assert len(providers) == 9


def test_two_libraries_of_the_demo_have_accounts_for_interlibrary_loan():
    run("--import", str(SIZES["small"][0] / LIST), "--apply")
    for _start in range(2):
        assert make_desks("secret") == ["ill-prefecture", "ill-town"]
    members = LibraryMember.objects.values_list("user__username", "library__name")
    assert sorted(members) == [("ill-prefecture", "見本県立図書館"), ("ill-town", "見本町立図書館")]
    assert authenticate(username="ill-town", password="secret")
