"""Which group keeps which number, decided without a database."""

from itertools import count

from aggregator.numbers.assign import Assigned, assign

type Books = dict[int, set[int]]


def given(*groups: set[int], before: Books | None = None, retired: Books | None = None, elsewhere=None) -> Assigned:
    """Assign numbers to groups of record ids; new numbers begin at 100. The other arguments are those of `assign`."""
    return assign({min(pks): pks for pks in groups}, before or {}, retired or {}, elsewhere or {}, count(100))


def test_new_groups_get_new_numbers_in_the_order_of_their_oldest_records() -> None:
    assert given({7, 8}, {2}) == Assigned({2: 100, 7: 101}, {})


def test_a_group_that_grows_keeps_its_number() -> None:
    assert given({1, 2, 3}, before={50: {2, 3}}) == Assigned({1: 50}, {})


def test_in_a_join_the_smallest_number_stays_and_the_other_leads_to_it() -> None:
    assert given({1, 2}, before={51: {1}, 50: {2}}) == Assigned({1: 50}, {51: 50})


def test_in_a_split_the_part_with_most_members_inherits_the_number() -> None:
    assert given({1}, {2, 3}, before={50: {1, 2, 3}}) == Assigned({1: 100, 2: 50}, {})


def test_of_equal_parts_the_one_with_the_oldest_member_inherits_the_number() -> None:
    assert given({1, 9}, {2, 3}, before={50: {2, 3, 9, 1}}) == Assigned({1: 50, 2: 100}, {})
    # Members that joined with this change (here 1 and 3) do not count.
    assert given({1, 9}, {2, 3}, before={50: {2, 9}}).numbers == {1: 100, 2: 50}


def test_a_number_whose_members_are_all_gone_leads_nowhere() -> None:
    assert given(before={50: {1, 2}}) == Assigned({}, {})


def test_a_returning_record_gets_the_number_back_of_which_it_was_the_last_member() -> None:
    assert given({1}, retired={50: {1}}) == Assigned({1: 50}, {})


def test_a_record_that_returns_into_a_book_brings_its_number_along() -> None:
    assert given({1, 2}, before={60: {2}}, retired={50: {1}}) == Assigned({1: 60}, {50: 60})


def test_of_several_numbers_that_return_the_smallest_is_used() -> None:
    assert given({1, 2}, retired={51: {1}, 50: {2}}) == Assigned({1: 50}, {51: 50})


def test_a_number_out_of_use_leads_to_the_book_with_most_of_its_last_members() -> None:
    joined = {51: {2, 3, 4}}
    assert given({1, 2}, before={50: {1, 2, 3, 4}}, retired=joined, elsewhere={3: 70, 4: 70}).successors == {51: 70}


def test_two_books_that_were_joined_and_are_split_again_have_their_own_numbers() -> None:
    assert given({1}, {2}, before={50: {1, 2}}, retired={51: {2}}) == Assigned({1: 50, 2: 51}, {})
