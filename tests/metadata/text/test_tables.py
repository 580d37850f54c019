"""Texts in TOML files: what is wrong with a file is refused, and the error says where."""

from pathlib import Path

import pytest

from metadata.text.tables import Words, read_entries


@pytest.fixture
def table(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "words.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_entries_are_read_by_their_names(table):
    words = read_entries(table("[warning]\nja = '警告'\nen = 'warning'\n"), Words)["warning"]
    assert (words.in_language("ja"), words.in_language("en"), words.in_language("fr")) == ("警告", "warning", "warning")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[warning]\nja = '警告'", "words.toml: warning: Object missing required field `en`"),
        ("[warning]\nja = '警告'\nen = ''", "words.toml: warning: Expected `str` of length >= 1 - at `$.en`"),
        ("[warning]\nja = '警告'\nen = 1", "words.toml: warning: Expected `str`, got `int` - at `$.en`"),
        ("[warning]\nja = '警告'\nen = 'x'\nfr = 'y'", "words.toml: warning: Object contains unknown field `fr`"),
        ("warning = '警告'", "words.toml: warning: Expected `object`, got `str`"),
        ("[warning]\nja = '{n} 件'\nen = 'many'", "words.toml: warning: only one of ja and en has {n}"),
        ("[warning]\nja = '{n 件'\nen = '{n}'", "words.toml: warning: ja: expected '}' before end of string"),
        ("[warning\n", "words.toml: Expected ']' at the end of a table declaration (at line 1, column 9)"),
    ],
)
def test_a_mistake_is_refused_with_its_file_entry_and_key(table, text, error):
    with pytest.raises(ValueError, match=r"words\.toml") as refused:
        read_entries(table(text), Words)
    assert error in str(refused.value)


def test_a_file_that_is_not_in_utf8_is_refused_by_its_name(tmp_path: Path):
    path = tmp_path / "words.toml"
    path.write_bytes("ja = '警告'".encode("euc_jp"))
    with pytest.raises(ValueError, match=r"words\.toml"):
        read_entries(path, Words)
