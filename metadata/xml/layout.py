"""Lays out a payload for reading: one element a line, indented, in coloured parts. Pure; does not parse.

A text that is not balanced XML keeps its own lines, so that the line of a syntax error is the one that is named. The
time is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

DEEPEST = 20  # levels that are indented; elements that are nested more deeply stay at this one

_TOKEN = re.compile(r"<!--|<!\[CDATA\[|<[^<>]*>|[^<]+")
_CLOSED_BY = {"<!--": "-->", "<![CDATA[": "]]>"}
_NAME = re.compile(r"</?([^\s/<>]+)")
_TAG_PART = re.compile(r"(?P<name></?[^\s/<>]+)|(?P<attribute>[^\s=<>\"']+)|(?P<string>\"[^\"]*\"|'[^']*')")

OPEN, CLOSE, EMPTY, NOTE, TEXT = "open", "close", "empty", "note", "text"


class Line(NamedTuple):
    """A line: the characters from start to end (not included), and how deep the element is nested."""

    start: int
    end: int
    depth: int = 0


class Part(NamedTuple):
    """Characters of one kind: "name" of an element, "attribute", "string", "note" (a comment), or "" for others."""

    start: int
    end: int
    kind: str


class _Token(NamedTuple):
    kind: str
    start: int
    end: int


def lines(text: str) -> list[Line]:
    """Return the lines of a text from its beginning. Blank text between elements belongs to no line."""
    tokens = _balanced(text)
    return list(_by_element(text, tokens) if tokens else _as_sent(text))


def parts(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield the parts of a range that begins at the edge of a line; together they are the whole range."""
    for token in _tokens(text, start, end):
        if token.kind in {TEXT, NOTE}:
            yield Part(token.start, token.end, "note" if token.kind == NOTE else "")
            continue
        position = token.start
        for match in _TAG_PART.finditer(text, token.start, token.end):
            if match.start() > position:
                yield Part(position, match.start(), "")
            yield Part(match.start(), match.end(), match.lastgroup or "")
            position = match.end()
        if position < token.end:
            yield Part(position, token.end, "")


def _tokens(text: str, start: int, end: int) -> Iterator[_Token]:
    """Yield tags, comments and texts. Something that is not closed is text up to the end."""
    position = start
    while position < end:
        match = _TOKEN.match(text, position, end)
        if match is None:
            yield _Token(TEXT, position, end)
            return
        stop, kind = match.end(), _kind(match[0])
        if match[0] in _CLOSED_BY:
            found = text.find(_CLOSED_BY[match[0]], stop, end)
            stop = end if found < 0 else found + 3
            kind = NOTE if match[0] == "<!--" else TEXT
        yield _Token(kind, position, stop)
        position = stop


def _kind(token: str) -> str:
    if token[0] != "<":
        return TEXT
    if token[1:2] in {"?", "!"}:
        return NOTE
    if token[1:2] == "/":
        return CLOSE
    return EMPTY if token[-2:-1] == "/" else OPEN


def _balanced(text: str) -> list[_Token]:
    """Return the tokens of a text in which each element that begins also ends; nothing for any other text."""
    tokens, names = [], []
    for token in _tokens(text, 0, len(text)):
        if token.kind == OPEN:
            names.append(_name(text, token))
        is_unmatched = token.kind == CLOSE and (not names or names.pop() != _name(text, token))
        if is_unmatched or _is_stray(text, token):
            return []
        tokens.append(token)
    return tokens if not names and any(token.kind in {OPEN, EMPTY} for token in tokens) else []


def _is_stray(text: str, token: _Token) -> bool:
    """Whether a token is a "<" that begins no tag."""
    return token.kind == TEXT and text.startswith("<", token.start) and not text.startswith("<!", token.start)


def _name(text: str, token: _Token) -> str:
    """The name in a tag, "" if there is none."""
    match = _NAME.match(text, token.start, token.end)
    return match[1] if match else ""


def _by_element(text: str, tokens: list[_Token]) -> Iterator[Line]:
    """Yield a line for each element; one that holds only text is on a single line with its end tag."""
    line, depth, is_open = Line(0, 0), 0, False  # is_open: the line begins with an element that has no child so far
    for token in tokens:
        if token.kind == TEXT and not is_open and not text[token.start : token.end].strip():
            continue
        depth -= token.kind == CLOSE
        if is_open and token.kind in {TEXT, CLOSE}:
            line = line._replace(end=token.end)
        else:
            if line.end:
                yield _trimmed(text, line)
            line = Line(token.start, token.end, depth)
        is_open = token.kind == OPEN or (is_open and token.kind == TEXT)
        depth += token.kind == OPEN
    yield _trimmed(text, line)


def _trimmed(text: str, line: Line) -> Line:
    """The line without blank characters at its edges."""
    shown = text[line.start : line.end]
    start = line.start + len(shown) - len(shown.lstrip())
    return Line(start, max(start, line.start + len(shown.rstrip())), min(line.depth, DEEPEST))


def _as_sent(text: str) -> Iterator[Line]:
    start = 0
    for match in re.finditer(r"\r\n?|\n", text):
        yield Line(start, match.start())
        start = match.end()
    if start < len(text) or not text:
        yield Line(start, len(text))
