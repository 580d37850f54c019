"""What a provider gave us to prove who asks, and the header it becomes. No Django, no keys: see `credentials`."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

BASIC, BEARER, HEADER = KINDS = ("basic", "bearer", "header")
RESERVED = frozenset({"host", "connection", "content-length", "transfer-encoding", "cookie", "te", "upgrade", "expect"})
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """kind: "basic" (username and secret), "bearer" (a token), "header" (an API key), "" for none.

    secret: the password, token or key. header: the name of the header that carries an API key.
    """

    kind: str = ""
    username: str = ""
    secret: str = field(default="", repr=False)
    header: str = ""

    @property
    def usable(self) -> bool:
        """Whether this can be sent: RFC 9110, 5.1 and 5.5, and no header that frames or routes the request."""
        if self.kind == HEADER and (not _TOKEN.fullmatch(self.header) or self.header.lower() in RESERVED):
            return False
        if self.kind == BASIC:
            return ":" not in self.username
        return self.kind in {"", *KINDS} and all(" " < letter <= "~" for letter in self.secret)

    def headers(self) -> dict[str, str]:
        """The header to send; {} without credentials."""
        if self.kind == BASIC:
            return {"Authorization": f"Basic {self._basic()}"}
        if self.kind == BEARER:
            return {"Authorization": f"Bearer {self.secret}"}
        if self.kind == HEADER:
            return {self.header: self.secret}
        return {}

    def redacted(self, text: str) -> str:
        """The text without the secret, in whichever form it was sent: a server may send back what it was sent."""
        for form in self.forms():
            text = text.replace(form, "***")
        return text

    def redacting(self, write: Callable[[bytes], object]) -> "Redacting":
        """The same for a body that comes in pieces."""
        return Redacting(write, tuple(form.encode() for form in self.forms()))

    def _basic(self) -> str:
        return base64.b64encode(f"{self.username}:{self.secret}".encode()).decode()  # RFC 7617, in UTF-8

    def forms(self) -> list[str]:
        """The secret as it may be written anywhere."""
        if not self.secret:
            return []
        basic = [self._basic()] if self.kind == BASIC else []
        return [*basic, self.secret, quote(self.secret, safe="")]


NO_CREDENTIALS = Credentials()


class Redacting:
    """Hands pieces on without the secrets, also where one is cut by the border of two pieces."""

    def __init__(self, write: Callable[[bytes], object], secrets: tuple[bytes, ...]) -> None:
        self._write, self._secrets = write, secrets
        self._kept = max((len(secret) for secret in secrets), default=1) - 1
        self._tail = b""

    def write(self, piece: bytes) -> None:
        if not self._secrets:
            self._write(piece)
            return
        data = self._tail + piece
        for secret in self._secrets:
            data = data.replace(secret, b"***")
        end = max(len(data) - self._kept, 0)
        self._tail = data[end:]
        self._write(data[:end])

    def finish(self) -> None:
        """Hand on what was kept back."""
        self._write(self._tail)
