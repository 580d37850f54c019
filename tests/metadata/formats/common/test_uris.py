"""What counts as a URI: most addresses are judged by one pattern, the others by the general rule."""

import pytest

from metadata.formats.common.uris import as_uri, is_uri

ADDRESS = "https://library.example:8080/opac/detail;v=1/(a)?bid=A~1&q=x,y#item-1"


@pytest.mark.parametrize("text", [ADDRESS, "http://a.example/", "http://a.example", "https://a.example/本", "#record"])
def test_uris(text: str) -> None:
    assert is_uri(text)


@pytest.mark.parametrize(
    "text",
    [
        *("https://a.example:x/", "https://a.example:80:80/", "https://user:secret@a.example/", "https://[::1]/"),
        *("https://a.example/a b", "https://a.example/%zz", "https://a.example/#a#b", "https://a.example/[1]"),
        *("", "about: this", f"{ADDRESS}\n", f" {ADDRESS}"),
    ],
)
def test_other_texts(text: str) -> None:
    assert not is_uri(text)


@pytest.mark.parametrize("character", [chr(code) for code in range(0x100)])
@pytest.mark.parametrize("form", ["https://a{}b.example/x", "https://a.example/x{}y", "https://a.example/x?y#z{}z"])
def test_a_character_is_judged_alike_in_a_usual_address_and_in_any_other(character: str, form: str) -> None:
    # The letter beyond ASCII, which is legal everywhere after the host, leads to the general rule.
    text = form.format(character)
    assert is_uri(text) == is_uri(f"{text}本")


def test_illegal_characters_of_an_address_are_escaped() -> None:
    assert as_uri("https://a.example/a b[1]") == "https://a.example/a%20b%5B1%5D"
