"""What Accept-Encoding says. Pure."""


def accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header asks for gzip: by name, else by "*"; q=0 refuses. "" asks for nothing."""
    qualities = {}
    for each in accepted.lower().split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        quality = next((part.removeprefix("q=") for part in parameters if part.startswith("q=")), "1")
        qualities[name] = _is_more_than_nothing(quality)
    return qualities.get("gzip", qualities.get("x-gzip", qualities.get("*", False)))


def _is_more_than_nothing(quality: str) -> bool:
    try:
        return float(quality) > 0
    except ValueError:
        return False
