"""Seeds of random tests: the first are always tried, the others, which look for the unexpected, with `-m slow`."""

import pytest


def seeds(count: int, always: int = 1) -> pytest.MarkDecorator:
    """Parametrize a test by `seed`, from 0 to count - 1."""
    others = (pytest.param(number, marks=pytest.mark.slow) for number in range(always, count))
    return pytest.mark.parametrize("seed", [*range(always), *others])
