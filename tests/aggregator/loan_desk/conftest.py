import pytest

from tests.aggregator.loan_desk.desks import Desks
from tests.aggregator.loan_desk.desks import desks as make_desks


@pytest.fixture
def desks(db: None) -> Desks:
    """A lender that receives requests by mail."""
    return make_desks(email="ill@osaka.example.jp")
