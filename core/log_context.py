"""What a log line is about, beside its words: the request, the harvest, the repository. Pure; each thread its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_ABOUT: ContextVar[Mapping[str, str | int]] = ContextVar("about", default={})  # noqa: B039  (never changed in place)


@contextmanager
def about(**facts: str | int) -> Iterator[None]:
    """Lines written inside are about these too: request, harvest, repository."""
    token = _ABOUT.set({**_ABOUT.get(), **facts})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def facts() -> Mapping[str, str | int]:
    """What is being worked on, in the order in which it was begun."""
    return _ABOUT.get()
