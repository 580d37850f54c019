"""Credentials for a provider and the HTTP header that they become.

No Django and no encryption: `harvesting.registry.credentials` stores and opens them.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

BASIC, BEARER, HEADER = KINDS = ("basic", "bearer", "header")
RESERVED_HEADERS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "cookie", "te", "upgrade", "expect"}
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The credentials for one provider.

    kind: "basic" (username and secret), "bearer" (a token), "header" (an API key), "" for none.

    secret: the password, token or key. header: the name of the header that carries an API key.
    """

    kind: str = ""
    username: str = ""
    secret: str = field(default="", repr=False)
    header: str = ""

    @property
    def usable(self) -> bool:
        """Whether the credentials fit into a header (RFC 9110, 5.1, 5.5) that neither frames nor routes the request."""
        if self.kind == HEADER and (not _TOKEN.fullmatch(self.header) or self.header.lower() in RESERVED_HEADERS):
            return False
        if self.kind == BASIC:
            return ":" not in self.username
        return self.kind in {"", *KINDS} and all(" " < letter <= "~" for letter in self.secret)

    def headers(self) -> dict[str, str]:
        """Return the header to send; {} without credentials."""
        if self.kind == BASIC:
            return {"Authorization": f"Basic {self._basic()}"}
        if self.kind == BEARER:
            return {"Authorization": f"Bearer {self.secret}"}
        if self.kind == HEADER:
            return {self.header: self.secret}
        return {}

    def redacted(self, text: str) -> str:
        """Return the text without the secret in any of its forms: a server may echo what it received."""
        for form in self.forms():
            text = text.replace(form, "***")
        return text

    def redacting_writer(self, write: Callable[[bytes], object]) -> "RedactingWriter":
        """A writer that redacts a body received in pieces."""
        return RedactingWriter(write, tuple(form.encode() for form in self.forms()))

    def _basic(self) -> str:
        return base64.b64encode(f"{self.username}:{self.secret}".encode()).decode()  # RFC 7617, in UTF-8

    def forms(self) -> list[str]:
        """The secret in every form in which it may appear in a text."""
        if not self.secret:
            return []
        basic = [self._basic()] if self.kind == BASIC else []
        return [*basic, self.secret, quote(self.secret, safe="")]


NO_CREDENTIALS = Credentials()


class RedactingWriter:
    """Passes on pieces of a body without the secrets, even where a secret is split between two pieces."""

    def __init__(self, write: Callable[[bytes], object], secrets: tuple[bytes, ...]) -> None:
        self._write, self._secrets = write, secrets
        self._overlap = max((len(secret) for secret in secrets), default=1) - 1
        self._tail = b""

    def write(self, piece: bytes) -> None:
        if not self._secrets:
            self._write(piece)
            return
        data = self._tail + piece
        for secret in self._secrets:
            data = data.replace(secret, b"***")
        end = max(len(data) - self._overlap, 0)
        self._tail = data[end:]
        self._write(data[:end])

    def finish(self) -> None:
        """Pass on the bytes that were held back because a secret might begin in them."""
        self._write(self._tail)
