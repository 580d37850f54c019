"""Names of persons and publishers in normalised forms for comparison. Works on texts, not on records."""

import re
import unicodedata
from functools import lru_cache

from metadata.text.folding import fold, fold_tight

_ROLES = (
    "編著",
    "共著",
    "共編",
    "共訳",
    "翻訳",
    "責任編集",
    "原著",
    "原作",
    "監修",
    "監訳",
    "校注",
    "校訂",
    "訳注",
    "編集",
    "編纂",
    "編訳",
    "写真",
    "音楽",
    "監督",
    "企画",
    "構成",
    "解説",
    "著者",
    "原案",
    "脚本",
    "作曲",
    "出演",
    "イラスト",
    *"著編訳譯作画畫文絵繪撰述",
    "ほか",
    "他",
)
_LATIN_ROLES = ("author", "editor", "translator", "illustrator", "ed", "eds")
_ROLE = "|".join((*_ROLES, *(rf"\b{role}" for role in _LATIN_ROLES)))
_BETWEEN = r"[\s,・／/∥‖\[(]"
# Atomic (?>…) and possessive ++: a run of roles can be divided in many ways, which must not all be tried.
_ONE_ROLE = rf"(?>(?:{_ROLE})[\])]?\.?(?={_BETWEEN}*(?:{_ROLE}|\Z)))"
_ROLES_AT_END = re.compile(rf"(?<!{_BETWEEN})(?:{_BETWEEN}*+{_ONE_ROLE})++\s*+\Z", re.IGNORECASE)
_DATES = re.compile(r"[,\s(]*(?:b\.\s*|ca?\.\s*)?[0-9]{3,4}\??\s*-\s*(?:[0-9]{3,4})?.*\Z")
_SEPARATORS = frozenset(";；／∥‖|、")
_SEPARATOR = re.compile(f"[{''.join(sorted(_SEPARATORS))}]")
_SLASH_IN_NAME = re.compile(r"(?<=[^\x00-\x7f])/(?=[^\x00-\x7f])")
_ROLE_FIRST = re.compile(rf"\A\s*[\[〔(【](?:{'|'.join(_ROLES)})[\])〕】]\s*(?=\S)")  # [著]石森章太郎
_AFTER_ROLE = re.compile(r"(?<=\s[著編訳画作絵文])\s+(?=[^\s\[(〔])")  # ケイン 著 福井久美子 訳
_COMMA = re.compile(r"\s*[,，、]\s*")
# 夏目漱石∥著 安西水丸∥絵
_ROLE_AFTER_SLASH = re.compile(rf"[／/∥‖]\s*+(?:{'|'.join(_ROLES)})\s++(?=[^\s{''.join(sorted(_SEPARATORS))}])")
_FORMS_AT_MOST = 8


def person_forms(names: tuple[str, ...], readings: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The normalised forms of several names: kanji and kana without spaces, Latin ones as "last f"."""
    forms: dict[str, None] = {}
    for name in map(_without_bar, names):
        for part in split_names(name):
            if not _OTHERS(part):
                forms[person_form(part)] = None
    for reading in readings:
        forms[person_form(reading)] = None
    forms.pop("", None)
    return tuple(forms)[:_FORMS_AT_MOST]


_OTHERS = re.compile(r"\s*(?:ほか|他|外)\s*[0-9０-９一二三四五六七八九十]*\s*名").match  # no name: "ほか7名"
_BAR = re.compile(r"(?<=\S)[‖∥](?=\S)")


def _without_bar(name: str) -> str:
    """Remove a bar between family and given name (宮尾‖しげを is one person); keep one before a role (清閑寺健∥著)."""
    if "‖" not in name and "∥" not in name:
        return name
    parts = _BAR.split(name)
    return "".join(parts) if len(parts) == 2 and not _is_role(parts[1]) else name


def split_names(text: str) -> list[str]:
    """The names in a text that may hold several: "三好達治／著 ; 安西水丸／絵" has two, each with a role."""
    if _SEPARATORS.isdisjoint(text) and "/" not in text:
        return [] if _is_role(text) else [text]
    parts = (part.strip() for part in _SEPARATOR.split(_ROLE_AFTER_SLASH.sub(";", text)))
    return [part for part in parts if part and not _is_role(part)]


def _is_role(text: str) -> bool:
    """Whether a text names roles and no person: "著", "[ほか]訳", "編・著", "ed.". "Ed" is a name."""
    if text.rstrip()[-1:] not in _ROLE_ENDS or text.isascii() and not text.rstrip().endswith("."):
        return False
    return not _ROLES_AT_END.sub("", unicodedata.normalize("NFKC", text)).strip()


def names_in_statement(text: str) -> list[str]:
    """The names in a statement of responsibility. There a comma separates persons, not family and given name:
    "川畑貴裕,稲生俊雄" are two. Texts whose parts are no whole names are left as they are.
    """
    names: list[str] = []
    for part in [part for statement in _AFTER_ROLE.split(text) for part in split_names(statement)]:
        pieces = _COMMA.split(part)
        whole = len(pieces) > 1 and all(" " in piece if piece.isascii() else len(piece) > 2 for piece in pieces)
        names += pieces if whole else [part]
    return names


@lru_cache(maxsize=8192)
def person_form(name: str) -> str:
    """One name without role and dates, independent of the order of its parts: "夏目, 漱石, 1867-1916" is "夏目漱石"."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
        if "/" in name:
            name = _SLASH_IN_NAME.sub("", name)  # 高橋/しん: the slash ends the family name
        name = _ROLE_FIRST.sub("", name) if name[:1] in _OPENING else name
    name = _without_dates(name)
    without_role = (_ROLES_AT_END.sub("", name) if name.rstrip()[-1:] in _ROLE_ENDS else name).strip(" ,.")
    family, comma, given = (without_role or name).partition(",")
    if _STAYS_JAPANESE(family):
        return fold_tight(without_role or name).replace("斎", "斉")  # some families are spelled both ways
    family = family.replace("-", "")  # a double family name counts as one word, with or without hyphen
    folded = fold(family)
    if not folded.isascii():
        return folded.replace(" ", "") + fold_tight(given)
    if comma:
        return _latin_form(folded, fold(given))
    given, _, family = folded.rpartition(" ")
    return _latin_form(family, given)


_OPENING = tuple("[〔(【")
# Cheap checks before the patterns above, which most names do not need. "ſ" equals "s" where case is ignored.
_ROLE_ENDS = frozenset("".join(role[-1] + role[-1].upper() for role in (*_ROLES, *_LATIN_ROLES)) + "ſ]).")
_YEAR = re.compile(r"[0-9]{3,4}\??\s*-").search
# a name that contains one of these characters never folds to a Latin name
_STAYS_JAPANESE = re.compile("[ぁ-ゖァ-ヺ一-龥]").match
_PLAIN_ENDS = frozenset("abcdefghijklmnopqrstuvwxyz")


def _without_dates(name: str) -> str:
    if not name or name[-1] in _PLAIN_ENDS or "-" not in name:
        return name
    year = _YEAR(name)
    if not year:
        return name
    before = name[: year.start()]
    if before.endswith((", ", ",")) and name.isprintable():  # isprintable: all its spaces are ordinary ones
        return before.rstrip(" ,(")
    return _DATES.sub("", name)


def _latin_form(family: str, given: str) -> str:
    return f"{family} {given[0]}" if given else family


_COMPANY = re.compile(
    r"株式会社|有限会社|合資会社|財団法人|社団法人|独立行政法人|[(]?(?:株|有|財|社)[)]|[(](?:発売|制作|販売)[)]|[(\[].*?[)\]]"
    r"|\b(?:inc|ltd|co|corp|company|llc|gmbh|pub|publ|publishers?|publishing|publications|press|books|verlag|group|printing|an?|the|and)\b\.?",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)  # a catalogue has far fewer publishers than records
def publisher_forms(names: tuple[str, ...]) -> tuple[str, ...]:
    """Publishers' names without legal form and words that all publishers use; also the publisher of a known imprint,
    and the initials of a long English name.
    """
    names_printed = [part for name in names for part in _FIRM_SEPARATOR.split(_PLACE.sub("", name))]
    firsts = [part.partition(", ")[0] for part in names_printed if ", " in part]  # CRC Press, Taylor & Francis Group
    forms = dict.fromkeys([*map(publisher_form, names_printed + firsts), *map(_initials, names_printed)])
    houses = [_HOUSES[form] for form in forms if form in _HOUSES]
    forms |= dict.fromkeys(houses)
    return tuple([form for form in forms if form and form not in _UNKNOWN])[:_FORMS_AT_MOST]


# ちくま文庫、筑摩書房 are an imprint and its publisher; 白泉社 ∥ ハクセンシャ is a name and its reading.
_FIRM_SEPARATOR = re.compile(r"\s*[;；、∥／\u3000]\s*")
_PLACE = re.compile(r"\A[^:：;]{1,12}\s*[:：]\s*(?=[^\x00-\x7f])")  # 東京 : 岩波書店
_UNKNOWN = frozenset(("unknown", "不明", "出版者不明", "出版社不明", "発行者不明", "sn", "notidentified"))
_LEGAL_FORM = re.compile(r"(?<!\W)\W+(?:inc|ltd|co|corp|llc|publishers?)\b.*", re.IGNORECASE)
_FULL_NAME = re.compile(r"[A-Z][\w'’-]+(?:\s+(?:of|the|and|for|&|[A-Z][\w'’-]*)){2,}\Z")
_INITIALS = re.compile(r"\b[A-Z]")


def _initials(name: str) -> str:
    """Initials as some catalogues write them, "cup" for Cambridge University Press; "" for names of fewer than three
    words.
    """
    plain = _LEGAL_FORM.sub("", name) if name.isascii() else ""
    if not plain.count(" ") > 1 or not _FULL_NAME.match(plain):
        return ""
    initials = "".join(_INITIALS.findall(plain)).lower()
    return initials if len(initials) > 2 else ""


@lru_cache(maxsize=8192)
def publisher_form(name: str) -> str:
    """One publisher: "株式会社岩波書店" is "岩波書店"."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return fold_tight(_COMPANY.sub(" ", plain)) or fold_tight(plain)


# Imprints and their publishing houses: catalogues name either. An imprint whose name begins with that of its publisher
# (講談社文庫) needs no entry.
_IMPRINTS = """
ちくま文庫 ちくま学芸文庫 ちくま新書 ちくまプリマー新書 = 筑摩書房
岩波文庫 岩波新書 岩波現代文庫 岩波少年文庫 岩波ジュニア新書 = 岩波書店
中公文庫 中公新書 中公クラシックス = 中央公論新社
文春文庫 文春新書 = 文藝春秋
新潮文庫 新潮新書 新潮選書 = 新潮社
角川文庫 角川ソフィア文庫 角川ホラー文庫 角川つばさ文庫 角川スニーカー文庫 富士見ファンタジア文庫 電撃文庫 = 角川書店
ハヤカワ文庫 早川文庫 ハヤカワ・ミステリ文庫 = 早川書房
創元推理文庫 創元SF文庫 創元ライブラリ = 東京創元社
河出文庫 = 河出書房新社
旺文社文庫 = 旺文社
平凡社ライブラリー 東洋文庫 = 平凡社
つばさ文庫 = KADOKAWA
ヤマケイ文庫 = 山と溪谷社
ブルーバックス = 講談社
白水Uブックス = 白水社
だいわ文庫 = 大和書房
知恵の森文庫 = 光文社
現代教養文庫 = 社会思想社
"""
# Firms that sell the books of others: オーム社 sells what オライリー・ジャパン publishes.
_SALES = """
オーム社 = オライリー・ジャパン
"""


def _pairs(table: str) -> list[tuple[str, str]]:
    """Return (name, house) in normalised form for each line "name name … = house"."""
    lines = [line.partition(" = ") for line in table.strip().splitlines()]
    return [(publisher_form(name), publisher_form(house)) for names, _, house in lines for name in names.split()]


_HOUSES = dict(_pairs(_IMPRINTS))
_SELLERS = frozenset(_pairs(_SALES))


def sells_for(one: str, other: str) -> bool:
    """Whether one of two publishers is known to sell the books of the other."""
    return (one, other) in _SELLERS or (other, one) in _SELLERS
