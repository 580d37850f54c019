"""Fixtures of all tests: the database, a search folder per test, and the sample records if they are beside the
repository. Also adds the marks by which CI chooses tests: `sample` and `database`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from itertools import count
from pathlib import Path
from zlib import crc32

import pytest
from django.db import connection
from django.template.backends.jinja2 import Template as JinjaTemplate
from django.test.signals import template_rendered
from hypothesis import HealthCheck, settings

from tests.database import in_memory
from tests.paths import ROOT, SAMPLES

# Slow machines do not fail tests, and the same commit always gives the same result; EXPLORE=1 tries new examples.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("EXPLORE"),
    max_examples=100 if os.environ.get("EXPLORE") else 30,
    database=None,
)
settings.load_profile("any machine")
ONE_IN = 60  # of the slow tests is in the sample, besides those that are marked so
MEMORY = Path("/dev/shm")  # files without a disk: a commit of the search index takes a third of the time
_numbers = count()
ENOUGH = 2_000_000_000  # bytes that must be free there; containers often have 64 MB only


def pytest_configure(config: pytest.Config) -> None:
    """Put the folders of the tests into memory if there is enough; begin to migrate while the tests are collected."""
    if config.getoption("numprocesses", None) and connection.vendor == "sqlite" and not hasattr(config, "workerinput"):
        subprocess.Popen([sys.executable, "-c", "from tests.database import kept; kept()"], cwd=ROOT)
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def _fixtures_of(item: pytest.Item) -> dict[str, Sequence[pytest.FixtureDef]]:
    info = getattr(item, "_fixtureinfo", None)
    return info.name2fixturedefs if info else {}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Add `sample` to some slow tests, always to the same ones; and `database` to all tests that use the database. One
    process runs all tests of a module whose fixtures are made once for the module, so that they are.
    """
    marks = {mark.name for mark in item.iter_markers()}
    if "slow" in marks and "long" not in marks and crc32(item.nodeid.encode()) % ONE_IN == 0:
        item.add_marker("sample")
    if "django_db" in marks or {"db", "transactional_db"}.intersection(getattr(item, "fixturenames", ())):
        item.add_marker("database")
    if item.config.getoption("loadgroup", False):
        _add_group(item)


def _add_group(item: pytest.Item) -> None:
    """Put the name of the group behind the test's, by which pytest-xdist finds the process for it.

    pytest-xdist 3.8 does so itself, but not in a way that pytest 9.2 notices: there every test was a group of its own.
    """
    mark = item.get_closest_marker("xdist_group")
    is_shared = any(fixture.scope == "module" for found in _fixtures_of(item).values() for fixture in found)
    group = mark.args[0] if mark else item.nodeid.partition("::")[0] if is_shared else ""
    if group:
        item._id = type(item.id).parse(f"{item.nodeid}@{group}")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[None]:
    """Before pytest-django migrates the database in memory, fill it with what has been migrated once."""
    with closing(in_memory()) if connection.vendor == "sqlite" else nullcontext():
        yield


@pytest.fixture
def samples() -> Path:
    """The folder with real records of many providers. Tests are skipped if it does not exist."""
    if not SAMPLES.is_dir():
        pytest.skip("no folder ../shared/samples beside the repository")
    return SAMPLES


@pytest.fixture(autouse=True)
def own_search_folder(settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A separate search index for every test, so that no test finds what another has written. Most write none."""
    settings.SEARCH_DIR = folder = tmp_path_factory.getbasetemp() / f"search-{next(_numbers)}"
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def no_taken_list_waits() -> Iterator[None]:
    """Forget the lists that a test has read: they would be written after some request of a later one."""
    yield
    if recording := sys.modules.get("aggregator.provision.taken.recording"):
        recording.TAKEN._counts.clear()


@pytest.fixture(autouse=True, scope="session")
def contexts_of_pages():
    """Keep the contexts of pages in the responses of the test client, which knows those of Django's templates only."""
    render = JinjaTemplate.render

    def kept(self, context=None, request=None):
        context = {} if context is None else context
        page = render(self, context, request)
        template_rendered.send(sender=self, template=self, context=context)
        return page

    JinjaTemplate.render = kept
    yield
    JinjaTemplate.render = render
