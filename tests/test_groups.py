"""pytest-xdist gives all tests of a group to one process."""

from tests.sources import TOGETHER

pytestmark = TOGETHER


def test_the_name_of_a_group_is_behind_that_of_the_test(request):
    assert request.node.nodeid.endswith("@sources") == request.config.getoption("loadgroup", False)
