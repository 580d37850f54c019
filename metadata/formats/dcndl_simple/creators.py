"""Recognises statements of responsibility in Japanese cataloguing ("原田智子, 江草由佳 共著") among headings. Pure."""

import re
from collections.abc import Iterable

from metadata.record import Agent

# Roles as they end a statement under NCR (日本目録規則); brackets mark what the cataloguer supplied.
_ROLE = (
    r"[共編原合]?著[作述者]?|著編|編[集纂著修者訳]*|[共編][集纂著修訳]+|[共監翻抄完]?訳[注註編著者]?|校[注註訂閲]?|監[修訳督]|修|"
    r"[原共]?[作文絵画]|[作原]画|文・写真|写真(?:・文)?|絵と文|[口講]?述|[選撰注註]|解[説題]|音楽|作[曲詞]|"
    r"演奏|指揮|演出|脚本|撮影|出演|朗読|責任編集|編集代表|企画|制作|ほか編|ほか著"
)
# Roles that may follow a name without a blank ("夏目漱石著"): not 文, 作 or 修, because names can end in them.
_END = r"\[?(?:[共編原]?著|[共監]?訳|共?編|監修)\]?"
# Atomic (?>…): a run of roles can be divided in many ways (文・写真), which must not all be tried.
_ONE_ROLE = rf"(?>(?:{_ROLE})(?=・|\]?\Z))"
# A last word after a comma is the given name in a heading ("柳沢, 文"), not a role.
_STATEMENT = re.compile(
    rf"(?P<name>\S(?:.*[^\s,、])?)\s+(?P<role>\[?{_ONE_ROLE}(?:・{_ONE_ROLE})*+\]?)\Z"
    rf"|(?P<front>\S.*?[^\s,、])(?P<end>{_END})\Z"
)
_SEPARATOR = re.compile(r"\s*[,、]\s*")


def is_statement(text: str) -> bool:
    return _STATEMENT.match(text) is not None


def people(statement: str) -> list[Agent]:
    """Return the people whom a statement names, with their role; [] for any other text.

    A comma separates people, because names on title pages are not inverted.
    """
    match = _STATEMENT.match(statement)
    if match is None:
        return []
    role = (match["role"] or match["end"]).strip("[]")
    return [Agent(name=name, role=role) for name in _SEPARATOR.split(match["name"] or match["front"]) if name]


def all_people(statements: Iterable[str]) -> list[Agent]:
    """Return the people whom several statements name, without repetition.

    An author may be named again as the editor of the same book.
    """
    by_name: dict[str, Agent] = {}
    for statement in statements:
        for person in people(statement):
            by_name.setdefault(person.name, person)
    return list(by_name.values())
