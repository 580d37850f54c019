"""Remembers the results of pure functions of texts, within a limit that holds for texts of any length."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import cast

_USUAL = 64  # characters; nearly all names and headings are shorter


def remember[**P, T](maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Like `lru_cache`, for a function of texts; a result that is remembered costs the same.

    Texts that are longer than usual are counted. When those that came have more than maxsize × 64 characters together,
    all results are forgotten: a provider may send headings of megabytes.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        counted, called = 0, cast("Callable[..., T]", function)

        @lru_cache(maxsize=maxsize)
        @wraps(function)
        def found(*texts: str) -> T:
            nonlocal counted
            for text in texts:
                if len(text) > _USUAL:
                    counted += len(text)
                    if counted > maxsize * _USUAL:
                        found.cache_clear()
                        counted = len(text)
            return called(*texts)

        return cast("Callable[P, T]", found)

    return decorate
