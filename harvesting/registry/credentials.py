"""Secrets of providers at rest: sealed with a key that is not in the database. Knows settings, no tables.

Fernet (AES-128-CBC with HMAC-SHA256). The first key seals, all of them open, so that keys can be changed
while the site runs: `manage.py rotate_credentials`.
"""

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from core.redaction import remember
from harvesting.http.authorization import NO_CREDENTIALS, Credentials
from harvesting.types import TransportError

KEY_FILE = "credentials_key"


@sensitive_variables()
def seal(text: str) -> bytes:
    """The text, encrypted. TransportError "credentials.keys" if the installation's keys cannot be used."""
    return _cipher().encrypt(text.encode())


@sensitive_variables()
def open_sealed(data: bytes) -> str:
    """What `seal` was given. TransportError "credentials.unreadable" if none of our keys has sealed it."""
    try:
        text = _cipher().decrypt(bytes(data)).decode()
    except InvalidToken:
        raise TransportError(
            "the stored credentials were sealed with another key", "credentials.unreadable", permanent=True
        ) from None
    remember([text])
    return text


@sensitive_variables()
def seal_credentials(credentials: Credentials) -> bytes:
    """For `Feed.credentials`; b"" for no credentials."""
    return seal(json.dumps(asdict(credentials), ensure_ascii=False)) if credentials.kind else b""


@sensitive_variables()
def open_credentials(data: bytes) -> Credentials:
    """From `Feed.credentials`. TransportError as `open_sealed`."""
    if not data:
        return NO_CREDENTIALS
    opened = Credentials(**json.loads(open_sealed(data)))
    remember(opened.forms())
    return opened


@sensitive_variables()
def resealed(data: bytes) -> bytes:
    """The same secret under the first key. TransportError as `open_sealed`."""
    return seal(open_sealed(data)) if data else b""


def new_key() -> str:
    return Fernet.generate_key().decode()


def key_file() -> Path:
    return Path(settings.DATA_DIR) / KEY_FILE


@sensitive_variables()
def keys() -> list[str]:
    """CREDENTIALS_KEYS, else the lines of the key file, which is made here if there is none."""
    if settings.CREDENTIALS_KEYS:
        return list(settings.CREDENTIALS_KEYS)
    if not key_file().exists():
        write_keys([new_key()], replace=False)
    return key_file().read_text(encoding="ascii").split()


@sensitive_variables()
def write_keys(lines: list[str], *, replace: bool) -> None:
    """Write the key file, readable for us only and whole at any moment. Not `replace`: who comes first wins."""
    key_file().parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=key_file().parent, prefix=f".{KEY_FILE}")  # 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        if replace:
            Path(name).replace(key_file())
        else:
            _link(Path(name))
    finally:
        Path(name).unlink(missing_ok=True)


def _link(written: Path) -> None:
    try:
        os.link(written, key_file())
    except FileExistsError:
        return  # another process has made one meanwhile: that one counts


@sensitive_variables()
def _cipher() -> MultiFernet:
    try:
        return MultiFernet([Fernet(key) for key in keys()])
    except (ValueError, OSError):
        raise TransportError(
            "CREDENTIALS_KEYS or the key file cannot be used", "credentials.keys", permanent=True
        ) from None
