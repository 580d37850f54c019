"""Parses Range headers (RFC 9110, section 14). Pure."""

import re

_ONE = re.compile(r"bytes\s*=\s*([0-9]*)-([0-9]*)", re.ASCII)
MAX_DIGITS = 20  # digits of a position


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the first and the last byte. size: bytes of the whole content.

    None means the whole content: also for several ranges, and if the header is malformed. Raises ValueError if the
    range is not satisfiable (416).
    """
    match = _ONE.fullmatch(header.strip())
    if not match or not any(match.groups()) or max(map(len, match.groups())) > MAX_DIGITS:
        return None
    first, last = match.groups()
    if not first:  # the last n bytes
        start, end = max(size - int(last), 0), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < start:
            return None
    if start >= size or (not first and not int(last)):
        raise ValueError(header)
    return start, end
