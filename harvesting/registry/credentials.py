"""Encryption of secrets in the database with keys that are stored outside it. No database access.

Fernet (AES-128-CBC with HMAC-SHA256). The first key encrypts, all keys decrypt, so that keys can be changed while the
site runs (`manage.py rotate_credentials`).
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
    """Encrypt a text. Raises TransportError "credentials.keys" if the keys of the installation cannot be used."""
    return _cipher().encrypt(text.encode())


@sensitive_variables()
def unseal(data: bytes) -> str:
    """Decrypt the result of `seal`. Raises TransportError "credentials.unreadable" if no key fits.

    The text is remembered by `core.redaction`, so that it is hidden in log messages.
    """
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
    """Encrypt credentials for `Feed.credentials`; b"" for no credentials."""
    return seal(json.dumps(asdict(credentials), ensure_ascii=False)) if credentials.kind else b""


@sensitive_variables()
def open_credentials(data: bytes) -> Credentials:
    """Decrypt `Feed.credentials`. Raises TransportError like `unseal`."""
    if not data:
        return NO_CREDENTIALS
    opened = Credentials(**json.loads(unseal(data)))
    remember(opened.forms())
    return opened


@sensitive_variables()
def reseal(data: bytes) -> bytes:
    """Encrypt a secret again with the first key. Raises TransportError like `unseal`."""
    return seal(unseal(data)) if data else b""


def new_key() -> str:
    """A random key, as CREDENTIALS_KEYS and the key file hold it."""
    return Fernet.generate_key().decode()


def key_file() -> Path:
    return Path(settings.DATA_DIR) / KEY_FILE


@sensitive_variables()
def keys() -> list[str]:
    """The keys from CREDENTIALS_KEYS, else from the lines of the key file, which is created if it does not exist."""
    if settings.CREDENTIALS_KEYS:
        return list(settings.CREDENTIALS_KEYS)
    if not key_file().exists():
        write_keys([new_key()], replace=False)
    return key_file().read_text(encoding="ascii").split()


@sensitive_variables()
def write_keys(lines: list[str], *, replace: bool) -> None:
    """Write the key file atomically, readable only for this user.

    replace: whether to overwrite an existing file; otherwise the file of the process that was first stays.
    """
    key_file().parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=key_file().parent, prefix=f".{KEY_FILE}")  # with mode 0600
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
        return  # another process has created the key file in the meantime: keep that file


@sensitive_variables()
def _cipher() -> MultiFernet:
    try:
        return MultiFernet([Fernet(key) for key in keys()])
    except (ValueError, OSError):
        raise TransportError(
            "CREDENTIALS_KEYS or the key file cannot be used", "credentials.keys", permanent=True
        ) from None
