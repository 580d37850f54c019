"""The names of prefectures and municipalities."""

from aggregator.libraries.regions import MUNICIPALITIES, PREFECTURES, REGIONS, place, prefecture_in, region_of


def test_the_regions_have_the_47_prefectures_in_the_order_of_their_codes() -> None:
    assert list(PREFECTURES) == [f"{number:02}" for number in range(1, 48)]
    assert len(REGIONS) == 8


def test_every_municipality_is_in_a_prefecture() -> None:
    assert all(len(code) == 5 and code[:2] in PREFECTURES for code in MUNICIPALITIES)


def test_a_place_has_a_name_in_both_languages() -> None:
    osaka, sakai = place("27"), place("27140")
    assert osaka and sakai
    assert (osaka.name("ja"), osaka.name("en-gb"), sakai.name("ja")) == ("大阪府", "Osaka", "堺市")


def test_an_unknown_municipality_is_shown_by_its_prefecture() -> None:
    assert place("27999") == PREFECTURES["27"]
    assert place("99") is None and place("") is None


def test_a_prefecture_is_in_a_region() -> None:
    kinki = region_of("27140")
    assert kinki and kinki.key == "kinki"
    assert region_of("48") is None


def test_an_address_begins_with_its_prefecture() -> None:
    assert prefecture_in("大阪府東大阪市荒本北1-2-1") == "27"
    assert prefecture_in("東大阪市") == ""
