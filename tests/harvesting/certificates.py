"""Self-signed certificates for tests."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID


def pem(days: int = 365) -> str:
    """The PEM text of a certificate that expires in this many days (negative: it has expired)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca.example.jp")])
    expiry = datetime.now(UTC) + timedelta(days=days)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, expiry - timedelta(days=1000), expiry)
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()
