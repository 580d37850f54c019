"""What the library that stays takes from the one that is merged into it, and what undoing gives back."""

from aggregator.libraries.editing.merge_plan import Side, choices, plan, restored
from aggregator.libraries.editing.sources import FIELDS


def side(pk: int, *edited: str, above: tuple[int, ...] = (), **values: object) -> Side:
    empty = {name: None if name in ("parent", "latitude", "longitude", "lends", "closed_on") else "" for name in FIELDS}
    return Side(pk, empty | values, edited, above)


def taken_by_default(kept: Side, merged: Side) -> dict[str, bool]:
    return {choice.name: choice.takes for choice in choices(kept, merged)}


def test_an_empty_field_takes_a_value_and_a_value_takes_a_better_one():
    kept = side(1, "page", "list:hours", "hours", name="甲", page="https://a.example/", hours="9-17", telephone="1")
    merged = side(
        2, "hours", "page", name="乙", page="https://b.example/", hours="10-18", address="見本市", telephone="1"
    )
    assert taken_by_default(kept, merged) == {"name": False, "address": True, "hours": True, "page": False}


def test_a_field_that_the_merged_library_lacks_is_no_choice():
    assert not choices(side(1, name="甲"), side(2, "name", name=""))


def test_coordinates_go_together_and_so_do_prefecture_and_municipality():
    kept = side(1, latitude=1.0, longitude=2.0, prefecture="27")
    merged = side(2, latitude=1.0, longitude=3.0, prefecture="27", municipality="27100")
    assert [choice.name for choice in choices(kept, merged)] == ["prefecture", "latitude"]
    changed = plan(kept, merged, ["prefecture", "latitude"]).replaced
    assert {name: field.after for name, field in changed.items()} == {
        "latitude": 1.0,
        "longitude": 3.0,
        "prefecture": "27",
        "municipality": "27100",
    }


def test_what_is_taken_keeps_its_source_and_a_value_of_records_becomes_that_of_people():
    kept, merged = side(1, name="甲"), side(2, "hours", "list:hours", name="乙", hours="9-17")
    assert plan(kept, merged, ["name", "hours"]).edited == ("hours", "list:hours", "name")


def test_what_is_not_offered_is_not_taken():
    assert not plan(side(1, name="甲"), side(2, name="甲"), ["name", "parent", "nothing"]).replaced


def test_undoing_restores_values_and_marks_but_not_what_was_changed_since():
    kept = side(1, "hours", "list:hours", name="甲", hours="9-17")
    made = plan(kept, side(2, name="乙", hours="10-18"), ["name", "hours"])
    after = side(1, *made.edited, name="乙", hours="11-19")
    undone = restored(after, made.replaced)
    assert {name: field.after for name, field in undone.replaced.items()} == {"name": "甲"}
    assert undone.edited == ("hours",)
    undone = restored(side(1, *made.edited, name="乙", hours="10-18"), made.replaced)
    assert undone.edited == ("hours", "list:hours")


def test_a_branch_that_takes_in_its_main_library_is_a_branch_of_what_that_was_a_branch_of():
    kept = side(1, parent=2, above=(2, 3))
    assert plan(kept, side(2, parent=3, above=(3,)), ()).replaced["parent"].after == 3
