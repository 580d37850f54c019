"""Which requests are of people: those that count as use. Pure.

A rule that anybody can check, not a list of addresses: a request does not count if its program calls itself a robot, a
library of a programming language, a checker or a previewer, if it sends no name at all, or if a browser only fetches
ahead. Robots that pretend to be browsers are counted as people.
"""

import re
from collections.abc import Mapping

_PROGRAMS = re.compile(
    r"bot\b|bot[/_;-]|crawl|spider|slurp|archive|scrap|fetch|monitor|uptime|validat|checker|preview|lighthouse|headless"
    r"|facebookexternalhit|whatsapp|embedly|feed|rss|google-|mediapartners|bingpreview|baidu|yandex|bytespider|gptbot"
    r"|claude|perplexity|ccbot|semrush|ahrefs|curl|wget|python|java[/ ]|libwww|perl|ruby|php/|go-http|okhttp|axios"
    r"|node-fetch|undici|httpclient|http_request|postman|insomnia|scrapy|aiohttp|httpx|requests|guzzle",
    re.IGNORECASE,
)
_AHEAD = ("prefetch", "prerender", "preview")
_PURPOSES = ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")


def is_of_a_person(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a request counts as use by a person."""
    program = headers.get("User-Agent", "")
    if method == "HEAD" or not program.startswith("Mozilla/") or _PROGRAMS.search(program):
        return False
    purposes = (headers.get(name, "").lower() for name in _PURPOSES)
    return not any(word in purpose for purpose in purposes for word in _AHEAD)
