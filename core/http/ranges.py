"""What a Range header asks for (RFC 9110, section 14). Pure."""

import re

_ONE = re.compile(r"bytes\s*=\s*([0-9]*)-([0-9]*)", re.ASCII)
LONGEST = 20  # digits


def asked(header: str, size: int) -> tuple[int, int] | None:
    """First and last byte; None: all of it, as for several ranges and for what is no range. Raises ValueError.

    ValueError: it lies outside (416).
    """
    found = _ONE.fullmatch(header.strip())
    if not found or not any(found.groups()) or max(map(len, found.groups())) > LONGEST:
        return None
    first, last = found.groups()
    if not first:  # the last so many bytes
        start, end = max(size - int(last), 0), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < start:
            return None
    if start >= size or (not first and not int(last)):
        raise ValueError(header)
    return start, end
