"""Recognises pages of bot protection services (captchas, challenges), whatever their HTTP status. Pure function.

Retrying is useless or harmful: the provider's staff must let the harvester through.
"""

from collections.abc import Mapping

INSPECTED_BYTES = 64 * 1024
PAGE_HEAD_BYTES = 1024  # bytes in which a web page is recognised
WALL_STATUSES = frozenset({200, 202, 401, 403, 405, 429, 503})

# (header, beginning of its value, vendor)
HEADER_MARKS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-amzn-waf-action", "", "AWS WAF"),
    ("x-datadome", "", "DataDome"),
    ("x-sucuri-block", "", "Sucuri"),
)
# (text in lower case, vendor): texts that occur only on challenge pages
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
# Texts that occur on ordinary pages too, and count only with an error status.
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
    """Return the vendor whose bot protection answered instead of the provider; "" if none is recognised.

    headers: names in lower case.
    """
    if status not in WALL_STATUSES:
        return ""
    if body and not _is_page(body[:PAGE_HEAD_BYTES].lower()):
        return ""
    for name, value, owner in HEADER_MARKS:
        if name in headers and headers[name].lower().startswith(value):
            return owner
    start = body[:INSPECTED_BYTES].lower()
    marks = CHALLENGE_MARKS if status < 300 else CHALLENGE_MARKS + REFUSAL_MARKS
    return next((owner for mark, owner in marks if mark in start), "")


def _is_page(start: bytes) -> bool:
    """Whether this is an HTML page. XML is content, even if a record mentions captchas."""
    return b"<html" in start or start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<!doctype html")
