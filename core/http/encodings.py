"""Reads Accept-Encoding headers. Pure."""


def accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header accepts gzip: by name, else by "*". q=0 refuses; "" accepts nothing."""
    qualities = {}
    for coding in accepted.lower().split(","):
        name, *parameters = (part.strip() for part in coding.split(";"))
        quality = next((part.removeprefix("q=") for part in parameters if part.startswith("q=")), "1")
        qualities[name] = _is_positive(quality)
    return qualities.get("gzip", qualities.get("x-gzip", qualities.get("*", False)))


def _is_positive(quality: str) -> bool:
    try:
        return float(quality) > 0
    except ValueError:
        return False
