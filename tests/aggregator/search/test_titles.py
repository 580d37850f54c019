"""Readings of titles, without an engine."""

import pytest

from aggregator.search.titles import joined_sound, readings
from metadata.text.romaji import sound


@pytest.mark.parametrize(
    "reading", ["コ ウ エン", "ト ウ オ ウ", "シ ヨ ヤ", "サンソン ノ キオク ト イミン シ", "Tō ō"]
)
def test_words_that_meet_sound_as_one_word_does(reading: str) -> None:
    assert joined_sound(reading) == sound(reading.replace(" ", ""))


def test_a_reading_is_found_by_its_words_by_two_of_them_and_as_a_whole() -> None:
    assert set(readings(["ワガハイ ワ ネコ", "猫"]).terms) == {
        "wagahai",
        "wa",
        "neko",
        "wagahaiwa",
        "waneko",
        "wagahaiwaneko",
    }
