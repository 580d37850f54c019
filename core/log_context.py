"""Fields that are added to every log line: the request, the harvest, the repository. Pure; one set per thread."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_ABOUT: ContextVar[Mapping[str, str | int]] = ContextVar("about", default={})  # noqa: B039  (never changed in place)


@contextmanager
def log_fields(**facts: str | int) -> Iterator[None]:
    """Add these fields (request, harvest, repository) to the log lines written inside the block."""
    token = _ABOUT.set({**_ABOUT.get(), **facts})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def current_fields() -> Mapping[str, str | int]:
    """The fields of this thread, the outermost block first."""
    return _ABOUT.get()
