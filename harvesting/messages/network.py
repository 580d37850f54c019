"""What went wrong on the way to a provider: addresses, connections, HTTP, archives, credentials.

A reason has a sentence of its own where a librarian would do something else about it: "net.tls.expired" is
the sentence of the code "net.tls" with the reason "expired".
"""

from harvesting.texts import ASK_PROVIDER, CHECK_URL, LATER, Message, _

ONLY_PUBLIC = _(
    "Only public addresses can be harvested. For a server inside your own network, the "
    "operator must set HARVEST_ALLOWED_NETWORKS."
)
RENEW = _("Ask the provider to renew its certificate, or to install the missing intermediate certificate.")
NEW_ADDRESS = _("If the provider confirms the new address, register it. Until then, the registered address is used.")
ASK_ACCESS = _("Ask the provider for access, and enter the user name and password, or the key, in the feed's settings.")
WRITE_URL = _("Write it as http://… or https://… with the name of the provider's server.")
SMALLER = _("Ask the provider for smaller pages or files; the operator can also raise the limit.")
NEW_ARCHIVE = _("Ask the provider for a new, plain ZIP or gzip file.")

NETWORK: dict[str, Message] = {
    "net.refused_address": Message(
        _("%(url)s leads to an address that may not be harvested (%(reason)s)."), ONLY_PUBLIC
    ),
    "net.refused_address.address": Message(
        _("%(url)s leads to the internal address %(address)s, which may not be harvested."), ONLY_PUBLIC
    ),
    "net.refused_address.port": Message(
        _("%(url)s uses port %(port)s; only ports 80, 443, 8080 and 8443 can be harvested."), ONLY_PUBLIC
    ),
    "net.bad_url": Message(_("“%(url)s” is not a URL that can be harvested (%(reason)s)."), CHECK_URL),
    "net.bad_url.scheme": Message(_("“%(url)s” does not begin with http:// or https://."), WRITE_URL),
    "net.bad_url.malformed": Message(_("“%(url)s” is not a complete web address."), WRITE_URL),
    "net.bad_url.userinfo": Message(
        _("“%(url)s” contains a user name or a character that hides the real server."),
        _("Leave the user name and password out of the address; the feed has separate fields for them."),
    ),
    "net.dns": Message(_("The host name in %(url)s was not found."), CHECK_URL),
    "net.dns.silent": Message(_("The name server is not responding at the moment for the host in %(url)s."), LATER),
    "net.dns.timeout": Message(_("The name server did not answer in time for the host in %(url)s."), LATER),
    "net.connect": Message(_("Could not connect to %(url)s (%(reason)s)."), CHECK_URL),
    "net.tls": Message(_("The secure connection to %(url)s failed: %(detail)s."), RENEW),
    "net.tls.expired": Message(_("The certificate of %(url)s has expired."), RENEW),
    "net.tls.not_yet_valid": Message(
        _("The certificate of %(url)s is not valid yet."),
        _("Check the clock of this server. If it is right, ask the provider to check its certificate."),
    ),
    "net.tls.self_signed": Message(
        _("The certificate of %(url)s is self-signed: no certificate authority vouches for it."),
        _(
            "Ask the provider to use a certificate from a publicly trusted certificate authority, or check "
            "its certificate and enter it in the feed's settings."
        ),
    ),
    "net.tls.unknown_authority": Message(
        _("The certificate of %(url)s was signed by a certificate authority that is not publicly trusted."),
        _("Ask the provider for the certificate of its certificate authority and enter it in the feed's settings."),
    ),
    "net.tls.host_name": Message(
        _("The certificate of %(url)s belongs to another host name."),
        _(
            "Check the host name in the base URL. If it is right, ask the provider for a certificate "
            "for this host name."
        ),
    ),
    "net.tls.incomplete_chain": Message(
        _("The certificate of %(url)s cannot be traced to a publicly trusted certificate authority: %(detail)s."),
        _(
            "In most cases, the provider's server does not send its intermediate certificate; ask "
            "the provider to add it. If its certificate authority is not publicly trusted, enter the "
            "authority's certificate in the feed's settings."
        ),
    ),
    "net.tls.handshake": Message(
        _("The secure connection to %(url)s broke off while it was being set up: %(detail)s."), ASK_PROVIDER
    ),
    "net.ca_certificate": Message(
        _("The certificate authority entered in the feed's settings cannot be read."),
        _("Enter it as PEM text: it begins with -----BEGIN CERTIFICATE-----."),
    ),
    "net.timeout": Message(_("The response from %(url)s was not completed within the time limit."), ASK_PROVIDER),
    "net.timeout.connect": Message(
        _("The server of %(url)s is not responding."),
        _("The server may be down, or a firewall may be blocking the connection. Contact the provider."),
    ),
    "net.host_busy": Message(
        _("No connection was made to the host %(host)s: another harvest has been using it for too long."), LATER
    ),
    "net.truncated": Message(_("The response from %(url)s ended before it was complete."), ASK_PROVIDER),
    "net.headers": Message(
        _("The response from %(url)s has more or longer headers than allowed (%(reason)s)."), ASK_PROVIDER
    ),
    "net.too_large": Message(_("The response from %(url)s is larger than allowed."), SMALLER),
    "net.encoding": Message(_("The compressed response from %(url)s cannot be decompressed."), ASK_PROVIDER),
    "net.gzip_lie": Message(
        _("%(url)s declares its response as compressed with “%(declared)s”, but it was “%(found)s”."),
        _("The response could still be read. The provider should correct the Content-Encoding header."),
    ),
    "net.redirects": Message(
        _("%(url)s redirects too often, or its redirect has no valid target (%(reason)s)."), CHECK_URL
    ),
    "net.redirects.loop": Message(_("%(url)s redirects in a loop (via %(location)s)."), CHECK_URL),
    "net.redirects.too_many": Message(
        _("%(url)s redirects more than five times (the last time to %(location)s)."), CHECK_URL
    ),
    "net.redirects.no_location": Message(
        _("%(url)s says that it has moved but does not give the new address."),
        _("Ask the provider for the current address."),
    ),
    "net.redirects.malformed": Message(
        _("%(url)s redirects to “%(location)s”, which is not a valid address."),
        _("Ask the provider for the current address."),
    ),
    "net.redirects.downgrade": Message(
        _("%(url)s redirects from an encrypted to an unencrypted connection (%(location)s)."),
        _("The redirect was refused for security reasons. Ask the provider to redirect to https://."),
    ),
    "http.moved": Message(_("%(url)s has moved permanently to %(location)s."), NEW_ADDRESS),
    "http.lost_query": Message(
        _("%(url)s redirects to %(location)s and drops the request parameters."),
        _("The request was repeated with its parameters. Register the new address if the provider confirms it."),
    ),
    "http.post_redirected": Message(
        _("%(url)s responds to POST with a redirect to %(location)s."),
        _("The request was repeated there with GET. Choose GET in the feed's settings if the provider supports it."),
    ),
    "http.content_type": Message(
        _("%(url)s sends %(found)s but declares it as “%(declared)s”."),
        _("The response could still be read. The provider should send the Content-Type text/xml."),
    ),
    "http.charset": Message(
        _(
            "The HTTP header of %(url)s declares the character encoding %(declared)s, but the "
            "document declares %(found)s."
        ),
        _(
            "The encoding declared in the document was used. If characters are garbled, ask the provider which encoding is right."
        ),
    ),
    "http.bot_wall": Message(
        _("Bot protection (%(wall)s) responded instead of %(url)s (status %(status)s)."),
        _(
            "Ask the provider's technical staff to let this harvester through; retrying does not "
            "help. The harvester can be identified by these headers: %(us)s"
        ),
    ),
    "http.401": Message(_("%(url)s requires a login."), ASK_ACCESS),
    "http.403": Message(
        _("%(url)s denied access (status 403)."),
        _("Ask the provider to allow this harvester; a firewall or bot protection may be blocking it."),
    ),
    "http.404": Message(_("There is nothing at %(url)s (status 404)."), CHECK_URL),
    "http.410": Message(_("The resource at %(url)s has been removed permanently (status 410)."), CHECK_URL),
    "http.429": Message(_("%(url)s asks for requests at longer intervals (status 429)."), LATER),
    "http.503": Message(_("%(url)s is busy (status 503)."), LATER),
    "http": Message(_("%(url)s answered with status %(status)s."), ASK_PROVIDER),
    "archive": Message(_("The archive cannot be read: %(detail)s %(member)s"), NEW_ARCHIVE),
    "archive.damaged": Message(_("The archive is damaged: %(detail)s %(member)s"), NEW_ARCHIVE),
    "archive.too_large": Message(_("The contents of the archive exceed the limits: %(detail)s %(member)s"), SMALLER),
    "archive.bomb": Message(_("The archive becomes excessively large when it is unpacked: %(member)s"), NEW_ARCHIVE),
    "archive.missing": Message(
        _("The archive does not contain “%(member)s”."), _("Ask the provider to create the archive again.")
    ),
    "archive.encrypted": Message(
        _("The archive is password-protected: %(member)s"), _("Ask the provider for an archive without a password.")
    ),
    "credentials.keys": Message(
        _("The keys that encrypt stored passwords (CREDENTIALS_KEYS or the key file) cannot be used."),
        _("The operator must set CREDENTIALS_KEYS to the keys of this installation (docs/reference/settings.md)."),
    ),
    "credentials.unreadable": Message(
        _("The stored password or key of this feed was encrypted with another key and cannot be decrypted."),
        _(
            "The operator must set the earlier key in CREDENTIALS_KEYS, or enter the password again "
            "in the feed's settings."
        ),
    ),
    "credentials.header": Message(
        _(
            "The stored password or key of this feed cannot be sent: it contains characters that are "
            "not allowed in an HTTP header."
        ),
        _("Enter it again in the feed's settings."),
    ),
}
