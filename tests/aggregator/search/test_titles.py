"""Readings of titles, without an engine."""

import pytest

from aggregator.search.titles import joined_sound, readings
from metadata.text.romaji import sound


@pytest.mark.parametrize(
    "reading", ["コ ウ エン", "ト ウ オ ウ", "シ ヨ ヤ", "サンソン ノ キオク ト イミン シ", "Tō ō"]
)
def test_joined_words_sound_like_one_word(reading: str) -> None:
    assert joined_sound(reading) == sound(reading.replace(" ", ""))


def test_a_reading_is_found_by_single_words_by_pairs_and_as_a_whole() -> None:
    assert set(readings(["ワガハイ ワ ネコ", "猫"]).terms) == {
        "wagahai",
        "wa",
        "neko",
        "wagahaiwa",
        "waneko",
        "wagahaiwaneko",
    }
