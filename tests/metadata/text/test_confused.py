"""Commonly confused characters: a table of facts, and the spellings made with it."""

import pytest

from metadata.text import confused
from metadata.text.confused import confused_spellings
from metadata.text.folding import fold_tight


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("斉藤", "斎藤"),
        ("齊藤", "斎藤"),
        ("斎藤", "斉藤"),
        ("我輩は猫である", "吾輩は猫である"),
        ("夏目嗽石", "夏目漱石"),
    ],
)
def test_a_confused_character_is_replaced_and_the_rest_kept(typed, meant):
    assert meant in confused_spellings(typed, 10)


def test_there_are_only_so_many_spellings():
    assert len(confused_spellings("斉藤太郎", 2)) == 2
    assert confused_spellings("心", 2) == []


def test_the_table_has_no_variants_of_one_character():
    """A variant is folded before anything is compared, so it would never be another spelling."""
    assert all(fold_tight(char) == char for group in confused._GROUPS for char in group)
    assert all(len(set(group)) == len(group) > 1 for group in confused._GROUPS)
