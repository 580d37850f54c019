"""Names for citations: family and given name, and the role as author, editor or translator. Pure; independent of the
output formats.

A name is split only where it has a comma in the record ("夏目, 漱石, 1867-1916"); any other name stays whole.
"""

import re
from collections.abc import Iterator

import msgspec
from msgspec import structs

from metadata.record import Agent, BibliographicRecord

PERSON, BODY = "person", "body"
AUTHOR, EDITOR, TRANSLATOR, ILLUSTRATOR, COMPOSER, CONTRIBUTOR = (
    "author",
    "editor",
    "translator",
    "illustrator",
    "composer",
    "contributor",
)


class Name(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A name: family, given and suffix, or `literal` alone. kind: PERSON, BODY, or "" if unknown.

    role: one of the six above; printed_role: as in the record. agent: the agent that the name was derived from.
    """

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""
    kind: str = ""
    role: str = AUTHOR
    printed_role: str = ""
    agent: Agent

    @property
    def inverted(self) -> str:
        """ "Natsume, Soseki", with the suffix last; the whole name if it has no parts."""
        return ", ".join(filter(None, (self.family, self.given, self.suffix))) or self.literal

    @property
    def natural(self) -> str:
        """In natural order: 夏目漱石, Edwin McClellan. A katakana name stays inverted: its natural order is unknown."""
        if not self.family or _KATAKANA.fullmatch(self.family):
            return self.inverted
        if _EAST_ASIAN.match(self.family):
            return f"{self.family}{self.given}"
        return " ".join(filter(None, (self.given, self.family, self.suffix)))


def is_east_asian(name: Name) -> bool:
    """Whether the name has no Latin letters: then it has no initials, and the family name comes first."""
    return not _LATIN.search(name.inverted)


def names(record: BibliographicRecord) -> tuple[Name, ...]:
    """Return the names of creators and contributors, creators first.

    If there are neither, the names of the statement of responsibility. If there are only contributors, those without a
    role count as authors (DSpace exports authors as dc:contributor).
    """
    responsible = [agent for text in record.responsibility for agent in _parse_responsibility(text)]
    creators = record.creators or (() if record.contributors else responsible)
    all_names = [_name(agent, AUTHOR) for agent in creators]
    printed = {_folded(agent.name): agent.role for agent in responsible}
    contributors = [_with_role(agent, printed) for agent in record.contributors]
    all_names += [_name(agent, CONTRIBUTOR if creators or agent.role else AUTHOR) for agent in contributors]
    return tuple(dict.fromkeys(name for name in all_names if name.inverted))


def _with_role(agent: Agent, printed: dict[str, str]) -> Agent:
    """Add the role that follows the name ("見本花子 編") or is in the statement of responsibility."""
    if agent.role:
        return agent
    match = _WITH_ROLE.fullmatch(agent.name) if "," not in agent.name else None
    name, role = (match[1], match[2] or match[3]) if match else (agent.name, printed.get(_folded(agent.name), ""))
    return structs.replace(agent, name=name, role=role) if role else agent


def _folded(name: str) -> str:
    """Return the name without dates, comma and blanks, to compare a heading with the name on the title page."""
    family, given, _suffix = _parts(name)
    return f"{family}{given}" or "".join(name.split())


def _name(agent: Agent, default: str) -> Name:
    role = _ROLES.get(agent.role.strip(" .[]").lower(), default)
    if default == AUTHOR and role in (ILLUSTRATOR, COMPOSER):
        role = AUTHOR  # the illustrator of a picture book or the composer of a score, if named as creator
    family, given, suffix = ("", "", "") if agent.is_body else _parts(agent.name)
    return Name(
        family=family,
        given=given,
        suffix=suffix,
        literal="" if family else _whole_name(agent),
        kind=PERSON if family else _kind(agent),
        role=role,
        printed_role=agent.role,
        agent=agent,
    )


def _parts(text: str) -> tuple[str, str, str]:
    """(family, given, suffix) of a name with a comma; three times "" for any other name."""
    family, *rest = (part.strip() for part in _COMMA.split(" ".join(text.split())))
    if any(part.lower().strip(".") in _COMPANY for part in rest):
        return "", "", ""
    candidates = [part for part in map(_cleaned_part, rest) if part and not _DIGIT.search(part)]
    suffix = next((part for part in candidates if part.lower().strip(".") in _SUFFIXES), "")
    given = next((part for part in candidates if part != suffix), "")
    return (family, given, suffix) if family and given else ("", "", "")


def _cleaned_part(part: str) -> str:
    """The part without dates, without a fuller form in brackets, and without the full stop that ends a heading."""
    part = _YEARS.sub("", part)
    part = _BRACKETS.sub("", part).strip() or part.strip("()（） ")
    return part[:-1] if _STOP.search(part) else part


def _whole_name(agent: Agent) -> str:
    """The whole name without dates after a comma."""
    if agent.is_body:
        return " ".join(agent.name.split())
    first, *rest = _COMMA.split(" ".join(agent.name.split()))
    others = [part for part in rest if not _DIGIT.search(part) and part.strip()]
    return ", ".join([first.strip(), *(part.strip() for part in others)])


def _kind(agent: Agent) -> str:
    """Return PERSON, BODY or "". Where the record does not say it: NDL writes readings of persons with a comma, of
    bodies without; only persons have dates.
    """
    if agent.is_person:
        return PERSON
    rest = _COMMA.split(agent.name)[1:]
    if agent.is_body or any(part.lower().strip(" .") in _COMPANY for part in rest):
        return BODY
    if "," in agent.transcription or any(_LIFE.fullmatch(part.strip()) for part in rest):
        return PERSON
    return BODY if agent.transcription else ""


def _parse_responsibility(statement: str) -> Iterator[Agent]:
    """Split "夏目漱石著 ; 山田太郎 訳" into names and roles, as far as the roles are known words."""
    for part in statement.split(";"):
        match = _WITH_ROLE.fullmatch(part.strip())
        name, role = (match[1], match[2] or match[3]) if match else (part.strip(" ."), "")
        if name:
            yield Agent(name=name, role=role)


_WORDS = {
    EDITOR: "編 編集 編者 編纂 共編 編著 共編著 責任編集 監修 監修者 edt ed editor compiler com edited by",
    TRANSLATOR: "訳 共訳 翻訳 翻訳者 訳者 監訳 全訳 編訳 訳注 trl translator",
    ILLUSTRATOR: "絵 え 画 挿絵 挿画 イラスト 作画 原画 ill illustrator",
    COMPOSER: "作曲 cmp composer",
    AUTHOR: "著 共著 作 原作 文 執筆 著者 撰 述 aut cre author creator",
}
# Other roles that may follow a name in a Japanese statement of responsibility.
_OTHER_ROLES = "音楽 写真 撮影 監督 演出 演奏 歌 脚本 原案 制作 出演 発行 解説 校注 校訂".split()
_ROLES = {word: role for role, words in _WORDS.items() for word in words.split()}
_JAPANESE_ROLES = sorted((word for word in (*_ROLES, *_OTHER_ROLES) if not word.isascii()), key=len, reverse=True)
# The role follows a blank; without a blank only words that cannot be the end of a name (著, 編, 訳 and compounds).
_WITH_ROLE = re.compile(rf"(.+?)(?:\s+\[?({'|'.join(_JAPANESE_ROLES)})\]?|\[?((?:共|編|監|責任)?[著編訳])\]?)")
_COMMA = re.compile(r"\s*[,，]\s*")
_DIGIT = re.compile(r"[0-9０-９]")
_LIFE = re.compile(r"(?:ca\.? |b\. |d\. )?[0-9]{3,4}\??-?(?:(?:ca\.? )?[0-9]{3,4}\??)?|-[0-9]{3,4}\??")
# "Martin 1597-1639", as German catalogues print it.
_YEARS = re.compile(r"\s+(?:ca\.?\s+|um\s+)?[0-9]{3,4}(?:-[0-9]{0,4})?\Z")
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z")
_STOP = re.compile(r"(?:\A|[\s-])[^\s.-]{4,}\.\Z")
_SUFFIXES = frozenset(("jr", "sr", "jun", "ii", "iii", "iv"))
_COMPANY = frozenset(("inc", "ltd", "limited", "llc", "gmbh", "co", "corp", "plc", "ltda", "s.a", "ag"))
_KATAKANA = re.compile(r"[\u30a0-\u30ff=＝ ]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af々]")
