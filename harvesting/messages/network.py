"""What went wrong on the way to a provider: addresses, connections, HTTP, archives, credentials.

A reason has a sentence of its own where a librarian would do something else about it: "net.tls.expired" is
the sentence of the code "net.tls" with the reason "expired".
"""

from django.utils.translation import gettext_lazy as _

from harvesting.messages.base import ASK_PROVIDER, CHECK_URL, LATER, Message

ONLY_PUBLIC = _(
    "Only public addresses are harvested. For a server inside your own network the operator sets "
    "HARVEST_ALLOWED_NETWORKS."
)
RENEW = _("Ask the provider to renew or complete its certificate.")
NEW_ADDRESS = _("If the provider confirms the new address, register it; until then the registered one is asked.")
ASK_ACCESS = _("Ask the provider for access, and enter user name and password or key with the feed.")
WRITE_URL = _("Write it as http://… or https://… with the name of the provider's server.")
SMALLER = _("Ask the provider for smaller pages or files; the operator can also raise the limit.")
NEW_ARCHIVE = _("Ask the provider for a new, plain ZIP or gzip file.")

NETWORK: dict[str, Message] = {
    "net.refused_address": Message(
        _("%(url)s leads to an address that must not be harvested (%(reason)s)."), ONLY_PUBLIC
    ),
    "net.refused_address.address": Message(
        _("%(url)s leads to the inner address %(address)s, which must not be harvested."), ONLY_PUBLIC
    ),
    "net.refused_address.port": Message(
        _("%(url)s names port %(port)s; only 80, 443, 8080 and 8443 are harvested."), ONLY_PUBLIC
    ),
    "net.bad_url": Message(_("“%(url)s” is not a URL that can be harvested (%(reason)s)."), CHECK_URL),
    "net.bad_url.scheme": Message(_("“%(url)s” does not begin with http:// or https://."), WRITE_URL),
    "net.bad_url.malformed": Message(_("“%(url)s” is not a complete web address."), WRITE_URL),
    "net.bad_url.userinfo": Message(
        _("“%(url)s” contains a user name or a character that hides the real server."),
        _("Leave user name and password out of the address; they have fields of their own with the feed."),
    ),
    "net.dns": Message(_("The host name in %(url)s is not known."), CHECK_URL),
    "net.dns.silent": Message(_("The name server does not answer just now for the host in %(url)s."), LATER),
    "net.dns.timeout": Message(_("The name server did not answer in time for the host in %(url)s."), LATER),
    "net.connect": Message(_("No connection to %(url)s could be made (%(reason)s)."), CHECK_URL),
    "net.tls": Message(_("The secure connection to %(url)s failed: %(detail)s."), RENEW),
    "net.tls.expired": Message(_("The certificate of %(url)s has expired."), RENEW),
    "net.tls.not_yet_valid": Message(
        _("The certificate of %(url)s is not valid yet."),
        _("Check the clock of this server; otherwise ask the provider to look at its certificate."),
    ),
    "net.tls.self_signed": Message(
        _("The provider signed the certificate of %(url)s itself, so nobody vouches for it."),
        _("Ask the provider for a public certificate, or enter its certificate with the feed after checking it."),
    ),
    "net.tls.unknown_authority": Message(
        _("The certificate of %(url)s was signed by an authority that is not public."),
        _("Ask the provider for the certificate of its authority and enter it with the feed."),
    ),
    "net.tls.host_name": Message(
        _("The certificate of %(url)s belongs to another host name."),
        _("Check the host name in the base URL; otherwise ask the provider for a certificate with this name."),
    ),
    "net.tls.incomplete_chain": Message(
        _("The certificate of %(url)s cannot be traced to a public authority: %(detail)s."),
        _(
            "Mostly the provider's server does not send its intermediate certificate; ask the provider to add it. "
            "If its authority is not public, enter that authority's certificate with the feed."
        ),
    ),
    "net.tls.handshake": Message(
        _("The secure connection to %(url)s broke off before it began: %(detail)s."), ASK_PROVIDER
    ),
    "net.ca_certificate": Message(
        _("The certificate authority entered with the feed cannot be read."),
        _("Enter it as PEM text: it begins with -----BEGIN CERTIFICATE-----."),
    ),
    "net.timeout": Message(_("%(url)s did not answer completely in the time allowed."), ASK_PROVIDER),
    "net.timeout.connect": Message(
        _("The server of %(url)s does not answer at all."),
        _("It may be down, or a firewall in front of it may not let us through. Ask the provider."),
    ),
    "net.host_busy": Message(_("Another harvest has been asking the host %(host)s for too long."), LATER),
    "net.truncated": Message(_("The answer of %(url)s ended before it was complete."), ASK_PROVIDER),
    "net.headers": Message(
        _("The answer of %(url)s begins with more or longer headers than allowed (%(reason)s)."), ASK_PROVIDER
    ),
    "net.too_large": Message(_("The answer of %(url)s is larger than allowed."), SMALLER),
    "net.encoding": Message(_("The answer of %(url)s is compressed in a way that cannot be read."), ASK_PROVIDER),
    "net.gzip_lie": Message(
        _("%(url)s says that its answer is compressed as “%(declared)s”; it really was “%(found)s”."),
        _("It was read all the same. The provider should correct the Content-Encoding header."),
    ),
    "net.redirects": Message(_("%(url)s redirects too often or to nowhere (%(reason)s)."), CHECK_URL),
    "net.redirects.loop": Message(_("%(url)s redirects in a circle (over %(location)s)."), CHECK_URL),
    "net.redirects.too_many": Message(
        _("%(url)s redirects more than five times (the last time to %(location)s)."), CHECK_URL
    ),
    "net.redirects.no_location": Message(
        _("%(url)s says that it has moved, but not where to."), _("Ask the provider for the address in force.")
    ),
    "net.redirects.malformed": Message(
        _("%(url)s redirects to “%(location)s”, which is no address."), _("Ask the provider for the address in force.")
    ),
    "net.redirects.downgrade": Message(
        _("%(url)s redirects from an encrypted to an unencrypted connection (%(location)s)."),
        _("This is refused for safety. Ask the provider to redirect to https://."),
    ),
    "http.moved": Message(_("%(url)s has moved for good to %(location)s."), NEW_ADDRESS),
    "http.lost_query": Message(
        _("%(url)s redirects to %(location)s and loses the question on the way."),
        _("It was asked again with the question. Register the new address if the provider confirms it."),
    ),
    "http.post_redirected": Message(
        _("%(url)s answers POST by a redirect to %(location)s."),
        _("It was asked there by GET. Choose GET with the feed if the provider offers it."),
    ),
    "http.content_type": Message(
        _("%(url)s sends %(found)s but calls it “%(declared)s”."),
        _("It was read all the same. The provider should send the Content-Type text/xml."),
    ),
    "http.charset": Message(
        _("The header of %(url)s names the character encoding %(declared)s, the document %(found)s."),
        _("The document was believed. If characters are wrong, ask the provider which is right."),
    ),
    "http.bot_wall": Message(
        _("A protection against robots (%(wall)s) answers in the place of %(url)s (status %(status)s)."),
        _(
            "Ask the provider's system staff to let this harvester through; asking again does not help. "
            "It can be told by these headers: %(us)s"
        ),
    ),
    "http.401": Message(_("%(url)s asks for a login."), ASK_ACCESS),
    "http.403": Message(
        _("%(url)s refuses us (status 403)."),
        _("Ask the provider to admit this harvester; a firewall or bot protection may be in front."),
    ),
    "http.404": Message(_("There is nothing at %(url)s (status 404)."), CHECK_URL),
    "http.410": Message(_("What was at %(url)s has been removed for good (status 410)."), CHECK_URL),
    "http.429": Message(_("%(url)s asks us to slow down (status 429)."), LATER),
    "http.503": Message(_("%(url)s is busy (status 503)."), LATER),
    "http": Message(_("%(url)s answered with status %(status)s."), ASK_PROVIDER),
    "archive": Message(_("The archive cannot be read: %(detail)s %(member)s"), NEW_ARCHIVE),
    "archive.damaged": Message(_("The archive is damaged: %(detail)s %(member)s"), NEW_ARCHIVE),
    "archive.too_large": Message(_("The archive holds more than allowed: %(detail)s %(member)s"), SMALLER),
    "archive.bomb": Message(_("The archive grows beyond all measure when it is unpacked: %(member)s"), NEW_ARCHIVE),
    "archive.missing": Message(
        _("The archive does not contain “%(member)s”."), _("Ask the provider to make the archive again.")
    ),
    "archive.encrypted": Message(
        _("The archive is protected by a password: %(member)s"), _("Ask the provider for one without a password.")
    ),
    "credentials.keys": Message(
        _("The keys for stored passwords (CREDENTIALS_KEYS or the key file) cannot be used."),
        _("The operator sets the keys of this installation as the README says."),
    ),
    "credentials.unreadable": Message(
        _("The stored password or key of this feed was sealed with another key and cannot be opened."),
        _("The operator sets the earlier key in CREDENTIALS_KEYS, or enters the password again with the feed."),
    ),
    "credentials.header": Message(
        _("The stored password or key of this feed cannot be sent: it contains characters that no header may have."),
        _("Enter it again with the feed."),
    ),
}
