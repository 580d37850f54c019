"""The number in a designation of a volume or an issue, for formats that say by themselves what it counts. Pure."""

import re

_NUMBERED = re.compile(r"(?:第|vol(?:ume)?\.?|no\.?)?\s*([0-9]+)\s*[巻号]?", re.IGNORECASE)


def bare_number(text: str) -> str:
    """Return the number alone of "第3巻", "vol. 3" or "第2号"; any other text as it is."""
    match = _NUMBERED.fullmatch(text)
    return match[1] if match else text
