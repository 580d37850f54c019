"""No pattern repeats something that can be divided in two ways: such a pattern may try all divisions of a hostile text.

"編著編著…" is so many times 編著, or 編 and 著; each pair doubles the time, so sixty characters take hours. The
repeated part is tried with sample words: if two of them one after the other are a third one, it is ambiguous. A
possessive repeat (`++`, `*+`) tries one division only. Not found: two branches that match the very same word.

Nor does a class of characters name one twice: a wide sign has become a narrow one there.
"""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice, product
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # they have no public names
from types import ModuleType
from typing import Any

import pytest

from tests.modules import modules
from tests.sources import TOGETHER, nodes_in

_WORDS, _SIGNS = 300, 12  # sample words of a part, and signs of a class of characters
_STARTED = ("aggregator.wsgi", "__main__")  # they need a site, or start one


def words(part: Iterable[tuple[Any, Any]]) -> list[str]:
    """Some texts that a part of a pattern matches, without regard to what stands around them."""
    choices = [_words_of(operation, argument) for operation, argument in part]
    return list(dict.fromkeys("".join(chosen) for chosen in islice(product(*choices), _WORDS)))


def _words_of(operation: Any, argument: Any) -> list[str]:
    if operation is _constants.LITERAL:
        return [chr(argument)]
    if operation is _constants.IN:
        return list(islice(_signs(argument), _SIGNS)) or ["x"]
    if operation in _REPEATS:
        least, most, inner = argument
        return [word * count for count in (least, least + 1) if count <= most for word in words(inner)]
    if inside := _inside(operation, argument):
        return [word for part in inside for word in words(part)]
    return ["x"] if operation in (_constants.ANY, _constants.NOT_LITERAL) else [""]


def _inside(operation: Any, argument: Any) -> list[Any]:
    """The parts in a group or in branches."""
    if operation is _constants.BRANCH:
        return list(argument[1])
    if operation is _constants.SUBPATTERN:
        return [argument[3]]
    return [argument] if operation is _constants.ATOMIC_GROUP else []


def _signs(items: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    for operation, argument in items:
        if operation is _constants.LITERAL:
            yield chr(argument)
        elif operation is _constants.RANGE:
            yield chr(argument[0])
        elif operation is _constants.CATEGORY:
            yield from _OF_CATEGORY.get(argument, "x")
        elif operation is _constants.NEGATE:
            return


_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_OF_CATEGORY = {
    _constants.CATEGORY_DIGIT: "1",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_NOT_WORD: "-",
}


def repeated(part: Iterable[tuple[Any, Any]]) -> Iterator[Any]:
    """The parts that a pattern repeats without limit and could divide anew, at any depth."""
    for operation, argument in part:
        inside = _inside(operation, argument)
        if operation in _REPEATS:
            inside = [argument[2]]
            if argument[1] is _constants.MAXREPEAT and operation is not _constants.POSSESSIVE_REPEAT:
                yield argument[2]
        elif operation in (_constants.ASSERT, _constants.ASSERT_NOT):
            inside = [argument[1]]
        for inner in inside:
            yield from repeated(inner)


def ambiguity(pattern: re.Pattern[str] | re.Pattern[bytes]) -> str:
    """Two words whose concatenation is a third one in a repeated part of the pattern; "" if there are none."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    for part in repeated(_parser.parse(text, pattern.flags)):
        if len(part) == 1 and part[0][0] in (_constants.IN, _constants.LITERAL, _constants.ANY):
            continue  # one character
        is_word = _compiler.compile(part, pattern.flags).fullmatch
        samples = [word for word in words(part) if word and is_word(word)]
        for one, other in product(samples, samples):
            if is_word(one + other):
                return f"{one} + {other}"
    return ""


def patterns(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns that a module keeps: as such, as their methods (`re.compile(…).match`), or in containers."""
    for name, value in vars(module).items():
        yield from ((f"{module.__name__}.{name}", pattern) for pattern in _patterns_in(value, 3))


def _patterns_in(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    owner = getattr(value, "__self__", value)
    if isinstance(owner, re.Pattern):
        yield owner
    elif depth and isinstance(value, tuple | list | frozenset | set):
        for item in value:
            yield from _patterns_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from _patterns_in(item, depth - 1)


def test_no_pattern_repeats_what_can_be_divided_in_two_ways() -> None:
    kept = [
        found for name in modules() if not name.endswith(_STARTED) for found in patterns(importlib.import_module(name))
    ]
    assert len(kept) > 400
    assert {where: words_found for where, pattern in kept if (words_found := ambiguity(pattern))} == {}


@pytest.mark.parametrize(
    "pattern", ["(?:編著|編|著)+x", "(?:[a-z]+)*x", "(?:n(?![aiueo])|(?:ny?|y)a)+", "(?:甲(?:・乙)?|・?乙)*x"]
)
def test_an_ambiguous_repeat_is_found(pattern: str) -> None:
    assert ambiguity(re.compile(pattern))


@pytest.mark.parametrize("pattern", ["(?:編著|編|著)++x", "(?:[a-z]+,)*x", "(?:ab|a)+x", '"(?:[^"]|"")*"', "[a-z]+x"])
def test_a_repeat_with_one_division_is_not(pattern: str) -> None:
    assert not ambiguity(re.compile(pattern))


def first_signs(part: Iterable[tuple[Any, Any]], flags: int) -> tuple[set[str], bool]:
    """The characters that a text of this part of a pattern may begin with, and whether it may have none.

    Conditions about what stands around a place take no character and are left out: the pattern may begin with fewer.
    """
    found: set[str] = set()
    for operation, argument in part:
        if operation in (_constants.ASSERT, _constants.ASSERT_NOT, _constants.AT):
            continue
        signs, empty = _first_of(operation, argument, flags)
        found |= signs
        if not empty:
            return found, False
    return found, True


def _first_of(operation: Any, argument: Any, flags: int) -> tuple[set[str], bool]:
    if operation in _REPEATS:
        signs, empty = first_signs(argument[2], flags)
        return signs, empty or argument[0] == 0
    if inside := _inside(operation, argument):
        inner_flags = flags | argument[1] & ~argument[2] if operation is _constants.SUBPATTERN else flags
        branches = [first_signs(part, inner_flags) for part in inside]
        return set().union(*(signs for signs, _empty in branches)), any(empty for _signs, empty in branches)
    is_sign = _compiler.compile(_parsed([(operation, argument)], flags), flags).fullmatch
    return {sign for sign in _SIGNS_OF_UNICODE if is_sign(sign)}, False


def _parsed(items: list[tuple[Any, Any]], flags: int) -> Any:
    state = _parser.State()
    state.flags = flags
    return _parser.SubPattern(state, items)


_SIGNS_OF_UNICODE = [chr(number) for number in range(0x10000)]  # the patterns name none beyond


def condition(pattern: re.Pattern[str] | re.Pattern[bytes]) -> tuple[set[str], set[str]] | None:
    """Of a pattern that begins with a condition for the next character: those that it admits, and those with which
    what follows may begin. None for others.
    """
    if not isinstance(pattern.pattern, str):
        return None
    parsed = list(_parser.parse(pattern.pattern, pattern.flags))
    if not parsed or parsed[0][0] is not _constants.ASSERT or parsed[0][1][0] < 0:
        return None
    admitted, _empty = first_signs(parsed[0][1][1], pattern.flags)
    signs, empty = first_signs(parsed[1:], pattern.flags)
    return admitted, set(_SIGNS_OF_UNICODE) if empty else signs


def test_a_condition_for_the_first_character_admits_all_with_which_the_pattern_may_begin() -> None:
    """A new alternative with another first character would never be tried."""
    found = {
        where: signs
        for name in modules()
        if not name.endswith(_STARTED)
        for where, pattern in patterns(importlib.import_module(name))
        if (signs := condition(pattern))
    }
    assert {"aggregator.matching.features.titles._VOLUME", "aggregator.matching.features.titles._SUBTITLE"} <= set(
        found
    )
    assert {where: needed - admitted for where, (admitted, needed) in found.items() if needed - admitted} == {}


@pytest.mark.parametrize(
    ("pattern", "missing"),
    [
        (r"(?=[\s:])(?: *:|\s+x)", ""),
        (r"(?=[\s:])(?: *:|\s*x)", "x"),
        ("(?=[ab])(?:a|b|c|cd)", "c"),
        ("(?=[ab])(?:a|(?i:b))", "B"),
        ("(?=[ab])(?<=c)(?:a|(?!b)[bc])", "c"),
    ],
)
def test_a_beginning_that_is_not_admitted_is_found(pattern: str, missing: str) -> None:
    admitted, needed = condition(re.compile(pattern)) or (set(), set())
    assert needed - admitted == set(missing)
    assert condition(re.compile(pattern.partition(")")[2])) is None


_CLASS = re.compile(r"(?<!\\)\[\^?\]?((?:\\.|[^\]\\])*)\]")
_ONE = r"(?:\\U[0-9a-fA-F]{8}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|.)"
_MEMBER = re.compile(rf"{_ONE}(?:-{_ONE})?", re.DOTALL)


def doubled(pattern: str) -> list[str]:
    """The classes of characters of a pattern that name one twice, as `[::]` where the second was to be a wide sign."""
    classes = [(found[0], _MEMBER.findall(found[1])) for found in _CLASS.finditer(pattern)]
    return [text for text, members in classes if len(set(members)) < len(members)]


def written_patterns(node: ast.AST) -> Iterator[str]:
    """The texts in the first argument of a function of `re`."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
        for part in ast.walk(node.args[0]):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


@TOGETHER
def test_no_class_of_characters_names_one_twice() -> None:
    written = [
        (name, pattern)
        for name, path in modules().items()
        for node in nodes_in(path)
        for pattern in written_patterns(node)
    ]
    assert len(written) > 400
    assert {name: found for name, pattern in written if (found := doubled(pattern))} == {}


@pytest.mark.parametrize(
    ("pattern", "classes"), [(r"原題[::]", ["[::]"]), (r"\[[^]a-z\]:：]+[)）]", []), ("[a-cxa-c]", ["[a-cxa-c]"])]
)
def test_a_doubled_sign_is_found(pattern: str, classes: list[str]) -> None:
    assert doubled(pattern) == classes
