"""What people type into a search box, read as a tree. Pure; knows no engine.

    猫 犬               both                      title:こころ   著者:漱石   only there
    "吾輩は猫である"      these words together       year:1990-2000   1990..2000
    猫 OR 犬   猫 | 犬    one of them                -漫画   NOT 漫画     without it
    (猫 OR 犬) 写真      brackets come first        AND, OR, NOT are operators in capitals only

NOT binds before blanks and AND, these before OR. Quotes, brackets, colons, hyphens and blanks may be of full width.
Whatever is not well-formed is read as a person means it: a quote or a bracket without its partner is ignored, an
operator with nothing beside it is a word. ISBNs are found wherever they stand; of several, one is enough.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, cast

from aggregator.search.base import MAX_CHARACTERS, QueryError
from aggregator.search.tree import MAX_DEPTH, MAX_NODES, All, Either, Field, Node, Not, Phrase, Word, Years, together
from metadata.identifiers import normalise

PREFIXES: dict[str, str] = {
    **dict.fromkeys("title ti タイトル 書名 題名 標題 誌名 論題".split(), "title"),
    **dict.fromkeys("creator author au 著者 著者名 作者 編者 訳者 責任表示".split(), "creator"),
    **dict.fromkeys("publisher 出版者 出版社 出版者名 発行所 発行者".split(), "publisher"),
    **dict.fromkeys("subject 件名 主題 キーワード".split(), "subject"),
    **dict.fromkeys("ndc 分類 分類記号".split(), "ndc"),
    **dict.fromkeys("identifier jpno doi ncid 番号 全国書誌番号 書誌id".split(), "identifier"),
    **dict.fromkeys("year 年 出版年 刊行年 発行年".split(), "year"),
    "isbn": "isbn",
    "issn": "issn",
}
_WIDE = {code: code + 0xFEE0 for code in range(ord("A"), ord("z") + 1)}
_NAMES = "|".join(sorted({*PREFIXES, *(name.translate(_WIDE) for name in PREFIXES)}, key=len, reverse=True))
_YEAR = "[0-9０-９]{3,4}年?"
_DASH = "-－−‐–〜～~"
# The first that fits at a place. A hyphen excludes only where a word could begin, and only what follows at once.
_TOKEN = re.compile(
    rf"""(?P<quoted>   "[^"]*" | 「[^「」]*」 | 『[^『』]*』 )
       | (?P<open>     [(（] )
       | (?P<close>    [)）] )
       | (?P<either>   [|｜]+ )
       | (?P<not>      (?<![^\s(（|｜:：]) [-－−] (?=[^\s\-－−)）|｜]) )
       | (?P<years>    (?<![^\s(（]) (?P<first>{_YEAR}) \s* (?:\.\.|．．|‥) \s* (?P<last>{_YEAR}) (?![^\s)）|｜]) )
       | (?P<prefix>   (?<![^\s(（|｜\-－−]) (?P<name>{_NAMES}) \s?[:：]\s* )
       | (?P<skipped>  [\s"「」『』]+ )
       | (?P<word>     [^\s"「」『』()（）|｜]+ )""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = {ord(quote): '"' for quote in "“”„‟＂〝〞〟"}
# 10 or 13 digits with hyphens or blanks between them, which a label may precede; what they are is asked after.
_ISBN = re.compile(
    r"(?:(?<![-－−])ISBN(?:-?1[03])?[\s:：]*|(?<![0-9０-９\-:：]))"
    r"[0-9０-９](?:[\s\-－−‐–]?[0-9０-９]){8,11}[\s\-－−‐–]?[0-9０-９XxＸｘ](?![0-9０-９\-])",
    re.IGNORECASE,
)
_YEAR_SPAN = re.compile(rf"([0-9]{{1,4}})?年?(?:({'|'.join(map(re.escape, _DASH))}|\.\.)([0-9]{{1,4}})?年?)?")


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def parse(text: str, field: Field = "") -> Node:
    """The tree of what was typed into a field ("" is the box for everything); All() where that is nothing.

    Raises QueryError: too_long, too_deep_brackets, too_many_conditions; each says where.
    """
    check_length(text, field or "q")
    text = _encodable(text).translate(_QUOTES)
    rest, isbns = _take_isbns(text) if not field else (text, [])
    tree = _Parser(list(_tokens(rest)), field).whole()
    if not isbns:
        return tree
    numbers = together(list(isbns), Either)
    return numbers if tree == All() else together([numbers, tree])


def check_length(text: str, name: str) -> None:
    """Raises QueryError for more text than people type."""
    if len(text) > MAX_CHARACTERS:
        raise QueryError("too_long", field=name, limit=MAX_CHARACTERS, length=len(text))


def _encodable(text: str) -> str:
    """Without lone surrogates, which no engine can be given."""
    return text.encode("utf-8", "ignore").decode()


def _take_isbns(text: str) -> tuple[str, list[Node]]:
    """The text without the valid ISBNs that stand in it, and these."""
    found: dict[str, Node] = {}

    def take(match: re.Match[str]) -> str:
        number = normalise("ISBN", unicodedata.normalize("NFKC", match[0]).upper())
        if not number:
            return match[0]
        found[number] = Word(number, "isbn")
        return " "

    outside_quotes = [part if part.startswith('"') else _ISBN.sub(take, part) for part in re.split(r'("[^"]*")', text)]
    return "".join(outside_quotes), list(found.values())


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        kind = "years" if match["years"] else "prefix" if match["prefix"] else kind
        if kind != "skipped":
            yield _Token(kind, match[0], match.start())


class _Parser:
    """Reads tokens from the left; `field` is where words without a prefix are looked for."""

    def __init__(self, tokens: list[_Token], field: Field) -> None:
        self._tokens = tokens
        self._field = field
        self._at = 0
        self._depth = 0
        self._nodes = 0

    def whole(self) -> Node:
        """All there is; a closing bracket that nothing has opened is passed over."""
        found: list[Node] = []
        while self._at < len(self._tokens):
            found.append(self._either())
            if self._next_is("close"):
                self._at += 1
        return together(found) if found else All()

    def _either(self) -> Node:
        alternatives = [self._all()]
        while self._next_is("either") or self._next_is("word", "OR"):
            operator = self._take()
            if operator.kind == "word" and not self._operand_follows(alternatives[-1]):
                alternatives[-1] = together([alternatives[-1], self._leaf(operator, self._field), self._all()])
            else:
                alternatives.append(self._all())
        filled = [each for each in alternatives if each != All()]
        return together(filled, Either) if filled else All()

    def _operand_follows(self, before: Node) -> bool:
        """Whether there is something on both sides of an operator."""
        return before != All() and self._at < len(self._tokens) and not self._next_is("close")

    def _all(self) -> Node:
        found: list[Node] = []
        while self._at < len(self._tokens) and not self._ends():
            if self._next_is("word", "AND") and found and self._more_after():
                self._at += 1
                continue
            found.append(self._one(self._field))
        return together(found) if found else All()

    def _ends(self) -> bool:
        return self._next_is("close") or self._next_is("either") or self._next_is("word", "OR")

    def _more_after(self) -> bool:
        return self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].kind != "close"

    def _one(self, field: Field) -> Node:
        """A word, a phrase, what stands in brackets; also without it, or in another field."""
        token = self._take()
        if token.kind == "not" or _operator(token) == "NOT":
            return self._without(token, field)
        if token.kind == "open":
            return self._bracketed(token, field)
        if token.kind == "prefix":
            return self._in_field(token, field)
        return self._leaf(token, field)

    def _without(self, token: _Token, field: Field) -> Node:
        if not self._something_follows():
            return self._leaf(token, field)
        with_it = self._one(field)
        return with_it.of if isinstance(with_it, Not) else Not(with_it)

    def _bracketed(self, token: _Token, field: Field) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise QueryError("too_deep_brackets", limit=MAX_DEPTH, place=token.place + 1)
        outer, self._field = self._field, field
        inside = self._either()
        self._field = outer
        self._depth -= 1
        if self._next_is("close"):
            self._at += 1
        return inside

    def _in_field(self, token: _Token, field: Field) -> Node:
        """What follows a prefix; with nothing behind it, it is a word."""
        name = PREFIXES[unicodedata.normalize("NFKC", token.text).rstrip(": \t\u3000").strip().lower()]
        if not self._something_follows():
            return self._leaf(token, field)
        if name == "year":
            return self._years(self._take(), field)
        return self._one(cast(Field, name))

    def _something_follows(self) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].kind not in ("close", "either")

    def _years(self, token: _Token, field: Field) -> Node:
        if token.kind == "years":
            return self._leaf(token, field)
        plain = unicodedata.normalize("NFKC", token.text.strip('"'))
        match = _YEAR_SPAN.fullmatch(plain)
        if not match or not (match[1] or match[3]):
            return self._leaf(token, field)
        first, last = int(match[1] or 0), int(match[3] or 0)
        self._count(token)
        return Years(first, last if match[2] else first)

    def _leaf(self, token: _Token, field: Field) -> Node:
        self._count(token)
        if token.kind == "quoted":
            return Phrase(token.text[1:-1], field)
        if token.kind == "years":
            first, last = re.findall("[0-9]+", unicodedata.normalize("NFKC", token.text))
            return Years(int(first), int(last))
        return Word(token.text, field)

    def _count(self, token: _Token) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise QueryError("too_many_conditions", limit=MAX_NODES, place=token.place + 1)

    def _take(self) -> _Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _next_is(self, kind: str, operator: str = "") -> bool:
        if self._at >= len(self._tokens) or self._tokens[self._at].kind != kind:
            return False
        return not operator or _operator(self._tokens[self._at]) == operator


def _operator(token: _Token) -> str:
    """AND, OR or NOT in capitals, of either width; "" for other words."""
    if token.kind != "word" or len(token.text) > 3:
        return ""
    plain = unicodedata.normalize("NFKC", token.text)
    return plain if plain in ("AND", "OR", "NOT") else ""
