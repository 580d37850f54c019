"""The marks that tell the fields filled in by people from those filled in by imported lists."""

from aggregator.libraries.edits import by_lists, by_people, with_list, with_people, without


def test_what_people_and_lists_filled_in_is_told_apart():
    marks = with_list(["address"], ["name", "address"])
    assert (by_people(marks), by_lists(marks)) == ({"address"}, {"name"})


def test_what_people_type_over_a_list_is_theirs():
    marks = with_people(with_list([], ["name"]), ["name"])
    assert (by_people(marks), by_lists(marks)) == ({"name"}, frozenset())


def test_a_field_that_is_given_back_has_no_mark():
    assert without(with_list(["address"], ["name"]), ["name"]) == ["address"]
