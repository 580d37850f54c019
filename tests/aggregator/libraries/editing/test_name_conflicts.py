"""When staff must look at the different names that records give for one library code."""

import pytest

from aggregator.libraries.editing.name_conflicts import conflicting
from metadata.text.folding import fold_tight

CENTRAL, OTHER = "大阪府立中央図書館", "神戸市立図書館"


@pytest.mark.parametrize(
    "names",
    [
        (CENTRAL,),
        (CENTRAL, "中央図書館"),
        (CENTRAL, "大阪府立中央図書館 国際児童文学館"),
        ("Ōsaka Library", "OSAKA library"),
        (CENTRAL, ""),
    ],
)
def test_names_that_contain_each_other_are_no_question(names):
    assert conflicting(names) == ()


def test_clearly_different_names_are_a_question():
    assert set(conflicting((CENTRAL, OTHER))) == {CENTRAL, OTHER}


@pytest.mark.parametrize("related", ["神戸市立図書館", "神戸市立図書館西館"])
def test_names_of_parent_and_branches_are_no_question(related):
    assert conflicting((CENTRAL, OTHER), related=(related,)) == ()


def test_an_answered_question_comes_back_only_with_a_different_name():
    accepted = {fold_tight(CENTRAL), fold_tight(OTHER)}
    assert conflicting((CENTRAL, OTHER), accepted) == ()
    assert conflicting((CENTRAL, OTHER, "神戸市立図書館本館"), accepted) == ()
    assert conflicting((CENTRAL, OTHER, "京都府立図書館"), accepted) == ("京都府立図書館",)


def test_very_many_names_are_compared_up_to_a_bound():
    assert len(conflicting([f"図書館{number:03}番" for number in range(3000)])) == 60
