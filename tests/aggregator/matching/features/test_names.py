"""Forms of names of persons and publishers, part by part."""

import pytest

from aggregator.matching.features.names import (
    names_in_statement,
    person_form,
    person_forms,
    publisher_form,
    publisher_forms,
    sells_for,
    split_names,
)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("夏目, 漱石, 1867-1916", "夏目漱石"),
        ("夏目, 漱石 1867-", "夏目漱石"),
        ("Natsume, Soseki, 1867-1916", "natsume s"),
        ("Natsume, Soseki (b. 1867-)", "natsume s"),
        ("Soseki Natsume", "natsume s"),
        ("Natsume", "natsume"),
        ("García Márquez, Gabriel", "garcia marquez g"),
        ("Smith-Jones, Ann", "smithjones a"),
        ("Ann Smith-Jones", "smithjones a"),
        ("斎藤茂吉", "斉藤茂吉"),
        ("夏目漱石 [著]", "夏目漱石"),
        ("夏目漱石著", "夏目漱石"),
        ("(編)夏目漱石", "夏目漱石"),
        ("夏目/漱石", "夏目漱石"),
        ("著", "著"),
        ("Zug, Mark, editor", "zug m"),
        ("", ""),
    ],
)
def test_persons(name: str, form: str) -> None:
    assert person_form(name) == form


@pytest.mark.parametrize(
    "names",
    [
        "三好達治／著 ; 安西水丸／絵",
        "三好達治／著　安西水丸／絵",
        "三好達治∥著 安西水丸∥絵",
        "三好達治/文・写真 ; 安西水丸/絵",
        "三好達治 ; 安西水丸 ; [ほか]著",
        "三好達治 ; 安西水丸 ; 編・著",
        "三好達治 ; 安西水丸 ; (著)",
    ],
)
def test_a_role_is_no_person(names: str) -> None:
    assert person_forms((names,)) == ("三好達治", "安西水丸")


def test_a_latin_role_is_no_person_but_a_name_like_one_is() -> None:
    assert person_forms(("Smith, John ; ed.",)) == ("smith j",)
    assert person_forms(("Ed", "Smith, Ed")) == ("ed", "smith")


def test_several_persons_in_one_field() -> None:
    assert person_forms(("三好達治／著；安西水丸／絵",)) == ("三好達治", "安西水丸")
    assert person_forms(("夏目漱石",), ("ナツメ, ソウセキ",)) == ("夏目漱石", "ナツメソウセキ")
    assert person_forms(("夏目漱石", "夏目漱石", "", "他")) == ("夏目漱石",)
    assert person_forms(("ほか7名", "外 二名")) == ()
    assert person_forms(tuple(f"例{sign}" for sign in "一二三四五六七八九")) == tuple(
        f"例{sign}" for sign in "一二三四五六七八"
    )


def test_a_bar_may_be_inside_a_name() -> None:
    assert person_forms(("宮尾‖しげを",)) == ("宮尾シゲヲ",) or person_forms(("宮尾‖しげを",)) == person_forms(
        ("宮尾しげを",)
    )
    assert person_forms(("甲‖乙‖丙",)) == ("甲", "乙", "丙")
    assert split_names("三好達治／著 ; 安西水丸／絵") == ["三好達治", "安西水丸"]


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("川畑貴裕,稲生俊雄", ["川畑貴裕", "稲生俊雄"]),
        ("夏目,漱石", ["夏目,漱石"]),
        ("Ernst Cassirer, Yoshitaka Yamamoto", ["Ernst Cassirer", "Yoshitaka Yamamoto"]),
        ("Cassirer, Ernst", ["Cassirer, Ernst"]),
        ("三文字,川畑貴裕", ["三文字", "川畑貴裕"]),
        ("二字,川畑貴裕", ["二字,川畑貴裕"]),
    ],
)
def test_statements_of_responsibility(statement: str, names: list[str]) -> None:
    assert names_in_statement(statement) == names


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("株式会社岩波書店", "岩波書店"),
        ("(株)岩波書店", "岩波書店"),
        ("講談社 (発売)", "講談社"),
        ("Academic Press, Inc.", "academic"),
        ("The Press", "thepress"),
        ("", ""),
    ],
)
def test_publishers(name: str, form: str) -> None:
    assert publisher_form(name) == form


def test_an_imprint_is_named_as_its_house_and_a_seller_is_known() -> None:
    assert set(publisher_forms(("岩波文庫",))) & set(publisher_forms(("岩波書店",)))
    assert not set(publisher_forms(("岩波文庫",))) & set(publisher_forms(("講談社",)))
    seller, house = publisher_form("オーム社"), publisher_form("オライリー・ジャパン")
    assert sells_for(seller, house) and sells_for(house, seller)
    assert not sells_for(seller, publisher_form("岩波書店"))
