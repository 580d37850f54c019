"""The query language of the search box, parsed into a tree. Independent of the search engine.

    猫 犬               both                      title:こころ   著者:漱石   only in that field
    "吾輩は猫である"      these words adjacent      year:1990-2000   1990..2000
    猫 OR 犬   猫 | 犬    one of them                -漫画   NOT 漫画     without it
    (猫 OR 犬) 写真      brackets first            AND, OR, NOT are operators in capitals only

NOT binds tighter than spaces and AND, these tighter than OR. Quotes, brackets, colons, hyphens and spaces may be
full-width. Malformed input is read as a person means it: a quote or bracket without its partner is ignored, an
operator without an operand is a word. ISBNs are recognised anywhere outside "…"; if there are several, a book needs
only one of them. After isbn:, issn:, jpno: and identifier:, a star at the end of a number finds all that begin so.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, cast

from aggregator.search.base import MAX_CHARACTERS, QueryError
from aggregator.search.query.words import NUMBERS, number_tree
from aggregator.search.tree import MAX_DEPTH, MAX_NODES, All, Either, Field, Node, Not, Phrase, Word, Years, combine
from metadata.identifiers import normalise

PREFIXES: dict[str, str] = {
    **dict.fromkeys("title ti タイトル 書名 題名 標題 誌名 論題".split(), "title"),
    **dict.fromkeys("creator author au 著者 著者名 作者 編者 訳者 責任表示".split(), "creator"),
    **dict.fromkeys("publisher 出版者 出版社 出版者名 発行所 発行者".split(), "publisher"),
    **dict.fromkeys("subject 件名 主題 キーワード".split(), "subject"),
    **dict.fromkeys("journal 掲載誌 掲載誌名 収録誌".split(), "journal"),
    **dict.fromkeys("ndc 分類 分類記号".split(), "ndc"),
    **dict.fromkeys("jpno 全国書誌番号".split(), "jpno"),
    **dict.fromkeys("identifier doi ncid 番号 書誌id".split(), "identifier"),
    **dict.fromkeys("year 年 出版年 刊行年 発行年".split(), "year"),
    "isbn": "isbn",
    "issn": "issn",
}
_WIDE = {code: code + 0xFEE0 for code in range(ord("A"), ord("z") + 1)}
_NAMES = "|".join(sorted({*PREFIXES, *(name.translate(_WIDE) for name in PREFIXES)}, key=len, reverse=True))
_YEAR = "[0-9０-９]{3,4}年?"
_DASH = "-－−‐–〜～~"
# The first alternative that matches wins. A hyphen excludes only before a word, without a space in between.
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
# 10 or 13 digits with hyphens or spaces in between and perhaps a label before them; the check digit is tested later.
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
    """Return the tree of a text typed into a field ("" is the box for everything); All() if there is nothing in it.

    Raises QueryError: too_long, too_deep_brackets, too_many_conditions; the latter two say where.
    """
    check_length(text, field or "q")
    text = _encodable(text).translate(_QUOTES)
    rest, isbns = _take_isbns(text) if not field else (text, [])
    tree = _Parser(list(_tokens(rest)), field).whole()
    if not isbns:
        return tree
    numbers = combine(list(isbns), Either)
    return numbers if tree == All() else combine([numbers, tree])


def check_length(text: str, name: str) -> None:
    """Raise QueryError for more text than people type."""
    if len(text) > MAX_CHARACTERS:
        raise QueryError("too_long", field=name, limit=MAX_CHARACTERS, length=len(text))


def _encodable(text: str) -> str:
    """Remove lone surrogates, which engines reject."""
    return text.encode("utf-8", "ignore").decode()


def _take_isbns(text: str) -> tuple[str, list[Node]]:
    """The text without the valid ISBNs outside its quotes, and these ISBNs."""
    isbns: dict[str, Node] = {}

    def collect(match: re.Match[str]) -> str:
        number = normalise("ISBN", unicodedata.normalize("NFKC", match[0]).upper())
        if not number:
            return match[0]
        isbns[number] = Word(number, "isbn")
        return " "

    outside_quotes = [
        part if part.startswith('"') else _ISBN.sub(collect, part) for part in re.split(r'("[^"]*")', text)
    ]
    return "".join(outside_quotes), list(isbns.values())


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        kind = "years" if match["years"] else "prefix" if match["prefix"] else kind
        if kind != "skipped":
            yield _Token(kind, match[0], match.start())


class _Parser:
    """Parses tokens from the left; `field` is where words without a prefix are searched."""

    def __init__(self, tokens: list[_Token], field: Field) -> None:
        self._tokens = tokens
        self._field = field
        self._position = 0
        self._depth = 0
        self._nodes = 0

    def whole(self) -> Node:
        """Parse all tokens; a closing bracket without an opening one is ignored."""
        nodes: list[Node] = []
        while self._position < len(self._tokens):
            nodes.append(self._either())
            if self._is_next("close"):
                self._position += 1
        return combine(nodes) if nodes else All()

    def _either(self) -> Node:
        alternatives = [self._all()]
        while self._is_next("either") or self._is_next("word", "OR"):
            operator = self._next()
            if operator.kind == "word" and not self._operand_follows(alternatives[-1]):
                alternatives[-1] = combine([alternatives[-1], self._leaf(operator, self._field), self._all()])
            else:
                alternatives.append(self._all())
        filled = [alternative for alternative in alternatives if alternative != All()]
        return combine(filled, Either) if filled else All()

    def _operand_follows(self, before: Node) -> bool:
        """Whether an operator has an operand on both sides."""
        return before != All() and self._position < len(self._tokens) and not self._is_next("close")

    def _all(self) -> Node:
        nodes: list[Node] = []
        while self._position < len(self._tokens) and not self._ends():
            if self._is_next("word", "AND") and nodes and self._has_more_after():
                self._position += 1
                continue
            nodes.append(self._operand(self._field))
        return combine(nodes) if nodes else All()

    def _ends(self) -> bool:
        return self._is_next("close") or self._is_next("either") or self._is_next("word", "OR")

    def _has_more_after(self) -> bool:
        return self._position + 1 < len(self._tokens) and self._tokens[self._position + 1].kind != "close"

    def _operand(self, field: Field) -> Node:
        """Parse a word, a phrase or a bracketed part, possibly negated or in another field."""
        token = self._next()
        if token.kind == "not" or _operator(token) == "NOT":
            return self._negated(token, field)
        if token.kind == "open":
            return self._bracketed(token, field)
        if token.kind == "prefix":
            return self._in_field(token, field)
        return self._leaf(token, field)

    def _negated(self, token: _Token, field: Field) -> Node:
        if not self._has_operand():
            return self._leaf(token, field)
        operand = self._operand(field)
        return operand.of if isinstance(operand, Not) else Not(operand)

    def _bracketed(self, token: _Token, field: Field) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise QueryError("too_deep_brackets", limit=MAX_DEPTH, place=token.place + 1)
        outer, self._field = self._field, field
        inside = self._either()
        self._field = outer
        self._depth -= 1
        if self._is_next("close"):
            self._position += 1
        return inside

    def _in_field(self, token: _Token, field: Field) -> Node:
        """Parse what follows a prefix; with nothing after it, the prefix is a word."""
        name = PREFIXES[unicodedata.normalize("NFKC", token.text).rstrip(": \t\u3000").strip().lower()]
        if not self._has_operand():
            return self._leaf(token, field)
        if name == "year":
            return self._years(self._next(), field)
        return self._operand(cast(Field, name))

    def _has_operand(self) -> bool:
        return self._position < len(self._tokens) and self._tokens[self._position].kind not in ("close", "either")

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
        return number_tree(token.text, field) if field in NUMBERS else Word(token.text, field)

    def _count(self, token: _Token) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise QueryError("too_many_conditions", limit=MAX_NODES, place=token.place + 1)

    def _next(self) -> _Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def _is_next(self, kind: str, operator: str = "") -> bool:
        if self._position >= len(self._tokens) or self._tokens[self._position].kind != kind:
            return False
        return not operator or _operator(self._tokens[self._position]) == operator


def _operator(token: _Token) -> str:
    """AND, OR or NOT in capitals, half- or full-width; "" for other words."""
    if token.kind != "word" or len(token.text) > 3:
        return ""
    plain = unicodedata.normalize("NFKC", token.text)
    return plain if plain in ("AND", "OR", "NOT") else ""
