"""Fixtures of the tests of provision: those of the pages."""

from tests.aggregator.views.conftest import archive, book, library, shelf

__all__ = ["archive", "book", "library", "shelf"]
