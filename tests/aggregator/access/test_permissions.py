"""Who may use which address: every URL of the site × every role × every method, from the URL list itself."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser, AnonymousUser, Group
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import ResolverMatch, get_resolver, path

from aggregator.access import permissions
from aggregator.access.middleware import PermissionMiddleware
from aggregator.access.permissions import FAMILIES, TABLE, addresses, declared
from aggregator.checks.settings import addresses_are_declared
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import Feed, Repository
from harvesting.registry.registration import register

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PEOPLE = {"public": Role.PUBLIC, "librarian": Role.LIBRARIAN, "other": Role.LIBRARIAN, "staff": Role.STAFF,
          "administrator": Role.ADMINISTRATOR}  # fmt: skip
ALL = sorted({(name, route) for name, route, _parts in addresses()})


def people() -> dict[str, AbstractUser | AnonymousUser]:
    """Each role once, and a second librarian."""
    ensure_roles()
    create = get_user_model().objects.create_user
    found: dict[str, AbstractUser | AnonymousUser] = {"public": AnonymousUser()}
    for name, group in (("librarian", LIBRARIANS), ("other", LIBRARIANS), ("staff", STAFF)):
        user = create(name, password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        found[name] = user
    found["administrator"] = create("administrator", password="x", is_staff=True, is_superuser=True)
    return found


@pytest.fixture
def persons(db) -> dict[str, AbstractUser | AnonymousUser]:
    return people()


@pytest.fixture
def repository(persons) -> Repository:
    """What the first librarian manages."""
    own = register(Repository(name="見本図書館"), [Feed(base_url="https://a.example.jp/oai")])
    own.managers.add(persons["librarian"])
    return own


def answer_of(user, method: str, name: str, route: str) -> str:
    """What the doorkeeper says: "in", "login", "no" or "method"."""
    request = RequestFactory().generic(method, "/anything")
    request.user = user
    *spaces, last = name.split(":") if name else [None]
    request.resolver_match = ResolverMatch(
        lambda _request: HttpResponse(), (), {}, last, namespaces=spaces, route=route
    )
    try:
        refused = PermissionMiddleware(lambda _request: HttpResponse()).process_view(request, None, (), {})
    except PermissionDenied:
        return "no"
    if refused is None:
        return "in"
    return "method" if refused.status_code == 405 else "login"


def expected(role: Role, method: str, methods: permissions.Methods) -> str:
    least = methods.get("GET" if method == "HEAD" else method)
    if least is None:
        return "method"
    if role >= least:
        return "in"
    return "login" if role is Role.PUBLIC else "no"


def test_every_role_and_method_is_let_in_or_refused_as_declared_at_every_address(persons):
    wrong = []
    for name, route in ALL:
        methods = declared(name)
        assert methods is not None, f"not declared: {name} {route}"
        for who, role in PEOPLE.items():
            for method in METHODS:
                got = answer_of(persons[who], method, name if name != route else "", route)
                if got != expected(role, method, methods):
                    wrong.append((name, who, method, got))
    assert not wrong


def test_every_row_of_the_table_is_an_address():
    names = {name for name, _route in ALL}
    assert not TABLE.keys() - names
    assert not [each for each in FAMILIES if not any(name.startswith(each) for name in names)]


def test_an_undeclared_address_is_shut_even_for_administrators_and_found_by_the_system_check(persons, monkeypatch):
    added = [*get_resolver().url_patterns, path("new", lambda request: HttpResponse("open"), name="new")]
    monkeypatch.setattr(get_resolver(), "url_patterns", added)
    assert [each.id for each in addresses_are_declared()] == ["aggregator.E011"]
    assert answer_of(persons["administrator"], "GET", "new", "new") == "no"


def test_the_roles_are_those_of_the_groups(persons):
    assert {who: role_of(user) for who, user in persons.items()} == PEOPLE
    persons["administrator"].is_active = False
    assert role_of(persons["administrator"]) is Role.PUBLIC


VALUES = {"number": "R900000001", "queue_index": 0, "scheduler_index": 0, "connection_index": 0}


def closed_pages() -> Iterator[tuple[str, str]]:
    """Declared addresses of librarians and staff that need no part but a repository number: name, path."""
    for name, route, parts in addresses():
        methods = TABLE.get(name)
        if methods and max(methods.values()) > Role.PUBLIC and not parts.keys() - VALUES.keys() and "(?P" not in route:
            text = route
            for part, converter in parts.items():
                kind = type(converter).__name__.removesuffix("Converter").lower()
                text = text.replace(f"<{kind}:{part}>", str(VALUES[part])).replace(f"<{part}>", str(VALUES[part]))
            yield name, f"/{text}"


@pytest.mark.parametrize(("name", "address"), sorted(closed_pages()))
def test_the_pages_themselves_answer_as_the_table_says(client, persons, repository, name, address):
    """Through the whole stack: nobody gets past whom the table refuses, and those it names get an answer."""
    for who, role in PEOPLE.items():
        client.logout()
        if who != "public":
            client.force_login(persons[who])
        for method, least in TABLE[name].items():
            answer = client.generic(method, address)
            told = f"{method} {address} as {who}: {answer.status_code}"
            if role < least:
                to_login = answer.status_code == 302 and answer.url.startswith("/login")
                assert to_login if who == "public" else answer.status_code == 403, told
            elif who == "other" and "R900000001" in address:
                assert answer.status_code == 404, told
            else:
                assert answer.status_code not in (403, 405, 500), told


GROUP = re.compile(r"\(\?P<\w+>((?:[^()]|\([^()]*\))*)\)")


def dummy(route: str, parts: Mapping[str, Any]) -> str:
    """Some address that the route answers: which row it means does not matter to whom the door is shut."""
    for part, converter in parts.items():
        route = re.sub(rf"<(\w+:)?{part}>", example(converter.regex), route)
    route = GROUP.sub(lambda found: example(found[1]), route)
    return "/" + route.replace("^", "").replace("\\Z", "").replace("$", "").replace("\\", "")


def example(pattern: str) -> str:
    """Something that a pattern of our routes matches."""
    for each in ("R900000001-Ix", "R900000001", "dcndl.E003", "1", "ja", *re.findall(r"\w+", pattern)):
        if re.fullmatch(pattern, each):
            return each
    raise AssertionError(f"give an example of {pattern}")


def shut_pages() -> Iterator[tuple[str, str]]:
    """Every declared address of librarians and staff, whatever its parts: name, path."""
    for name, route, parts in addresses():
        if name in TABLE and max(TABLE[name].values()) > Role.PUBLIC:
            yield name, dummy(route, parts)


@pytest.mark.parametrize(("name", "address"), sorted(shut_pages()))
def test_through_the_whole_site_nobody_comes_to_what_is_not_for_their_role(client, persons, name, address):
    for who, role in PEOPLE.items():
        client.logout()
        if who != "public":
            client.force_login(persons[who])
        for method, least in TABLE[name].items():
            if role < least:
                answer = client.generic(method, address)
                told = f"{method} {address} as {who}: {answer.status_code}"
                to_login = answer.status_code == 302 and answer.url.startswith("/login")
                assert to_login if who == "public" else answer.status_code == 403, told


@pytest.mark.parametrize(("name", "address"), sorted(closed_pages()))
def test_nothing_is_done_without_the_token_against_forgery(persons, repository, name, address):
    if "POST" not in TABLE[name]:
        return
    client = Client(enforce_csrf_checks=True)
    client.force_login(persons["administrator"])
    assert client.post(address).status_code == 403
