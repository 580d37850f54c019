"""Names that providers state: which of them are worth confirming by a person. Pure."""

import re
from collections.abc import Collection

from metadata.formats import READABLE

# What a software states before somebody has named the repository.
DEFAULTS = ("DSpace at My University", "DSpace", "My DSpace Repository", "EPrints", "OAI Repository", "Repository")


def name_worth_confirming(stated: str, technical: Collection[str]) -> str:
    """The name that a provider states, without a repetition in brackets; "" if it is none: the name of a format, or
    what a software has before somebody changes it. technical: further words that are no names, such as the host.
    """
    name = " ".join(stated.split())
    repeated = re.fullmatch(r"(.+?) ?[((](.+)[))]", name)
    if repeated and repeated[1] == repeated[2]:
        name = repeated[1]
    words = {word.casefold() for word in (*technical, *READABLE, *DEFAULTS)}
    return "" if name.casefold() in words or not any(letter.isalpha() for letter in name) else name
