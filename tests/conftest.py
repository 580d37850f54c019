"""Fixtures of all tests: a search folder per test, and the sample records if they are beside the repository."""

import os
from pathlib import Path

import pytest
from django.template.backends.jinja2 import Template as JinjaTemplate
from django.test.signals import template_rendered
from hypothesis import HealthCheck, settings

from tests.paths import SAMPLES

# Slow machines do not fail tests, and the same commit always gives the same result; EXPLORE=1 tries new examples.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("EXPLORE"),
    database=None,
)
settings.load_profile("any machine")


@pytest.fixture
def samples() -> Path:
    """The folder with real records of many providers. Tests are skipped if it does not exist."""
    if not SAMPLES.is_dir():
        pytest.skip("no folder ../shared/samples beside the repository")
    return SAMPLES


@pytest.fixture(autouse=True)
def own_search_folder(settings, tmp_path: Path) -> None:
    """A separate search index for every test, so that no test finds what another has written."""
    settings.SEARCH_DIR = tmp_path / "search"


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
