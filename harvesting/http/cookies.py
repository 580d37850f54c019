"""Cookies of a fetcher: kept for the host that set them, in a bounded number, or not at all. No HTTP."""

from http.cookiejar import DefaultCookiePolicy

from requests.cookies import RequestsCookieJar

MAX_COOKIES = 50
MAX_COOKIE_BYTES = 16 * 1024


def new_jar(*, kept: bool) -> RequestsCookieJar:
    """Return an empty jar; kept: whether it takes cookies."""
    return RequestsCookieJar(DefaultCookiePolicy(allowed_domains=None if kept else ()))


def limit_cookies(cookies: RequestsCookieJar) -> None:
    """Drop all cookies if there are too many, so that a server that keeps sending new ones cannot fill the memory."""
    if (
        len(cookies) > MAX_COOKIES
        or sum(len(cookie.name) + len(cookie.value or "") for cookie in cookies) > MAX_COOKIE_BYTES
    ):
        cookies.clear()
