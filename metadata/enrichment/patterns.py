"""Patterns of enrichment rules, by RE2 (https://github.com/google/re2/wiki/Syntax). Pure.

The time that RE2 takes is linear in the length of the text, whatever the pattern, and the sizes of both are limited
here. So no rule can stop a harvest, and a result never depends on how busy the machine is, as with a limit in seconds.
"""

import re
from functools import lru_cache
from typing import Any

import re2

LONGEST_PATTERN = 200  # characters
LONGEST_TEXT = 5_000  # characters; longer texts are left as they are
LARGEST_PROGRAM = 1_000  # instructions of a compiled pattern
MEMORY = 2**20  # bytes of a compiled pattern

_GROUP = re.compile(r"\\(.?)", re.DOTALL)  # "\1" to "\9" in a replacement, "\\" for a backslash
_SAMPLES = ("", "a", "あ 1", "a, b.\n")  # texts in which a pattern must not match the empty string


class PatternError(ValueError):
    """A pattern or its replacement that is refused. code: the reason."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code} {detail}".rstrip())
        self.code, self.detail = code, detail


def check_pattern(pattern: str, replacement: str = "") -> None:
    """Raise PatternError if the pattern or its replacement cannot be used."""
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError("pattern_long")
    if r"\C" in pattern:  # a single byte: half of a character
        raise PatternError("pattern_wrong", r"\C")
    try:
        compiled = _compile(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0]
        raise PatternError(
            "pattern_wrong", reason.decode(errors="replace") if isinstance(reason, bytes) else ""
        ) from error
    if compiled.programsize > LARGEST_PROGRAM:
        raise PatternError("pattern_large")
    if any(not match[0] for sample in _SAMPLES for match in compiled.finditer(sample)):
        raise PatternError("pattern_empty")
    for name in _GROUP.findall(replacement):
        if name != "\\" and not (name.isascii() and name.isdigit() and int(name) <= compiled.groups):
            raise PatternError("replacement_wrong", f"\\{name}")


def substitute(pattern: str, replacement: str, text: str) -> str:
    """Replace every match of a pattern that was checked. A text that is too long is returned as it is."""
    if len(text) > LONGEST_TEXT:
        return text
    try:
        return str(_compile(pattern).sub(lambda match: _expanded(match, replacement), text))
    except UnicodeEncodeError:  # lone surrogates, which JSON can carry
        return text


def _expanded(match: Any, replacement: str) -> str:
    """Return the replacement with its groups filled in; a match without characters is never replaced."""
    if not match[0]:
        return ""
    return _GROUP.sub(lambda name: "\\" if name[1] == "\\" else match[int(name[1])] or "", replacement)


@lru_cache(maxsize=256)
def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False
    return re2.compile(pattern, options)
