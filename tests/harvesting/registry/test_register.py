"""`manage.py register` over all protocols: what it accepts, requests and refuses."""

import io
import json
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from harvesting.models import Feed, Repository
from harvesting.registry.credentials import open_credentials
from tests.harvesting.certificates import pem

pytestmark = pytest.mark.django_db


def registered(*arguments: str, **options: Any) -> tuple[dict[str, Any], str]:
    """Run the command. Return the JSON that it printed, and its text on standard error."""
    output, said = io.StringIO(), io.StringIO()
    call_command("register", "--name", "館", *arguments, "--json", stdout=output, stderr=said, **options)
    return json.loads(output.getvalue()), said.getvalue()


def refused(*arguments: str, **options: Any) -> str:
    with pytest.raises(CommandError) as caught:
        registered(*arguments, **options)
    assert caught.value.returncode == 2
    assert not Repository.objects.exists()
    return str(caught.value)


@pytest.mark.parametrize(
    ("protocol", "url", "prefix"),
    [
        ("oai-pmh", "https://a.example.jp/oai", "dcndl"),
        ("resourcesync", "https://a.example.jp/", "oai_dc"),
        ("rss", "https://a.example.jp/new.rdf", "rss"),
        ("file", "https://a.example.jp/all.csv", "json"),
    ],
)
def test_every_protocol_is_registered(protocol, url, prefix):
    answer, said = registered("--protocol", protocol, "--base-url", url, "--prefix", prefix)
    assert answer["number"] == "R900000001"
    assert answer["feeds"] == [{"base_url": url, "prefix": prefix, "set": "", "protocol": protocol}]
    assert not said
    assert Feed.objects.get().protocol == protocol


def test_without_a_prefix_the_provider_is_asked(source, feed_of):
    url = feed_of(source).base_url
    answer, _said = registered("--base-url", url)
    assert answer["feeds"][0]["prefix"] == "dcndl"


@pytest.mark.parametrize(("protocol", "prefix"), [("oai-pmh", "dcndl"), ("rss", "rss"), ("resourcesync", "")])
def test_a_provider_that_cannot_be_reached_is_registered_all_the_same(protocol, prefix):
    answer, said = registered("--protocol", protocol, "--base-url", "http://127.0.0.1:9/x")
    assert answer["feeds"][0]["prefix"] == prefix
    assert "127.0.0.1:9" in said


def test_a_file_is_stored_by_its_absolute_path(tmp_path, monkeypatch):
    (tmp_path / "all.xml").write_text("<x/>")
    monkeypatch.chdir(tmp_path)
    answer, _said = registered("--protocol", "file", "--base-url", "all.xml", "--prefix", "dcndl")
    assert answer["feeds"][0]["base_url"] == str(tmp_path / "all.xml")


@pytest.mark.parametrize("path", ["missing.xml", ".", "/dev/null"])
def test_what_is_no_regular_file_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused("--protocol", "file", "--base-url", path)


def test_what_a_feed_can_have_is_stored(tmp_path):
    (tmp_path / "ca.pem").write_text(certificate := pem())
    arguments = ["--base-url", "https://a.example.jp/list.csv", "--protocol", "file", "--prefix", "json"]
    arguments += ["--column", "書名=title", "--column", "著者=creator", "--encoding", "Shift_JIS"]
    registered(*arguments, "--cron", "30 3 * * 1", "--ca-file", str(tmp_path / "ca.pem"))
    feed = Feed.objects.get()
    assert feed.columns == {"書名": "title", "著者": "creator"}
    assert (feed.encoding, feed.schedule, feed.cron) == ("Shift_JIS", "cron", "30 3 * * 1")
    assert feed.ca_certificate == certificate


def test_options_of_the_protocols_are_stored():
    registered("--base-url", "https://a.example.jp/oai", "--prefix", "dcndl", "--method", "POST")
    more = ["--full-url", "https://a.example.jp/all.rdf", "--schedule", "weekly"]
    registered("--protocol", "rss", "--base-url", "https://a.example.jp/new.rdf", "--prefix", "rss", *more)
    oai, rss = Feed.objects.order_by("pk")
    assert oai.method == "POST"
    assert (rss.full_url, rss.schedule) == ("https://a.example.jp/all.rdf", "weekly")


@pytest.mark.parametrize(
    ("arguments", "kind", "name", "header"),
    [
        (["--user", "reader"], "basic", "reader", ""),
        (["--token"], "bearer", "", ""),
        (["--header", "X-API-Key"], "header", "", "X-API-Key"),
    ],
)
def test_a_login_comes_from_standard_input_and_is_stored_sealed(monkeypatch, arguments, kind, name, header):
    monkeypatch.setattr(sys, "stdin", io.StringIO("canary secret\n"))
    _answer, said = registered(
        "--base-url", "https://a.example.jp/oai", "--prefix", "dcndl", *arguments, "--password-stdin"
    )
    stored = bytes(Feed.objects.get().credentials)
    login = open_credentials(stored)
    assert (login.kind, login.username, login.header, login.secret) == (kind, name, header, "canary secret")
    assert b"canary" not in stored
    assert "canary" not in said


def test_a_password_as_an_argument_is_refused_without_repeating_it():
    said = refused("--base-url", "https://a.example.jp/oai", "--prefix", "dcndl", "--user", "u", "--password", "canary")
    assert "canary" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["--base-url", "/etc/passwd"],
        ["--base-url", "https://u:p@a.example.jp/oai"],
        ["--base-url", "https://a.example.jp/oai", "--cron", "every day"],
        ["--base-url", "https://a.example.jp/oai", "--schedule", "cron"],
        ["--base-url", "https://a.example.jp/oai", "--encoding", "klingon"],
        ["--base-url", "https://a.example.jp/oai", "--ca-file", "/nonexistent.pem"],
        ["--base-url", "https://a.example.jp/oai", "--column", "書名=nonsense"],
        ["--base-url", "https://a.example.jp/oai", "--user", "u", "--token"],
        ["--base-url", "https://a.example.jp/oai", "--number", "R1"],
    ],
)
def test_invalid_arguments_are_a_usage_error_and_store_nothing(arguments):
    refused(*arguments, "--prefix", "dcndl")


def test_errors_are_reported_in_japanese(monkeypatch):
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    assert "リポジトリ番号" in refused("--base-url", "https://a.example.jp/", "--prefix", "dcndl", "--number", "R1")


@pytest.mark.parametrize(
    ("prefix", "asked", "profile"),
    [("jpcoar_2.0", (), "irdb"), ("junii2", (), "irdb"), ("dcndl", (), "ndl"), ("oai_dc", ("--profile", "lax"), "lax")],
)
def test_the_profile_follows_the_format_unless_one_is_named(prefix, asked, profile):
    answer, _said = registered("--base-url", "https://a.example.jp/oai", "--prefix", prefix, *asked)
    assert answer["profile"] == Repository.objects.get().profile == profile
