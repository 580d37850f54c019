"""Recognising a page that keeps robots out, whatever its status. Pure.

A harvester must be let in by a person; asking again only makes it worse.
"""

from collections.abc import Mapping

LOOKED_AT = 64 * 1024
HEAD = 1024  # bytes that tell a page from data
WALL_STATUSES = frozenset({200, 202, 401, 403, 405, 429, 503})

# (header, what its value begins with, who sends it)
HEADER_MARKS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-amzn-waf-action", "", "AWS WAF"),
    ("x-datadome", "", "DataDome"),
    ("x-sucuri-block", "", "Sucuri"),
)
# (text of the page in lower case, whose it is): these stand on no other page
CHALLENGE_MARKS = (
    (b"_cf_chl_opt", "Cloudflare"),
    (b"cf-browser-verification", "Cloudflare"),
    (b"attention required! | cloudflare", "Cloudflare"),
    (b"<title>just a moment...</title>", "Cloudflare"),
    (b"awswafcookiedomainlist", "AWS WAF"),
    (b"/.within.website/x/", "Anubis"),
    (b"anubis_challenge", "Anubis"),
    (b"making sure you&#39;re not a bot", "Anubis"),
    (b"making sure you're not a bot", "Anubis"),
    (b"/_sec/cp_challenge", "Akamai"),
    (b"captcha-delivery.com", "DataDome"),
    (b"px-captcha", "HUMAN"),
)
# These stand on ordinary pages too, and tell only together with a refusal.
REFUSAL_MARKS = (
    (b"/cdn-cgi/challenge-platform/", "Cloudflare"),
    (b"challenges.cloudflare.com/turnstile", "Cloudflare"),
    (b"cf-error-details", "Cloudflare"),
    (b"token.awswaf.com", "AWS WAF"),
    (b"_incapsula_resource", "Imperva"),
    (b"sucuri website firewall", "Sucuri"),
    (b"hcaptcha.com/1/api.js", "hCaptcha"),
    (b"recaptcha/api.js", "reCAPTCHA"),
)


def bot_wall(status: int, headers: Mapping[str, str], body: bytes) -> str:
    """Whose bot protection answered instead of the provider; "" if none is recognised. headers: lower-case names."""
    if status not in WALL_STATUSES:
        return ""
    if body and not _is_page(body[:HEAD].lower()):
        return ""
    for name, value, owner in HEADER_MARKS:
        if name in headers and headers[name].lower().startswith(value):
            return owner
    start = body[:LOOKED_AT].lower()
    marks = CHALLENGE_MARKS if status < 300 else CHALLENGE_MARKS + REFUSAL_MARKS
    return next((owner for mark, owner in marks if mark in start), "")


def _is_page(head: bytes) -> bool:
    """A page for people. XML is content, even where a record speaks of captchas."""
    return b"<html" in head or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<!doctype html")
