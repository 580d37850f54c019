"""Names that providers state: technical words are not proposed as the name of a provider."""

import pytest

from harvesting.joining.application import name_worth_confirming


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("oai_dc (oai_dc)", ""),
        ("JPCOAR", ""),
        ("見本大学リポジトリ(見本大学リポジトリ)", "見本大学リポジトリ"),
        ("見本大学リポジトリ（見本大学リポジトリ）", "見本大学リポジトリ"),
        (" 見本大学  リポジトリ ", "見本大学 リポジトリ"),
        ("見本大学(見本市)", "見本大学(見本市)"),
        ("DSpace at My University", ""),
        ("repo.example.jp", ""),
        ("2024", ""),
        ("", ""),
    ],
)
def test_only_names_are_proposed(stated, expected):
    assert name_worth_confirming(stated, ["dcndl", "repo.example.jp"]) == expected
