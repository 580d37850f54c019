#!/usr/bin/env python3
"""Prints the settings of a new installation, with new secrets, or the configuration of nginx that fits settings.

new_settings.py HOST CONTACT [HEADER]
new_settings.py --nginx FILE

HOST: the public name of the site. CONTACT: the e-mail address that providers may write to. HEADER: the header in which
the web server sends the names of people that it has authenticated, such as X-Remote-User. FILE: the settings. Any
Python 3 runs it.
"""

import base64
import os
import re
import secrets
import sys
from pathlib import Path

SETTINGS = """\
# Settings of this installation; docs/reference/settings.md explains them. Nobody but the site's user may read them.
AGGREGATOR_DATA=/var/lib/aggregator
DATABASE_URL=postgres://%2Fvar%2Frun%2Fpostgresql/aggregator
# A socket for members of the group redis (deploy/redis.conf): a TCP port would be open to every user of the machine.
REDIS_URL=unix:///run/redis/redis-server.sock?db=0
SECRET_KEY={secret_key}
# Keep a copy elsewhere, not with the backups: without it the passwords of providers cannot be read again.
CREDENTIALS_KEYS={credentials_key}
ALLOWED_HOSTS={host},127.0.0.1,localhost
PUBLIC_URL=https://{host}
TRUSTED_PROXIES=127.0.0.1
HARVEST_CONTACT={contact}
# The institution's mail server: invitations, forgotten passwords, notices.
EMAIL_HOST=127.0.0.1
EMAIL_FROM={contact}
LOG_FORMAT=json
METRICS_TOKEN={metrics_token}
"""

SINGLE_SIGN_ON = """\
# The web server sends this secret before the name of a person (docs/how-to/log-in-elsewhere.md).
REMOTE_USER_HEADER={header}
REMOTE_USER_SECRET={secret}
"""
NGINX = Path(__file__).with_name("nginx.conf")
HOST = "books.example.jp"  # in nginx.conf
REMOVED = '    proxy_set_header X-Remote-User "";\n'
SENT_AT_LOGIN = """\
# The name of a person whom this server has authenticated, after the secret that it shares with the program. Everywhere
# but at the login the header is empty, so nothing that a browser sends under this name arrives.
# Nobody is logged in until you write, after the secret and the space, the variable in which the module that
# authenticates puts the name. Write $remote_user only if auth_basic protects the three addresses: elsewhere it is the
# name that a browser claims, and no password has been checked.
map $uri $aggregator_user {{
    default "";
    ~^(/ja|/en)?/login$ "{secret} ";
}}
"""


def main(arguments: list) -> int:
    if len(arguments) == 2 and arguments[0] == "--nginx":
        settings = settings_in(Path(arguments[1]).read_text(encoding="utf-8"))
        print(nginx(settings, NGINX.read_text(encoding="utf-8")), end="")
        return 0
    if not 2 <= len(arguments) <= 3 or "@" not in arguments[1]:
        print(__doc__, file=sys.stderr)
        return 2
    print(new_settings(*arguments), end="")
    return 0


def new_settings(host: str, contact: str, header: str = "") -> str:
    made = {
        "secret_key": secrets.token_urlsafe(50),
        "credentials_key": base64.urlsafe_b64encode(os.urandom(32)).decode(),
        "metrics_token": secrets.token_urlsafe(32),
    }
    single_sign_on = SINGLE_SIGN_ON.format(header=header, secret=secrets.token_urlsafe(32)) if header else ""
    return SETTINGS.format(host=host, contact=contact, **made) + single_sign_on


def settings_in(text: str) -> dict:
    """Return the lines NAME=value of a file."""
    lines = [line.strip() for line in text.splitlines() if "=" in line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def nginx(settings: dict, template: str) -> str:
    """Return nginx.conf with the name of the site, and with the header for the names of people."""
    host = re.sub(r"^https?://|[:/].*$", "", settings.get("PUBLIC_URL", HOST))
    text = template.replace(HOST, host)
    header = settings.get("REMOTE_USER_HEADER", "")
    if not header:
        return text
    sent = f"    proxy_set_header {header} $aggregator_user;\n"
    others = "" if header.lower() == "x-remote-user" else REMOVED
    return SENT_AT_LOGIN.format(secret=settings.get("REMOTE_USER_SECRET", "")) + text.replace(REMOVED, others + sent)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
