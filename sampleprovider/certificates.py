"""Certificates for scenarios about TLS, made when needed and not stored."""

import ipaddress
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

YEAR = timedelta(days=365)
# What can be wrong with a certificate. "own-ca" is valid for clients that trust the authority.
FLAWS = ("expired", "self-signed", "no-intermediate", "other-name", "own-ca")

Key = ec.EllipticCurvePrivateKey
Pair = tuple[x509.Certificate, Key]


@lru_cache(maxsize=64)
def authority(name: str = "Sample CA") -> Pair:
    """A certificate authority; the same one for the whole process."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _signed(name, key, (None, key), is_authority=True), key


@cache
def intermediate() -> Pair:
    """An intermediate authority, signed by `authority`."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _signed("Sample intermediate CA", key, authority(), is_authority=True), key


def authority_pem() -> str:
    """Return the authority's certificate, which clients must trust for "own-ca" and "no-intermediate"."""
    return authority()[0].public_bytes(serialization.Encoding.PEM).decode()


def context_for(flaw: str) -> ssl.SSLContext:
    """Return the TLS context of a server whose certificate has one of FLAWS."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer: tuple[x509.Certificate | None, Key] = authority()
    if flaw == "self-signed":
        issuer = (None, key)
    elif flaw == "no-intermediate":
        issuer = intermediate()
    certificate = _signed(
        "other.example" if flaw == "other-name" else "127.0.0.1", key, issuer, age=2 if flaw == "expired" else 0
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "server.pem")
        path.write_bytes(_pem(certificate, key))
        context.load_cert_chain(path)
    return context


def server_pem(name: str) -> bytes:
    """Key and certificate of a server with this name or address, signed by `authority`."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _pem(_signed(name, key, authority()), key)


def _pem(certificate: x509.Certificate, key: Key) -> bytes:
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return private + certificate.public_bytes(serialization.Encoding.PEM)


def _signed(
    name: str, key: Key, issuer: tuple[x509.Certificate | None, Key], *, age: int = 0, is_authority: bool = False
) -> x509.Certificate:
    """A certificate valid for one year, from `age` years ago; self-signed if the issuer has no certificate."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    start = datetime.now(UTC) - timedelta(days=1) - age * YEAR
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer[0] else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + YEAR)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer[1].public_key()), critical=False)
    )
    if is_authority:
        builder = builder.add_extension(_usage(), critical=True)
    else:
        builder = builder.add_extension(x509.SubjectAlternativeName([_alternative(name)]), critical=False)
    return builder.sign(issuer[1], hashes.SHA256())


def _usage() -> x509.KeyUsage:
    """The key usage of an authority (RFC 5280, section 4.2.1.3), which strict clients require."""
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
