"""Permissions: every URL of the site × every role × every method, generated from the URL configuration itself."""

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
from aggregator.access.permissions import PREFIXES, TABLE, addresses, declared
from aggregator.checks.settings import addresses_are_declared
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import Feed, Repository
from harvesting.registry.registration import register
from tests.stored_once import stored_once

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PEOPLE = {"public": Role.PUBLIC, "librarian": Role.LIBRARIAN, "other": Role.LIBRARIAN, "staff": Role.STAFF,
          "administrator": Role.ADMINISTRATOR}  # fmt: skip
ALL = sorted({(name, route) for name, route, _parts in addresses()})


def people() -> dict[str, AbstractUser | AnonymousUser]:
    """Return one user for every role, and a second librarian."""
    ensure_roles()
    create = get_user_model().objects.create_user
    users: dict[str, AbstractUser | AnonymousUser] = {"public": AnonymousUser()}
    for name, group in (("librarian", LIBRARIANS), ("other", LIBRARIANS), ("staff", STAFF)):
        user = create(name, password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        users[name] = user
    users["administrator"] = create("administrator", password="x", is_staff=True, is_superuser=True)
    return users


@pytest.fixture
@stored_once
def persons(db) -> dict[str, AbstractUser | AnonymousUser]:
    return people()


@pytest.fixture
def repository(persons) -> Repository:
    """A provider that the first librarian manages."""
    own = register(Repository(name="見本図書館"), [Feed(base_url="https://a.example.jp/oai")])
    own.managers.add(persons["librarian"])
    return own


def answer_of(user, method: str, name: str, route: str) -> str:
    """Return what the permission middleware decides: "in", "login", "no" or "method"."""
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
        for username, role in PEOPLE.items():
            for method in METHODS:
                outcome = answer_of(persons[username], method, name if name != route else "", route)
                if outcome != expected(role, method, methods):
                    wrong.append((name, username, method, outcome))
    assert not wrong


def test_every_row_of_the_table_is_an_address():
    names = {name for name, _route in ALL}
    assert not TABLE.keys() - names
    assert not [prefix for prefix in PREFIXES if not any(name.startswith(prefix) for name in names)]


def test_an_undeclared_address_is_denied_even_to_administrators_and_found_by_the_system_check(persons, monkeypatch):
    added = [*get_resolver().url_patterns, path("new", lambda request: HttpResponse("open"), name="new")]
    monkeypatch.setattr(get_resolver(), "url_patterns", added)
    assert [error.id for error in addresses_are_declared()] == ["aggregator.E011"]
    assert answer_of(persons["administrator"], "GET", "new", "new") == "no"


def test_the_roles_are_those_of_the_groups(persons):
    assert {username: role_of(user) for username, user in persons.items()} == PEOPLE
    persons["administrator"].is_active = False
    assert role_of(persons["administrator"]) is Role.PUBLIC


VALUES = {"number": "R900000001", "queue_index": 0, "scheduler_index": 0, "connection_index": 0}


def pages_without_parameters() -> Iterator[tuple[str, str]]:
    """Yield (name, path) of the librarians' and staff's pages that need no parameter but those in VALUES."""
    for name, route, parts in addresses():
        methods = TABLE.get(name)
        if methods and max(methods.values()) > Role.PUBLIC and not parts.keys() - VALUES.keys() and "(?P" not in route:
            text = route
            for part, converter in parts.items():
                kind = type(converter).__name__.removesuffix("Converter").lower()
                text = text.replace(f"<{kind}:{part}>", str(VALUES[part])).replace(f"<{part}>", str(VALUES[part]))
            yield name, f"/{text}"


@pytest.mark.parametrize(("name", "address"), sorted(pages_without_parameters()))
def test_the_pages_themselves_answer_as_the_table_says(client, persons, repository, name, address):
    """Through the whole stack: roles below the declared one are refused, and the others get an answer."""
    for username, role in PEOPLE.items():
        client.logout()
        if username != "public":
            client.force_login(persons[username])
        for method, least in TABLE[name].items():
            answer = client.generic(method, address)
            message = f"{method} {address} as {username}: {answer.status_code}"
            if role < least:
                to_login = answer.status_code == 302 and answer.url.startswith("/login")
                assert to_login if username == "public" else answer.status_code == 403, message
            elif username == "other" and "R900000001" in address:
                assert answer.status_code == 404, message
            else:
                assert answer.status_code not in (403, 405, 500), message


GROUP = re.compile(r"\(\?P<\w+>((?:[^()]|\([^()]*\))*)\)")


def example_path(route: str, parts: Mapping[str, Any]) -> str:
    """Return an address that matches the route. The row need not exist: access is refused before it is looked up."""
    for part, converter in parts.items():
        route = re.sub(rf"<(\w+:)?{part}>", example(converter.regex), route)
    route = GROUP.sub(lambda found: example(found[1]), route)
    return "/" + route.replace("^", "").replace("\\Z", "").replace("$", "").replace("\\", "")


def example(pattern: str) -> str:
    """Return a string that matches the pattern of a route parameter."""
    for candidate in ("R900000001-Ix", "R900000001", "L1", "dcndl.E003", "1", "ja", *re.findall(r"\w+", pattern)):
        if re.fullmatch(pattern, candidate):
            return candidate
    raise AssertionError(f"give an example of {pattern}")


def pages_with_example_values() -> Iterator[tuple[str, str]]:
    """Yield (name, path) of every declared page of librarians and staff, with example values for its parameters."""
    for name, route, parts in addresses():
        if name in TABLE and max(TABLE[name].values()) > Role.PUBLIC:
            yield name, example_path(route, parts)


@pytest.mark.parametrize(("name", "address"), sorted(pages_with_example_values()))
def test_no_role_reaches_a_page_above_it_anywhere_on_the_site(client, persons, name, address):
    for username, role in PEOPLE.items():
        client.logout()
        if username != "public":
            client.force_login(persons[username])
        for method, least in TABLE[name].items():
            if role < least:
                answer = client.generic(method, address)
                message = f"{method} {address} as {username}: {answer.status_code}"
                to_login = answer.status_code == 302 and answer.url.startswith("/login")
                assert to_login if username == "public" else answer.status_code == 403, message


@pytest.mark.parametrize(("name", "address"), sorted(pages_without_parameters()))
def test_a_post_without_a_csrf_token_is_refused(persons, repository, name, address):
    if "POST" not in TABLE[name]:
        return
    client = Client(enforce_csrf_checks=True)
    client.force_login(persons["administrator"])
    assert client.post(address).status_code == 403
