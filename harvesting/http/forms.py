"""Forms with files, as bodies for `Fetcher.deliver`. No network access."""

from collections.abc import Mapping

from urllib3.filepost import encode_multipart_formdata

type FormField = str | tuple[str, bytes, str]  # a value; or a file: its name, bytes and media type


def form_body(fields: Mapping[str, FormField]) -> tuple[bytes, str]:
    """Encode a form (RFC 7578); return the body and its Content-Type."""
    return encode_multipart_formdata(fields)
