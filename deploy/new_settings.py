#!/usr/bin/env python3
"""Prints the settings of a new installation, with new secrets: new_settings.py HOST CONTACT. Any Python 3 runs it.

HOST: the public name of the site. CONTACT: the e-mail address that providers may write to.
"""

import base64
import os
import secrets
import sys

SETTINGS = """\
# Settings of this installation; docs/reference/settings.md explains them. Nobody but the site's user may read them.
AGGREGATOR_DATA=/var/lib/aggregator
DATABASE_URL=postgres://%2Fvar%2Frun%2Fpostgresql/aggregator
REDIS_URL=redis://127.0.0.1:6379/0
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


def main(arguments: list) -> int:
    if len(arguments) != 2 or "@" not in arguments[1]:
        print(__doc__, file=sys.stderr)
        return 2
    host, contact = arguments
    made = {
        "secret_key": secrets.token_urlsafe(50),
        "credentials_key": base64.urlsafe_b64encode(os.urandom(32)).decode(),
        "metrics_token": secrets.token_urlsafe(32),
    }
    print(SETTINGS.format(host=host, contact=contact, **made), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
