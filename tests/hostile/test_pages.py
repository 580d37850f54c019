"""Two hundred hostile texts in every place that providers, readers and staff can fill, on every page and in every file.

Every response is parsed: no text becomes an element, an attribute, a link that runs a script, a formula or a header,
and no page fails.
"""

import re
from collections.abc import Iterable, Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from aggregator.access.permissions import declared
from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import ensure_roles
from tests.hostile.judge import content_of, faults
from tests.hostile.poison import OURS, ROUNDS, Texts, columns, tables
from tests.hostile.poisoned_site import Site, build
from tests.hostile.site_paths import admin_paths, paths

pytestmark = pytest.mark.django_db
SAMPLE = 27
NUMBERS = [
    pytest.param(number, marks=[pytest.mark.slow, pytest.mark.sample if number == SAMPLE else pytest.mark.long])
    for number in range(ROUNDS)
]
MOST_HIDDEN = 0.08  # allowed share of the places that no page shows, since they are internal or shown in other words


@pytest.fixture
def administrator(db, settings, tmp_path) -> User:
    settings.DATA_DIR = tmp_path
    settings.SEARCH_RATE = 0
    ensure_roles()
    return User.objects.create(username="admin", is_staff=True, is_superuser=True)


@pytest.mark.parametrize("number", NUMBERS)
def test_no_page_and_no_file_uses_text_as_anything_else(administrator, number, record_property):
    texts = Texts(number)
    site = build(texts, administrator)
    wrong: list[str] = []
    shown: set[int] = set()
    answers = 0
    for client, name, path in requests(site, administrator):
        answers += 1
        answer = client.get(path)
        body = content_of(answer)
        broke = answer.status_code == 500  # collected, so that the test reports all failures at once
        found = [f"broke: {answer.exc_info[1]!r:.300}"] if broke else list(faults(answer, body))
        shown |= {int(tag) for tag in re.findall(rb"xq-(\d+)", body)}
        wrong += [f"{name} {path}: {fault} {texts.sources_of(fault)}" for fault in found]
    record_property("figure", f"{answers} answers, {len(shown)} of {len(texts.places)} places")
    assert not wrong, "\n".join(dict.fromkeys(wrong))
    hidden = [place for number, place in enumerate(texts.places) if number not in shown]
    assert len(hidden) < MOST_HIDDEN * len(texts.places), hidden


def requests(site: Site, administrator: User) -> Iterator[tuple[Client, str, str]]:
    """Yield requests for all addresses as the administrator, and for public ones also without login."""
    inside, outside = (Client(raise_request_exception=False, headers={"accept-language": "en"}) for _letter in "ab")
    inside.force_login(administrator)
    for name, path in (*paths(site), *admin_paths()):
        yield inside, name, path
        if (declared(name) or {})["GET"] is Role.PUBLIC:
            yield outside, name, path


def test_every_poisoned_table_has_a_row_and_every_exception_names_a_column(administrator):
    build(Texts(0), administrator)
    names = {model.__name__: model for model in tables()}
    assert not [name for name, model in names.items() if columns(model) and not model._base_manager.exists()]
    assert not [(name, column) for name, some in OURS.items() for column in some - fields(names[name]._meta.fields)]


def fields(of: Iterable) -> set[str]:
    return {field.name for field in of}
