"""Which URLs a page may link to. Templates of providers are in `tests/aggregator/libraries/test_provider_link.py`."""

from hypothesis import example, given
from hypothesis import strategies as st

from metadata import links
from metadata.links import safe_href

PIECES = [
    "http",
    "https",
    "ftp",
    "://",
    ":",
    "/",
    "@",
    "?",
    "#",
    ".",
    "[",
    "]",
    "%",
    " ",
    "\\",
    "\t",
    "a",
    "1",
    "８",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=20))
@example("https://a")
@example("https://a.example/b?c#d")
@example("https://a.example:8080/b")
@example("https://a.example:99999/b")
@example("https://a@b.example/")
@example("https://a.example\\@b.example/")
@example("https://a.example/\n")
@example("https://[a]/")
@example("https://a.example:8080/b")
@example("https://a.example:65535/")
@example("https://a.example:65536/")
@example("https://a.example:123456")
@example("https://a.example:80b/")
@example("https://a.example:")
def test_plain_urls_are_judged_as_all_others(text: str) -> None:
    for url in (text, f"https://{text}", f"http://a.example/{text}"):
        trimmed = url.strip(links._C0_AND_SPACE)
        is_safe = not links._FORBIDDEN.search(trimmed) and links.split_url(trimmed) is not None
        assert safe_href(url) == (trimmed if is_safe else "")
