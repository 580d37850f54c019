"""The same shelf as the page tests."""

from tests.aggregator.views.conftest import archive, library, shelf  # noqa: F401
